import {
  EVENT_HEADER,
  type HeaderList,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
} from "../../../src/domain/webhooks/headers.ts";
import { sign } from "../../../src/domain/webhooks/signature.ts";
import type { ServiceVariant } from "../grease/service-variant.ts";

interface DeliveryHeaderInput {
  readonly type: string;
  readonly secret: string;
  readonly body: Uint8Array;
  /** Milliseconds. */
  readonly at: number;
  readonly form: ServiceVariant;
}

/** The headers of an attempt without those of the connection (interface §6). */
export function buildDeliveryHeaders({ type, secret, body, at, form }: DeliveryHeaderInput): HeaderList {
  const timestamp = form.formatTimestamp(at);
  return form.renderHeaders([
    ["Content-Type", "application/json"],
    ["User-Agent", "claims-sandbox"],
    [EVENT_HEADER, type],
    [TIMESTAMP_HEADER, timestamp],
    [SIGNATURE_HEADER, sign({ secret, timestamp, body })],
  ]);
}
