import { command } from "../../framework/command.ts";
import { toListOutput } from "../../output/output.ts";

export const template = command({
  name: "template",
  prints: "EntryColumns",
  summary: "list the columns of an entry file; --csv prints a heading line and an example",
  output: "list",
  quietPrints: "column names",
  options: {
    layout: {
      value: "layout",
      choices: ["entry", "es003"],
      help: "one row for each entry, or the ACE report ES-003",
      default: "entry",
    },
  },
  examples: [
    "claims diligence template",
    "claims diligence template --out entries.csv",
    "claims diligence template --layout es003 --json",
  ],
  async run(_, { options: { layout = "entry" }, global }) {
    const { generateTemplate, listEntryColumns } = await import("../../capabilities/entry-files.ts");
    if (global.csv) return { kind: "stream", body: generateTemplate(layout) };
    return toListOutput({
      items: listEntryColumns(layout),
      columns: [
        { name: "column", isId: true },
        { name: "required", display: ({ required }) => (required ? "yes" : "") },
        { name: "es003Heading", title: "ES-003 heading" },
        { name: "example" },
        { name: "format", canWrap: true },
        { name: "basis", isHidden: true },
      ],
      emptyMessage: "no columns",
      notes: () => ["assumed: the interface shows no column of the file (§4)"],
    });
  },
});
