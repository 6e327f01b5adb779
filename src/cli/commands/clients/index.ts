import { defineCreateCommand, defineListCommand } from "../../records/record-commands.ts";

const list = defineListCommand({
  summary: "list clients, newest first",
  noun: "clients",
  operation: ({ clients }) => clients.list,
  columns: [
    { name: "id", isId: true },
    { name: "name" },
    { name: "importerNumber", title: "importer" },
    { name: "reference" },
  ],
  emptyMessage: "no clients yet; `claims clients create --name NAME` creates one",
  examples: ["claims clients list", "claims clients list --all --csv --fields id,name,reference"],
});

const create = defineCreateCommand({
  summary: "create a client, the importer that claims are made for",
  noun: "client",
  operation: ({ clients }) => clients.create,
  fields: {
    name: { value: "name", help: "name of the client" },
    importerNumber: { value: "number", help: "importer number, as in 12-3456789" },
    reference: { value: "text", help: "the client's name in your own books" },
  },
  examples: [
    "claims clients create --name 'Harbor & Pine Trading, LLC' --importer-number 12-3456789",
    "claims clients create --name Acme --reference crm-17 -q",
    'echo \'{"name":"Acme"}\' | claims clients create --input - --json',
  ],
});

export const commands = [list, create];
