import { command } from "../../../framework/command.ts";

const formNew = command({
  name: "form new",
  prints: "ServiceForm",
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

const formCheck = command({
  name: "form check",
  prints: "FormCheck",
  summary: "check the form of a service, also against live reads if a service is named",
  remote: "reads",
  output: "list",
  quietPrints: "places of mistakes, or operations",
  arguments: [{ name: "file", help: "the form" }],
  options: { job: { value: "job", help: "with a service: also read this job, its report and its dataset" } },
  examples: [
    "claims contract form check service.json",
    "claims contract form check service.json --profile trial",
  ],
  run: async (context, call) => (await import("./run-check.ts")).runCheck(context, call),
});

const formCompare = command({
  name: "form compare",
  prints: "FormComparison",
  summary: "ask the service and a sandbox in its form the same, and count what is alike",
  remote: "reads",
  output: "list",
  quietPrints: "places that are silently wrong",
  arguments: [{ name: "file", help: "the form" }],
  options: {
    job: { value: "job", help: "also compare this job of the service, its report and its dataset" },
  },
  examples: [
    "claims contract form compare service.json --profile trial",
    "claims contract form compare service.json --job JOB --json",
  ],
  run: async (context, call) => (await import("./run-compare.ts")).runCompare(context, call),
});

/** The commands of the form of a service: write a start, check it, compare it with the service. */
export const formCommands = [formNew, formCheck, formCompare];
