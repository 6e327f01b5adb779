import { command } from "../../../framework/command.ts";
import { type OptionSpecs, type OptionValues, SERVICE_OPTIONS } from "../../../framework/options.ts";
import { parseDurationFlag } from "../../../framework/values.ts";
import { parseHeaderOption, parseTarget, receiverCaOption, singleSecretOptions } from "../options.ts";

const sendOptions = {
  to: { value: "url", required: true, parse: parseTarget, help: "URL of the receiver" },
  body: { value: "file", help: "body to send, byte for byte", default: "a synthetic partner.test event" },
  event: { value: "name", help: "value of X-Service-Event", default: "the payload's type" },
  timestamp: { value: "time", help: "value of X-Service-Timestamp", default: "now, in unix seconds" },
  header: {
    value: "header",
    repeats: true,
    parse: parseHeaderOption,
    help: "add a header, as 'Name: value'; may repeat",
  },
  ...singleSecretOptions,
  timeout: { value: "duration", parse: parseDurationFlag, help: "timeout of the response", default: "15s" },
  caFile: receiverCaOption,
  dryRun: SERVICE_OPTIONS.dryRun,
  curl: SERVICE_OPTIONS.curl,
} as const satisfies OptionSpecs;

export type SendOptions = OptionValues<typeof sendOptions>;

export const send = command({
  name: "send",
  prints: "SentDelivery",
  summary: "sign a body like the service and send it to a receiver once",
  output: "document",
  options: sendOptions,
  examples: [
    "claims webhooks send --to http://localhost:3000/hook --secret-file secret.txt",
    "claims webhooks send --to http://localhost:3000/hook --body body.json --secret-file secret.txt --timestamp 1795132800",
    "claims webhooks send --to https://partner.example/hook --body body.json --secret-file secret.txt --curl",
  ],
  run: async (context, { options }) => (await import("./run.ts")).runSend(context, options),
});
