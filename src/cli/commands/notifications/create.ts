import { command } from "../../framework/command.ts";
import { createRecord, createRecordOptions } from "../../records/create-record.ts";
import { buildRequestBody } from "../../records/request-body.ts";

export const create = command({
  name: "create",
  summary: "request that somebody be notified",
  remote: "writes",
  output: "record",
  options: {
    recipient: { value: "address", help: "whom to notify: an e-mail address" },
    subject: { value: "text", help: "what it is about, in a line" },
    message: { value: "text", help: "what to tell" },
    job: { value: "job", help: "the diligence job that it is about" },
    ...createRecordOptions,
  },
  examples: [
    "claims notifications create --recipient desk@harborpine.example --subject Ready --message 'The report is there.'",
    "claims notifications create --recipient desk@harborpine.example --subject Ready -F message=@text.txt --job 7d9c…",
  ],
  async run(context, call) {
    const { recipient, subject, message, job } = call.options;
    const flags = { recipient, subject, message, diligenceJobId: job };
    return createRecord(context, call, {
      what: "notification",
      operation: ({ notifications }) => notifications.create,
      json: await buildRequestBody(context, flags, call.options),
    });
  },
});
