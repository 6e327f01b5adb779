import type { Buffer } from "node:buffer";
import { ClaimsError } from "../../../domain/errors.ts";
import { isRecord } from "../../../domain/json.ts";
import { EVENT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../../domain/webhooks/headers.ts";
import { sign } from "../../../domain/webhooks/signature.ts";
import type { Context } from "../../context.ts";

/** A body to sign, and what its headers are to say. */
interface SignHeadersInput {
  readonly secret: string;
  readonly body: Buffer;
  /** Now, unless it is given. */
  readonly timestamp: string | undefined;
  /** The payload's type, unless it is given. */
  readonly event: string | undefined;
}

/** The three headers of a delivery (interface §6). */
export interface SignedHeaders {
  readonly [EVENT_HEADER]: string;
  readonly [TIMESTAMP_HEADER]: string;
  readonly [SIGNATURE_HEADER]: string;
}

/** @throws ClaimsError `usage` */
export function signHeaders({ now }: Pick<Context, "now">, unsigned: SignHeadersInput): SignedHeaders {
  const { secret, body } = unsigned;
  const timestamp = checkHeaderValue(
    unsigned.timestamp ?? String(Math.floor(now() / 1000)),
    "timestamp",
    "1795132800",
  );
  return {
    [EVENT_HEADER]:
      unsigned.event === undefined
        ? readEventType(body)
        : checkHeaderValue(unsigned.event, "event", "partner.test"),
    [TIMESTAMP_HEADER]: timestamp,
    [SIGNATURE_HEADER]: sign({ secret, timestamp, body }),
  };
}

function checkHeaderValue(text: string, name: "timestamp" | "event", example: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return text;
  throw new ClaimsError("usage", `invalid_${name}`, `--${name} cannot be the value of a header`, {
    hint: `write visible ASCII characters, as in ${example}`,
  });
}

function readEventType(body: Buffer): string {
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
