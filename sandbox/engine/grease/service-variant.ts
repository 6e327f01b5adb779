import { Buffer } from "node:buffer";
import type { TSchema } from "typebox";
import { GREASE_DIMENSIONS, GREASE_HEADER, type GreaseDimension } from "../../../src/contract/grease.ts";
import type { HeaderList } from "../../../src/domain/webhooks/headers.ts";
import type { RandomSource } from "../random.ts";
import { chooseVariants, describeVariations } from "./choices.ts";
import { formatHeaderName, formatHeaderTime, formatRecordTime, serializePayload } from "./formats.ts";
import { createUnknownFields } from "./unknown-fields.ts";

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

export type ServiceVariant = ReturnType<typeof createServiceVariant>;

/** The variant of the service that a sandbox plays: its choices, and the deliveries that follow from them (interface §6). */
export function createServiceVariant(dimensions: readonly GreaseDimension[], random: RandomSource) {
  const choices = chooseVariants(dimensions, random);
  const unknownFields = dimensions.includes("unknownFields") ? createUnknownFields(random) : null;
  /** The variants that a response or a delivery has had. */
  const applied = new Set<string>();
  /** The variants of every delivery. */
  const deliveryVariations = describeVariations(choices, [
    "unknownFields",
    "timestampFormat",
    "payloadForm",
    "headerCase",
  ]);

  /** Adds unknown fields to the document itself only. */
  const addToRoot = (document: object): object => unknownFields?.addToRoot(document) ?? document;

  return {
    choices,
    applied,
    deliveryVariations,
    addToRoot,

    /** Everything that is varied: `dimension=variant`. */
    variants: describeVariations(choices, GREASE_DIMENSIONS),

    /** Adds unknown fields to the document and to every object in it that the schema describes. */
    addEverywhere: (document: object, schema: TSchema): object =>
      unknownFields?.addEverywhere(document, schema) ?? document,

    /**
     * The bytes of a payload; every attempt sends the same.
     *
     * @param dataJson JSON text that takes the place of `data`, unchanged
     */
    renderPayload(payload: EventPayload, dataJson?: string): Buffer {
      const createdAt = formatRecordTime(payload.createdAt, choices.timestampFormat);
      const data = dataJson === undefined ? payload.data : DATA_PLACEHOLDER;
      const text = serializePayload(addToRoot({ ...payload, data, createdAt }), choices.payloadForm);
      if (dataJson === undefined) return Buffer.from(text);
      return Buffer.from(text.replace(JSON.stringify(DATA_PLACEHOLDER), () => dataJson));
    },

    /** @param at milliseconds */
    formatTimestamp: (at: number): string => formatHeaderTime(at, choices.timestampFormat),

    /** Varies the names only, not what is signed, and adds a header that lists the variants. */
    renderHeaders(pairs: HeaderList): HeaderList {
      if (deliveryVariations.length === 0) return pairs;
      for (const each of deliveryVariations) applied.add(each);
      const all = [...pairs, [GREASE_HEADER, deliveryVariations.join(", ")] as const];
      return all.map(([name, value]) => [formatHeaderName(name, choices.headerCase), value]);
    },
  };
}
