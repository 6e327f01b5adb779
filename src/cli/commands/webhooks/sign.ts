import { fingerprint } from "../../../domain/webhooks/fingerprint.ts";
import { SIGNATURE_HEADER } from "../../../domain/webhooks/headers.ts";
import { readInput } from "../../files/input-file.ts";
import { command } from "../../framework/command.ts";
import { singleSecretOptions } from "./options.ts";
import { signHeaders } from "./signed-headers.ts";
import { refuseStdinConflict, requireSingleSecret } from "./signing-secrets.ts";

export const sign = command({
  name: "sign",
  prints: "SignedHeaders",
  summary: "sign a body like the service and print the three headers",
  output: "record",
  quietPrints: "the signature",
  options: {
    body: { value: "file", required: true, help: "body to sign, byte for byte" },
    timestamp: { value: "time", help: "value of X-Service-Timestamp", default: "now, in unix seconds" },
    event: { value: "name", help: "value of X-Service-Event", default: "the payload's type" },
    ...singleSecretOptions,
  },
  examples: [
    "claims webhooks sign --body body.json --secret-file secret.txt > headers.txt",
    "claims webhooks sign --body body.json --secret-file secret.txt --timestamp 1795132800 --event partner.test --json",
  ],
  async run(context, { options }) {
    const { body: file, secretFile = [], secretStdin, timestamp, event } = options;
    refuseStdinConflict([file, ...secretFile], secretStdin);
    const body = await readInput(context, file);
    const secret = await requireSingleSecret(context, options);
    const headers = signHeaders(context, { secret, body, timestamp, event });
    // One a line, as curl's `-H @-` reads them.
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return {
      kind: "record",
      json: { headers, fingerprint: fingerprint(secret) },
      id: headers[SIGNATURE_HEADER],
      blocks: [{ kind: "paragraph", lines }],
    };
  },
});
