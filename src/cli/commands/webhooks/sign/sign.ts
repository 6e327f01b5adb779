import { command } from "../../../framework/command.ts";
import { secretProfile, singleSecretOptions } from "../options.ts";

export const sign = command({
  name: "sign",
  summary: "sign a body as the service does and print the three headers",
  remote: false,
  output: "record",
  options: {
    body: { value: "file", required: true, help: "the body to sign, byte for byte" },
    timestamp: { value: "time", help: "the value of X-Service-Timestamp (now, in unix seconds)" },
    event: { value: "name", help: "the value of X-Service-Event (the payload's type)" },
    ...singleSecretOptions,
    ...secretProfile,
  },
  examples: [
    "claims webhooks sign --body body.json --secret-file secret.txt > headers.txt",
    "claims webhooks sign --body body.json --secret-file secret.txt --timestamp 1795132800 --event partner.test --json",
  ],
  async run(context, { options }) {
    const { runSign: signBody } = await import("../lab.ts");
    return signBody(context, options);
  },
});
