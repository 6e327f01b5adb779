import { fingerprint } from "../../../domain/webhooks/fingerprint.ts";
import { SIGNATURE_HEADER } from "../../../domain/webhooks/headers.ts";
import type { Context } from "../../context.ts";
import { readInput } from "../../input-file.ts";
import type { Output } from "../../output/output.ts";
import { requiredSecrets } from "./given-secrets.ts";
import { requireOneStdin } from "./one-stdin.ts";
import type { SecretOptions } from "./options.ts";
import { signedHeaders } from "./signed-headers.ts";
import { signingSecret } from "./signing-secret.ts";

interface SignOptions extends SecretOptions {
  readonly body: string;
  readonly timestamp: string | undefined;
  readonly event: string | undefined;
}

/** The three headers of a delivery (interface §6), a line each, as curl's `-H @-` reads them. */
export async function signBody(context: Context, options: SignOptions): Promise<Output> {
  const { timestamp, event } = options;
  requireOneStdin([options.body, ...(options.secretFile ?? [])], options.secretStdin);
  const body = await readInput(context, options.body);
  const secret = signingSecret(await requiredSecrets(context, options));
  const headers = signedHeaders(context, { secret, body, timestamp, event });
  return {
    kind: "record",
    json: { headers, fingerprint: fingerprint(secret) },
    id: headers[SIGNATURE_HEADER],
    blocks: [
      { kind: "paragraph", lines: Object.entries(headers).map(([name, value]) => `${name}: ${value}`) },
    ],
  };
}
