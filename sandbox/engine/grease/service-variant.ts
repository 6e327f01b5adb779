import { Buffer } from "node:buffer";
import { GREASE_DIMENSIONS, GREASE_HEADER, type GreaseDimension } from "../../../src/contract/grease.ts";
import type { HeaderList } from "../../../src/domain/webhooks/headers.ts";
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

/** A service as the sandbox plays it: deliveries, and the case of header names. */
export type ServiceVariant = ReturnType<typeof createServiceVariant>;

/** What differs from the sandbox's own service. */
interface Differences {
  readonly choices: GreaseChoices;
  /** What is varied by chance. */
  readonly variedDimensions: readonly GreaseDimension[];
  /** Writes a payload with the names and forms of the service. */
  readonly rewritePayload: (payload: EventPayload) => object;
}

/** A service, and the deliveries that follow from its differences (interface §6). */
export function createServiceVariant({ choices, variedDimensions, rewritePayload }: Differences) {
  const describe = (...dimensions: GreaseDimension[]): string[] =>
    describeVariations(
      choices,
      dimensions.filter((each) => variedDimensions.includes(each)),
    );
  /** The variants that a response or a delivery has had. */
  const applied = new Set<string>();
  /** The variants of every delivery. */
  const deliveryVariations = describe("unknownFields", "timestampFormat", "payloadForm", "headerCase");

  return {
    choices,
    applied,
    deliveryVariations,

    /** Everything that is varied: `dimension=variant`. */
    variants: describe(...GREASE_DIMENSIONS),

    /** The variants of every response. */
    responseVariations: describe("headerCase"),

    /**
     * The bytes of a payload; every attempt sends the same.
     *
     * @param dataJson JSON text that takes the place of `data`, unchanged
     * @throws ClaimsError `validation_failed` if they are too many
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

    /** @param at milliseconds */
    formatTimestamp: (at: number): string => formatHeaderTime(at, choices.timestampFormat),

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
