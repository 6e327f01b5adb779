import type { Buffer } from "node:buffer";
import { usageError } from "../../../domain/errors.ts";
import { parseJsonText, valueAt } from "../../../domain/json.ts";
import { fingerprint } from "../../../domain/webhooks/fingerprint.ts";
import { EVENT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../../domain/webhooks/headers.ts";
import { sign as computeSignature } from "../../../domain/webhooks/signature.ts";
import type { Context } from "../../context.ts";
import { readInput } from "../../files/input-file.ts";
import { command } from "../../framework/command.ts";
import { singleSecretOptions } from "./options.ts";
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
    const { body: file, secretFile = [], timestamp, event } = options;
    refuseStdinConflict([file, ...secretFile]);
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

type SignHeadersInput = Record<"timestamp" | "event", string | undefined> & { secret: string; body: Buffer };

/** The three headers of a delivery (interface §6), by default of now and of the payload's type. @throws ClaimsError `usage` */
export function signHeaders({ now }: Pick<Context, "now">, input: SignHeadersInput) {
  const { secret, body, event, timestamp = String(Math.floor(now() / 1000)) } = input;
  return {
    [EVENT_HEADER]:
      event === undefined ? readEventType(body) : checkHeaderValue(event, "event", "partner.test"),
    [TIMESTAMP_HEADER]: checkHeaderValue(timestamp, "timestamp", "1795132800"),
    [SIGNATURE_HEADER]: computeSignature({ secret, timestamp, body }),
  };
}

function checkHeaderValue(text: string, name: "timestamp" | "event", example: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return text;
  throw usageError("option_invalid", `--${name} cannot be the value of a header`, {
    option: `--${name}`,
    hint: `write visible ASCII characters, such as ${example}`,
  });
}

function readEventType(body: Buffer): string {
  // Any body can be signed, but only JSON names its event.
  const type = valueAt(parseJsonText(body.toString("utf8")), "type");
  if (typeof type === "string" && /^[\w.-]+$/.test(type)) return type;
  throw usageError("missing_option", "the body has no type, which would name the event", {
    hint: "name the event with --event, such as --event partner.test",
  });
}
