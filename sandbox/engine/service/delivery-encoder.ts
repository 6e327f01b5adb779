import { Buffer } from "node:buffer";
import { EVENT } from "../../../src/contract/event.ts";
import { GREASE_HEADER } from "../../../src/contract/grease.ts";
import type { JsonSchema } from "../../../src/contract/json-schema.ts";
import { mapTimes } from "../../../src/contract/mapping/values.ts";
import type { HeaderList } from "../../../src/domain/http-headers.ts";
import { EVENT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../../src/domain/webhooks/headers.ts";
import { sign } from "../../../src/domain/webhooks/signature.ts";
import {
  formatHeaderName,
  formatHeaderTime,
  requirePayloadSize,
  serializePayload,
} from "./grease/formats.ts";
import { describeVariants, type GreaseVariants } from "./grease/variants.ts";

export interface EventPayload {
  readonly id: string;
  readonly type: string;
  readonly environment: string;
  /** RFC 3339 */
  readonly createdAt: string;
  readonly data: unknown;
}

interface SignedDelivery {
  readonly type: string;
  readonly secret: string;
  readonly body: Uint8Array;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Occurs nowhere else in a payload. */
const DATA_PLACEHOLDER = "\u0000data";

interface DeliveryOptions {
  readonly variants: GreaseVariants;
  /** Takes the variants of each delivery. */
  readonly usedVariants: Set<string>;
  readonly writeTime: (time: unknown) => unknown;
  readonly addUnknownFields?: (payload: object) => object;
}

export const listDeliveryVariants = (variants: GreaseVariants): readonly string[] =>
  describeVariants(variants, ["unknownFields", "timestampFormat", "payloadForm", "headerCase"]);

export type DeliveryEncoder = ReturnType<typeof createDeliveryEncoder>;

/** Encodes the payload and the headers of webhooks as the service sends them. */
export function createDeliveryEncoder({
  variants,
  usedVariants,
  writeTime,
  addUnknownFields,
}: DeliveryOptions) {
  const varied = listDeliveryVariants(variants);
  return {
    /**
     * The bytes of a payload.
     *
     * @param dataJson replaces `data`, unchanged.
     * @throws ClaimsError `validation_failed`: too many
     */
    encodePayload(payload: EventPayload, dataJson?: string): Buffer {
      const data = dataJson === undefined ? payload.data : DATA_PLACEHOLDER;
      const timed = mapTimes({ ...payload, data }, EVENT.payload as JsonSchema, writeTime) as object;
      const text = serializePayload(addUnknownFields?.(timed) ?? timed, variants.payloadForm);
      const bytes = Buffer.from(
        dataJson === undefined ? text : text.replace(JSON.stringify(DATA_PLACEHOLDER), () => dataJson),
      );
      requirePayloadSize(bytes.length);
      return bytes;
    },

    /** The headers of an attempt without those of the connection (interface §6), and one that lists the variants. */
    encodeHeaders({ type, secret, body, at }: SignedDelivery): HeaderList {
      for (const each of varied) usedVariants.add(each);
      const timestamp = formatHeaderTime(at, variants.timestampFormat);
      const headers: HeaderList = [
        ["Content-Type", "application/json"],
        ["User-Agent", "claims-sandbox"],
        [EVENT_HEADER, type],
        [TIMESTAMP_HEADER, timestamp],
        [SIGNATURE_HEADER, sign({ secret, timestamp, body })],
        ...(varied.length > 0 ? [[GREASE_HEADER, varied.join(", ")] as const] : []),
      ];
      return headers.map(([name, value]) => [formatHeaderName(name, variants.headerCase), value]);
    },
  };
}
