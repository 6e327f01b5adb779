import { Buffer } from "node:buffer";
import type { TSchema } from "typebox";
import { GREASE_DIMENSIONS, GREASE_HEADER, type GreaseDimension } from "../../../src/contract/grease.ts";
import type { HeaderList } from "../../../src/domain/webhooks/headers.ts";
import type { RandomSource } from "../random.ts";
import { chooseVariants, describeVariations, type GreaseChoices } from "./choices.ts";
import { formatHeaderName, formatHeaderTime, formatRecordTime, serializePayload } from "./formats.ts";
import { UnknownFields } from "./unknown-fields.ts";

interface EventPayload {
  readonly id: string;
  readonly type: string;
  readonly environment: string;
  /** RFC 3339 */
  readonly createdAt: string;
  readonly data: unknown;
}

/** The variant of the service that a sandbox plays: its choices, and the deliveries that follow from them (interface §6). */
export class ServiceVariant {
  readonly choices: GreaseChoices;
  readonly #unknownFields: UnknownFields | null;
  /** Everything that is varied: `dimension=variant`. */
  readonly variants: readonly string[];
  /** The variants that a response or a delivery has had. */
  readonly applied = new Set<string>();
  /** The variants of every delivery. */
  readonly deliveryVariations: readonly string[];

  constructor(dimensions: readonly GreaseDimension[], random: RandomSource) {
    this.choices = chooseVariants(dimensions, random);
    this.#unknownFields = dimensions.includes("unknownFields") ? new UnknownFields(random) : null;
    this.variants = describeVariations(this.choices, GREASE_DIMENSIONS);
    const ofDeliveries = ["unknownFields", "timestampFormat", "payloadForm", "headerCase"] as const;
    this.deliveryVariations = describeVariations(this.choices, ofDeliveries);
  }

  /** Adds unknown fields to the document itself only. */
  addToRoot = (document: object): object => this.#unknownFields?.addToRoot(document) ?? document;

  /** Adds unknown fields to the document and to every object in it that the schema describes. */
  addEverywhere = (document: object, schema: TSchema): object =>
    this.#unknownFields?.addEverywhere(document, schema) ?? document;

  /** The bytes of a payload; every attempt sends the same. */
  renderPayload(payload: EventPayload): Buffer {
    const createdAt = formatRecordTime(payload.createdAt, this.choices.timestampFormat);
    return Buffer.from(serializePayload(this.addToRoot({ ...payload, createdAt }), this.choices.payloadForm));
  }

  /** @param at milliseconds */
  formatTimestamp(at: number): string {
    return formatHeaderTime(at, this.choices.timestampFormat);
  }

  /** Varies the names only, not what is signed, and adds a header that lists the variants. */
  renderHeaders(pairs: HeaderList): HeaderList {
    const varied = this.deliveryVariations;
    for (const each of varied) this.applied.add(each);
    const all = varied.length === 0 ? pairs : [...pairs, [GREASE_HEADER, varied.join(", ")] as const];
    return all.map(([name, value]) => [formatHeaderName(name, this.choices.headerCase), value]);
  }
}
