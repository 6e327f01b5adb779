import { command } from "../../framework/command.ts";
import { createRecord, createRecordOptions } from "../../records/create-record.ts";
import { buildRequestBody } from "../../records/request-body.ts";

export const create = command({
  name: "create",
  summary: "add a client: an importer that claims are made for",
  remote: "writes",
  output: "record",
  options: {
    name: { value: "name", help: "what it is called" },
    importerNumber: { value: "number", help: "its importer number, as in 12-3456789" },
    email: { value: "address", help: "whom to write to" },
    reference: { value: "text", help: "what your own books call it" },
    ...createRecordOptions,
  },
  examples: [
    "claims clients create --name 'Harbor & Pine Trading, LLC' --importer-number 12-3456789",
    "claims clients create --name Acme --reference crm-17 -q",
    'echo \'{"name":"Acme"}\' | claims clients create --input - --json',
  ],
  async run(context, call) {
    const { name, importerNumber, email, reference } = call.options;
    const flags = { name, importerNumber, contactEmail: email, reference };
    return createRecord(context, call, {
      what: "client",
      operation: ({ clients }) => clients.create,
      json: await buildRequestBody(context, flags, call.options),
    });
  },
});
