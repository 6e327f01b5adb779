import { command } from "../../../framework/command.ts";
import { verifyOptions } from "./options.ts";

export const verify = command({
  name: "verify",
  summary: "verify a delivery offline and, if its signature does not match, name the cause",
  output: "record",
  quietPrints: "the verdict",
  options: verifyOptions,
  examples: [
    "claims webhooks verify --body body.json --timestamp 1795132800 --signature 5c1f… --secret-file secret.txt",
    "claims webhooks verify --request request.txt --secret-file secret.txt --tolerance 5m",
    "claims webhooks verify --curl curl.txt --secret-file secret.txt --candidate older=old-secret.txt --case-file case.json",
    "claims webhooks verify --case case.json --secret-stdin < secret.txt",
    "claims webhooks verify --delivery 9c2a… --attempt 2 --secret-file secret.txt",
    "claims webhooks verify --request logged.txt --against 9c2a… --secret-file secret.txt",
  ],
  run: async (context, { options }) => (await import("./run.ts")).runVerify(context, options),
});
