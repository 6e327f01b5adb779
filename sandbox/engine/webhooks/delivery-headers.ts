import type { HeaderList } from "../../../src/domain/http-headers.ts";
import { EVENT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../../src/domain/webhooks/headers.ts";
import { sign } from "../../../src/domain/webhooks/signature.ts";
import type { DeliveryWriter } from "../service/delivery-writer.ts";

/** The headers of an attempt without those of the connection (interface §6). */
export function buildDeliveryHeaders(
  writer: DeliveryWriter,
  { type, secret, body, at }: { type: string; secret: string; body: Uint8Array; at: number },
): HeaderList {
  const timestamp = writer.formatTimestamp(at);
  return writer.renderHeaders([
    ["Content-Type", "application/json"],
    ["User-Agent", "claims-sandbox"],
    [EVENT_HEADER, type],
    [TIMESTAMP_HEADER, timestamp],
    [SIGNATURE_HEADER, sign({ secret, timestamp, body })],
  ]);
}
