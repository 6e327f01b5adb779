import { ClaimsError } from "../../../../domain/errors.ts";
import { command } from "../../../framework/command.ts";
import { toListOutput } from "../../../output/output.ts";

export const assumptions = command({
  name: "assumptions",
  summary: "list what the sandbox and this client assume where the interface says nothing",
  remote: false,
  output: "list",
  options: { markdown: { help: "print it as a document in Markdown" } },
  examples: ["claims contract assumptions", "claims contract assumptions --markdown > assumptions.md"],
  async run(_, { options, global }) {
    const { listAssumptions: all, renderAssumptions: assumptionsText } = await import("../documents.ts");
    const found = all();
    if (options.markdown) {
      if (global.json || global.ndjson || global.csv) throw formatConflictError();
      return { kind: "stream", body: [assumptionsText(found)] };
    }
    return toListOutput({
      items: found,
      columns: [
        { name: "operation" },
        { name: "kind" },
        { name: "subject", canWrap: true },
        { name: "source", canWrap: true },
      ],
      idOf: ({ operation, subject }) => `${operation} ${subject}`,
      emptyMessage: "nothing is assumed",
    });
  },
});

const formatConflictError = (): ClaimsError =>
  new ClaimsError("usage", "formats", "--markdown is a format of its own", {
    hint: "leave out --json, --ndjson or --csv, or leave out --markdown",
  });
