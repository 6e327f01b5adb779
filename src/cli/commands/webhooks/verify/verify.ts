import { command } from "../../../framework/command.ts";
import { verifyOptions } from "./options.ts";

export const verify = command({
  name: "verify",
  prints: "SignatureVerdict",
  summary: "verify a delivery offline and, if its signature does not match, name the cause",
  output: "record",
  quietPrints: "the verdict",
  arguments: [
    {
      name: "file",
      isOptional: true,
      help: "delivery in any form: raw request, curl command, HAR, gateway event, record of a log, case file; - for stdin",
    },
  ],
  options: verifyOptions,
  examples: [
    "claims webhooks verify --body body.json --timestamp 1795132800 --signature 5c1f… --secret-file secret.txt",
    "claims webhooks verify request.txt --secret-file secret.txt --tolerance 5m",
    "claims webhooks verify curl.txt --secret-file secret.txt --candidate older=old-secret.txt --case-file case.json",
    "claims webhooks verify case.json --secret-stdin < secret.txt",
    "claims webhooks verify request.txt --computed 5c1f09a2b1c3d4e5f60718293a4b5c6d7e8f9011a2b3c4d5e6f708192a3b4c5d --secret-file secret.txt",
    "claims webhooks verify --delivery 9c2a… --attempt 2 --secret-file secret.txt",
    "claims webhooks verify logged.txt --against 9c2a… --secret-file secret.txt",
  ],
  run: async (context, { args, options }) =>
    (await import("./run.ts")).runVerify(context, { ...options, file: args.file }),
});
