import { command } from "../../framework/command.ts";
import { apiArguments, apiOptions } from "./options.ts";

export const api = command({
  name: "api",
  summary: "send any request with your credential and print the response",
  remote: "writes",
  output: "bytes",
  arguments: apiArguments,
  options: apiOptions,
  examples: [
    "claims api GET /v1/docs/openapi --include",
    "claims api GET /v1/webhook-deliveries -f limit=200 --paginate | jq -r '.data[].id'",
    "claims api POST /v1/litigation/enroll -f claimIds[]=9e02… -f claimIds[]=4b1f…",
    "claims api POST /v1/diligence/jobs/7d9c…/resume",
  ],
  run: async (context, call) => (await import("./run.ts")).runApi(context, call),
});
