import { EVENT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../../src/domain/webhooks/headers.ts";
import { sign } from "../../../src/domain/webhooks/signature.ts";
import type { HeaderPairs } from "../../store/attempts.ts";

interface Sent {
  readonly type: string;
  readonly secret: string;
  readonly body: Uint8Array;
  /** Milliseconds; on the wire it is unix seconds (product.md §5). */
  readonly at: number;
}

/** The headers of one attempt, beside those of the connection (interface §6). */
export function deliveryHeaders({ type, secret, body, at }: Sent): HeaderPairs {
  const timestamp = String(Math.floor(at / 1000));
  return [
    ["Content-Type", "application/json"],
    ["User-Agent", "claims-sandbox"],
    [EVENT_HEADER, type],
    [TIMESTAMP_HEADER, timestamp],
    [SIGNATURE_HEADER, sign({ secret, timestamp, body })],
  ];
}
