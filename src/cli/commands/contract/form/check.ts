import { command } from "../../../framework/command.ts";

export const formCheck = command({
  name: "form check",
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
