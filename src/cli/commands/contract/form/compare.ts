import { command } from "../../../framework/command.ts";

export const formCompare = command({
  name: "form compare",
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
