import { defineCreateCommand } from "../../records/record-commands.ts";

export const commands = [
  defineCreateCommand({
    summary: "request a notification",
    noun: "notification",
    operation: ({ notifications }) => notifications.create,
    fields: {
      recipient: { value: "address", help: "e-mail address of the recipient" },
      subject: { value: "text", help: "subject, one line" },
      message: { value: "text", help: "text of the message" },
      job: { value: "job", field: "diligenceJobId", help: "the diligence job that it is about: its id" },
    },
    examples: [
      "claims notifications create --recipient desk@harborpine.example --subject Ready --message 'The report is there.'",
      'claims notifications create --recipient desk@harborpine.example --subject Ready --message "$(cat text.txt)" --job 7d9c…',
    ],
  }),
];
