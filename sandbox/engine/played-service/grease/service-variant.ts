import { Buffer } from "node:buffer";
import { GREASE_DIMENSIONS, GREASE_HEADER, type GreaseDimension } from "../../../../src/contract/grease.ts";
import type { HeaderList } from "../../../../src/domain/http-headers.ts";
import { describeVariations, type GreaseChoices } from "./choices.ts";
import { formatHeaderName, formatHeaderTime, requirePayloadSize, serializePayload } from "./formats.ts";

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

interface Differences {
  readonly choices: GreaseChoices;
  readonly variedDimensions: readonly GreaseDimension[];
  readonly rewritePayload: (payload: EventPayload) => object;
}

export function createServiceVariant({ choices, variedDimensions, rewritePayload }: Differences) {
  const describe = (...dimensions: GreaseDimension[]): string[] =>
    describeVariations(
      choices,
      dimensions.filter((each) => variedDimensions.includes(each)),
    );
  const applied = new Set<string>();
  const deliveryVariations = describe("unknownFields", "timestampFormat", "payloadForm", "headerCase");

  return {
    choices,
    applied,
    /** @param at milliseconds */
    formatTimestamp: (at: number): string => formatHeaderTime(at, choices.timestampFormat),
    deliveryVariations,

    variants: describe(...GREASE_DIMENSIONS),

    responseVariations: describe("headerCase"),

    /**
     * The bytes of a payload.
     *
     * @param dataJson replaces `data`, unchanged.
     * @throws ClaimsError `validation_failed`: too many
     */
    renderPayload(payload: EventPayload, dataJson?: string): Buffer {
      const data = dataJson === undefined ? payload.data : DATA_PLACEHOLDER;
      const text = serializePayload(rewritePayload({ ...payload, data }), choices.payloadForm);
      const bytes = Buffer.from(
        dataJson === undefined ? text : text.replace(JSON.stringify(DATA_PLACEHOLDER), () => dataJson),
      );
      requirePayloadSize(bytes.length);
      return bytes;
    },

    /** Changes the names only, not what is signed, and adds a header that lists the variants. */
    renderHeaders(pairs: HeaderList): HeaderList {
      for (const each of deliveryVariations) applied.add(each);
      const all =
        deliveryVariations.length === 0
          ? pairs
          : [...pairs, [GREASE_HEADER, deliveryVariations.join(", ")] as const];
      if (choices.headerCase === null) return all;
      return all.map(([name, value]) => [formatHeaderName(name, choices.headerCase), value]);
    },
  };
}
