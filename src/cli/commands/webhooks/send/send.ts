import { command } from "../../../framework/command.ts";
import { type OptionSpecs, SERVICE_OPTIONS } from "../../../framework/options.ts";
import { parseDurationFlag } from "../../../framework/values.ts";
import { parseTarget } from "../listen/routes.ts";
import { secretProfile, singleSecretOptions } from "../options.ts";
import { parseHeaderOption } from "./headers.ts";

export const sendOptions = {
  to: { value: "url", required: true, parse: parseTarget, help: "the receiver to send it to" },
  body: { value: "file", help: "the body, sent byte for byte (a partner.test event of our own making)" },
  event: { value: "name", help: "the value of X-Service-Event (the payload's type)" },
  timestamp: { value: "time", help: "the value of X-Service-Timestamp (now, in unix seconds)" },
  header: {
    value: "header",
    repeats: true,
    parse: parseHeaderOption,
    help: "one more header, as 'Name: value'; may repeat",
  },
  ...singleSecretOptions,
  ...secretProfile,
  timeout: { value: "duration", parse: parseDurationFlag, help: "how long the receiver may take (15s)" },
  dryRun: SERVICE_OPTIONS.dryRun,
  print: SERVICE_OPTIONS.print,
} as const satisfies OptionSpecs;

export const send = command({
  name: "send",
  summary: "sign a body as the service does and post it to a receiver, once",
  remote: false,
  output: "document",
  options: sendOptions,
  examples: [
    "claims webhooks send --to http://localhost:3000/hook --secret-file secret.txt",
    "claims webhooks send --to http://localhost:3000/hook --body body.json --secret-file secret.txt --timestamp 1795132800",
    "claims webhooks send --to https://partner.example/hook --body body.json --secret-file secret.txt --print curl",
  ],
  async run(context, { options }) {
    const { runSend: sendBody } = await import("../traffic.ts");
    return sendBody(context, options);
  },
});
