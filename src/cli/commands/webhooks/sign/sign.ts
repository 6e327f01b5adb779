import { command } from "../../../framework/command.ts";
import { signOptions } from "./options.ts";

export const sign = command({
  name: "sign",
  summary: "sign a body like the service and print the three headers",
  remote: false,
  output: "record",
  options: signOptions,
  examples: [
    "claims webhooks sign --body body.json --secret-file secret.txt > headers.txt",
    "claims webhooks sign --body body.json --secret-file secret.txt --timestamp 1795132800 --event partner.test --json",
  ],
  async run(context, { options }) {
    const { runSign } = await import("./run.ts");
    return runSign(context, options);
  },
});
