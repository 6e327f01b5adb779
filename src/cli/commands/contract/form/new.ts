import { command } from "../../../framework/command.ts";

export const formNew = command({
  name: "form new",
  summary: "write a start for the form of a service: every operation, with comments",
  output: "document",
  options: { schema: { help: "print the JSON Schema of the file, for an editor" } },
  examples: [
    "claims contract form new --out service.json",
    "claims contract form new --schema --out service.schema.json",
  ],
  async run(_, { options }) {
    const { createForm, serviceForm } = await import("./start.ts");
    return { kind: "record", json: options.schema ? serviceForm : createForm(), blocks: [] };
  },
});
