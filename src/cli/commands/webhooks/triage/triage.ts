import { command } from "../../../framework/command.ts";
import { triageOptions } from "./options.ts";

export const triage = command({
  name: "triage",
  prints: "TriageReport",
  summary: "verify many logged deliveries offline, and group them by cause",
  output: "list",
  arguments: [
    {
      name: "files",
      help: "raw requests, HARs, NDJSON or JSON logs, API Gateway events, SQS and SNS batches, or folders of them; - for stdin",
      isVariadic: true,
    },
  ],
  options: triageOptions,
  examples: [
    "claims webhooks triage ./deliveries --secret-file secret.txt",
    "claims webhooks triage app.log --field body=.req.rawBody --field headers=.req.headers --field time=.time --secret-file secret.txt",
    "claims webhooks triage recorded.har --secret-file secret.txt --candidate older=old-secret.txt --report for-the-partner.md",
    "claims webhooks triage - --secret-file secret.txt --ndjson < app.log",
  ],
  run: async (context, { args, options, global }) =>
    (await import("./run.ts")).runTriage(context, args.files, options, global),
});
