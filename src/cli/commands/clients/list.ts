import { hiddenColumns } from "../../output/output.ts";
import { listCommand } from "../../records/record-commands.ts";

export const list = listCommand({
  summary: "list clients, newest first",
  noun: "clients",
  operation: ({ clients }) => clients.list,
  columns: [
    { name: "id", isId: true },
    { name: "name" },
    { name: "importerNumber", title: "importer" },
    { name: "reference" },
    ...hiddenColumns("contactEmail", "createdAt"),
  ],
  emptyMessage: "no clients yet; `claims clients create --name NAME` creates one",
  examples: ["claims clients list", "claims clients list --all --csv --fields id,name,reference"],
});
