import { ClaimsError } from "../../../domain/errors.ts";
import { command } from "../../command.ts";
import { list } from "../../output/output.ts";

export const assumptions = command({
  name: "assumptions",
  summary: "list what the sandbox and this client assume where the interface says nothing",
  remote: false,
  answers: "list",
  options: { markdown: { help: "print it as a document in Markdown" } },
  examples: ["claims contract assumptions", "claims contract assumptions --markdown > assumptions.md"],
  async run(_, { options, global }) {
    const { assumptions: all, assumptionsText } = await import("./documents.ts");
    const found = all();
    if (options.markdown) {
      if (global.json || global.ndjson || global.csv) throw oneFormat();
      return { kind: "stream", body: [assumptionsText(found)] };
    }
    return list({
      items: found,
      columns: [
        { name: "operation", of: ({ operation }) => operation },
        { name: "kind", of: ({ kind }) => kind },
        { name: "what", of: ({ what }) => what, wraps: true },
        { name: "standsInFor", title: "stands in for", of: ({ standsInFor }) => standsInFor, wraps: true },
      ],
      idOf: ({ operation, what }) => `${operation} ${what}`,
      empty: "nothing is assumed",
    });
  },
});

const oneFormat = (): ClaimsError =>
  new ClaimsError("usage", "formats", "--markdown is a format of its own", {
    hint: "leave out --json, --ndjson or --csv, or leave out --markdown",
  });
