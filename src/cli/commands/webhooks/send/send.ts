import { command } from "../../../framework/command.ts";
import { sendOptions } from "./options.ts";

export const send = command({
  name: "send",
  prints: "SentDelivery",
  summary: "sign a body like the service and send it to a receiver once",
  output: "document",
  options: sendOptions,
  examples: [
    "claims webhooks send --to http://localhost:3000/hook --secret-file secret.txt",
    "claims webhooks send --to http://localhost:3000/hook --body body.json --secret-file secret.txt --timestamp 1795132800",
    "claims webhooks send --to https://partner.example/hook --body body.json --secret-file secret.txt --print curl",
  ],
  run: async (context, { options }) => (await import("./run.ts")).runSend(context, options),
});
