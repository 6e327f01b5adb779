import { ASSUMPTION_STATUSES } from "../../../../contract/assumption-statuses.ts";
import { usageError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { command } from "../../../framework/command.ts";
import { hiddenColumns, toListOutput } from "../../../output/output.ts";

export const assumptions = command({
  name: "assumptions",
  prints: "Assumptions",
  summary: "list the assumptions of the sandbox and this client about what the interface leaves open",
  output: "list",
  quietPrints: "operations and subjects",
  options: {
    markdown: { help: "print a Markdown document, with the statements of the interface" },
    observed: { value: "file", help: "compare them with a service, by a file of `claims contract learn`" },
    status: { value: "status", choices: ASSUMPTION_STATUSES, help: "only these; needs --observed" },
  },
  examples: [
    "claims contract assumptions",
    "claims contract assumptions --markdown > assumptions.md",
    "claims contract assumptions --observed service.json --status differs",
  ],
  async run(context, { options, global }) {
    const { markdown, observed, status } = options;
    if (status !== undefined && observed === undefined)
      throw usageError("option_conflict", "--status needs --observed", {
        hint: "name a file of claims contract learn: --observed service.json",
      });
    if (observed !== undefined) return listObserved(context, observed, status);
    const { listAssumptions, renderAssumptions } = await import("./render-assumptions.ts");
    if (!markdown) {
      return toListOutput({
        items: listAssumptions(),
        columns: [
          { name: "operation" },
          { name: "kind" },
          { name: "subject", canWrap: true },
          { name: "source", canWrap: true },
        ],
        idOf: ({ operation, subject }) => `${operation} ${subject}`,
        emptyMessage: "no assumptions",
      });
    }
    if (!global.json && !global.ndjson && !global.csv) return { kind: "stream", body: [renderAssumptions()] };
    throw usageError("option_conflict", "--markdown cannot be combined with another format", {
      hint: "leave out --json, --ndjson or --csv, or leave out --markdown",
    });
  },
});

async function listObserved(context: Context, path: string, only: string | undefined) {
  const { listCompared } = await import("./render-assumptions.ts");
  return toListOutput({
    items: await listCompared(context, path, only),
    columns: [
      { name: "status" },
      { name: "operation" },
      { name: "kind" },
      { name: "subject", canWrap: true },
      { name: "seen", value: ({ seen }) => seen.join("; "), canWrap: true },
      ...hiddenColumns("basis", "source"),
    ],
    idOf: ({ operation, subject }) => `${operation} ${subject}`,
    emptyMessage: only === undefined ? "no assumptions" : `no assumption has the status ${only}`,
  });
}
