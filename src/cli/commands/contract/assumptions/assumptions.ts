import { usageError } from "../../../../domain/errors.ts";
import { command } from "../../../framework/command.ts";
import { toListOutput } from "../../../output/output.ts";

export const assumptions = command({
  name: "assumptions",
  summary: "list the assumptions of the sandbox and this client about what the interface leaves open",
  output: "list",
  quietPrints: "operations and subjects",
  options: { markdown: { help: "print a Markdown document, with the statements of the interface" } },
  examples: ["claims contract assumptions", "claims contract assumptions --markdown > assumptions.md"],
  async run(_, { options, global }) {
    const { listAssumptions, renderAssumptions } = await import("./render-assumptions.ts");
    if (!options.markdown) {
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
    throw usageError("conflicting_formats", "--markdown cannot be combined with another format", {
      hint: "leave out --json, --ndjson or --csv, or leave out --markdown",
    });
  },
});
