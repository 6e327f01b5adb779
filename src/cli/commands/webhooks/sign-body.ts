import { ClaimsError } from "../../../domain/errors.ts";
import { isRecord } from "../../../domain/json.ts";
import { fingerprint } from "../../../domain/webhooks/fingerprint.ts";
import { EVENT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../../domain/webhooks/headers.ts";
import { sign } from "../../../domain/webhooks/signature.ts";
import type { Context } from "../../context.ts";
import { readInput } from "../../input-file.ts";
import type { Output } from "../../output/output.ts";
import { requiredSecrets } from "./given-secrets.ts";
import { requireOneStdin } from "./one-stdin.ts";
import type { SecretOptions } from "./options.ts";

interface SignOptions extends SecretOptions {
  readonly body: string;
  readonly timestamp: string | undefined;
  readonly event: string | undefined;
}

/** The three headers of a delivery (interface §6), a line each, as curl's `-H @-` reads them. */
export async function signBody(context: Context, options: SignOptions): Promise<Output> {
  requireOneStdin([options.body, ...(options.secretFile ?? [])], options.secretStdin);
  const body = await readInput(context, options.body);
  const secret = signingSecret(await requiredSecrets(context, options));
  const timestamp = checkedTimestamp(options.timestamp ?? String(Math.floor(context.now() / 1000)));
  const signature = sign({ secret, timestamp, body });
  const headers = {
    [EVENT_HEADER]: options.event ?? eventOf(body),
    [TIMESTAMP_HEADER]: timestamp,
    [SIGNATURE_HEADER]: signature,
  };
  return {
    kind: "record",
    json: { headers, fingerprint: fingerprint(secret) },
    id: signature,
    blocks: [
      { kind: "paragraph", lines: Object.entries(headers).map(([name, value]) => `${name}: ${value}`) },
    ],
  };
}

/** One secret signs, and one that a receiver would hardly have so: what stands around it would be a part of the key. */
function signingSecret(given: readonly { readonly source: string; readonly secret: string }[]): string {
  const [{ source, secret } = { source: "", secret: "" }, ...others] = given;
  if (others.length > 0)
    throw new ClaimsError("usage", "two_secrets", `${given.length} secrets are given, and one signs`, {
      hint: "give --secret-file once",
    });
  if (secret !== "" && secret.trim() === secret) return secret;
  const what =
    secret === "" ? "is empty" : "has white space around the secret, which would be a part of the key";
  throw new ClaimsError("credential", "malformed_secret", `${source} ${what}`, {
    hint: "store the secret without a line end: printf %s, not echo",
  });
}

function checkedTimestamp(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return text;
  throw new ClaimsError("usage", "invalid_timestamp", "--timestamp cannot be the value of a header", {
    hint: "write visible ASCII characters, as in 1795132800",
  });
}

function eventOf(body: Buffer): string {
  try {
    const payload: unknown = JSON.parse(body.toString("utf8"));
    if (isRecord(payload) && typeof payload.type === "string" && /^[\w.-]+$/.test(payload.type))
      return payload.type;
  } catch {
    // A body need not be JSON to be signed; it only names no event then.
  }
  throw new ClaimsError("usage", "no_event", "the body names no event: it has no type", {
    hint: "name it with --event, as in --event partner.test",
  });
}
