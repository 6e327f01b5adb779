import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import { SIGNATURE_HEADER } from "../../../../domain/webhooks/headers.ts";
import type { Context } from "../../../context.ts";
import { readInput } from "../../../files/input-file.ts";
import type { Output } from "../../../output/output.ts";
import type { SecretOptions } from "../options.ts";
import { signHeaders } from "../signed-headers.ts";
import { requireSecrets } from "../signing-secrets.ts";
import { requireSingleSecret } from "../single-secret.ts";
import { refuseStdinConflict } from "../stdin-conflict.ts";

interface SignOptions extends SecretOptions {
  readonly body: string;
  readonly timestamp: string | undefined;
  readonly event: string | undefined;
}

/** The three headers of a delivery (interface §6), a line each, as curl's `-H @-` reads them. */
export async function runSign(context: Context, options: SignOptions): Promise<Output> {
  const { timestamp, event } = options;
  refuseStdinConflict([options.body, ...(options.secretFile ?? [])], options.secretStdin);
  const body = await readInput(context, options.body);
  const secret = requireSingleSecret(await requireSecrets(context, options));
  const headers = signHeaders(context, { secret, body, timestamp, event });
  return {
    kind: "record",
    json: { headers, fingerprint: fingerprint(secret) },
    id: headers[SIGNATURE_HEADER],
    blocks: [
      { kind: "paragraph", lines: Object.entries(headers).map(([name, value]) => `${name}: ${value}`) },
    ],
  };
}
