import { Buffer } from "node:buffer";
import { EVENT } from "../../../src/contract/event.ts";
import { GREASE_HEADER } from "../../../src/contract/grease.ts";
import type { JsonSchema } from "../../../src/contract/json-schema.ts";
import { mapTimes } from "../../../src/contract/mapping/values.ts";
import type { HeaderList } from "../../../src/domain/http-headers.ts";
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

/** Occurs nowhere else in a payload. */
const DATA_PLACEHOLDER = "\u0000data";

interface DeliveryOptions {
  readonly variants: GreaseVariants;
  /** Takes the variants of each delivery. */
  readonly applied: Set<string>;
  readonly writeTime: (time: unknown) => unknown;
  readonly addUnknownFields?: (payload: object) => object;
}

export const listDeliveryVariants = (variants: GreaseVariants): readonly string[] =>
  describeVariants(variants, ["unknownFields", "timestampFormat", "payloadForm", "headerCase"]);

export type DeliveryWriter = ReturnType<typeof createDeliveryWriter>;

/** Writes the payload and the headers of webhooks as the service sends them. */
export function createDeliveryWriter({ variants, applied, writeTime, addUnknownFields }: DeliveryOptions) {
  const varied = listDeliveryVariants(variants);
  return {
    /** @param at milliseconds */
    formatTimestamp: (at: number): string => formatHeaderTime(at, variants.timestampFormat),

    /**
     * The bytes of a payload.
     *
     * @param dataJson replaces `data`, unchanged.
     * @throws ClaimsError `validation_failed`: too many
     */
    renderPayload(payload: EventPayload, dataJson?: string): Buffer {
      const data = dataJson === undefined ? payload.data : DATA_PLACEHOLDER;
      const timed = mapTimes({ ...payload, data }, EVENT.payload as JsonSchema, writeTime) as object;
      const text = serializePayload(addUnknownFields?.(timed) ?? timed, variants.payloadForm);
      const bytes = Buffer.from(
        dataJson === undefined ? text : text.replace(JSON.stringify(DATA_PLACEHOLDER), () => dataJson),
      );
      requirePayloadSize(bytes.length);
      return bytes;
    },

    /** Changes the names only, not what is signed, and adds a header that lists the variants. */
    renderHeaders(pairs: HeaderList): HeaderList {
      for (const each of varied) applied.add(each);
      const all = varied.length === 0 ? pairs : [...pairs, [GREASE_HEADER, varied.join(", ")] as const];
      return all.map(([name, value]) => [formatHeaderName(name, variants.headerCase), value]);
    },
  };
}
