import { Buffer } from "node:buffer";
import { GREASE_DIMENSIONS, GREASE_HEADER, type GreaseDimension } from "../../../src/contract/grease.ts";
import { isRecord } from "../../../src/domain/json.ts";
import type { HeaderList } from "../../../src/domain/webhooks/headers.ts";
import type { RandomSource } from "../random.ts";
import { chooseVariants, describeVariations, type GreaseChoices } from "./choices.ts";
import { formatHeaderName } from "./header-case.ts";
import { formatHeaderTime, formatRecordTime } from "./times.ts";
import { UnknownFields } from "./unknown-fields.ts";

/** What a payload says, before it is bytes. */
interface EventPayload {
  readonly id: string;
  readonly type: string;
  readonly environment: string;
  /** RFC 3339 */
  readonly createdAt: string;
  readonly data: unknown;
}

/** What a service does its own way: the choices it has made, and what of a delivery follows from them (interface §6). */
export class ServiceVariant {
  readonly choices: GreaseChoices;
  readonly unknownFields: UnknownFields | null;
  /** Everything that is varied: `dimension=variant`. */
  readonly variants: readonly string[];
  /** What of it an answer or a delivery has had. */
  readonly applied = new Set<string>();
  /** What of it every delivery has. */
  readonly deliveryVariations: readonly string[];

  constructor(dimensions: readonly GreaseDimension[], random: RandomSource) {
    this.choices = chooseVariants(dimensions, random);
    this.unknownFields = dimensions.includes("unknownFields") ? new UnknownFields(random) : null;
    this.variants = describeVariations(this.choices, ...GREASE_DIMENSIONS);
    this.deliveryVariations = describeVariations(
      this.choices,
      "unknownFields",
      "timestampFormat",
      "payloadForm",
      "headerCase",
    );
  }

  /** The bytes of a payload; every attempt sends the same. */
  renderPayload(payload: EventPayload): Buffer {
    const createdAt = formatRecordTime(payload.createdAt, this.choices.timestampFormat);
    const document = { ...payload, createdAt };
    return Buffer.from(
      serializePayload(this.unknownFields?.addToRoot(document) ?? document, this.choices.payloadForm),
    );
  }

  /** @param at milliseconds */
  formatTimestamp(at: number): string {
    return formatHeaderTime(at, this.choices.timestampFormat);
  }

  /** What is signed is not touched: the names, and one more header that tells what is varied. */
  renderHeaders(pairs: HeaderList): HeaderList {
    const varied = this.deliveryVariations;
    for (const each of varied) this.applied.add(each);
    const all = varied.length === 0 ? pairs : [...pairs, [GREASE_HEADER, varied.join(", ")] as const];
    return all.map(([name, value]) => [formatHeaderName(name, this.choices.headerCase), value]);
  }
}

function serializePayload(document: object, form: GreaseChoices["payloadForm"]): string {
  switch (form) {
    case "sorted":
      return JSON.stringify(reorderFields(document, (names) => names.sort()));
    case "reversed":
      return JSON.stringify(reorderFields(document, (names) => names.reverse()));
    case "indented":
      return JSON.stringify(document, null, 2);
    case "spaced":
      return serializeWithSpaces(JSON.parse(JSON.stringify(document)));
    case "newline":
      return `${JSON.stringify(document)}\n`;
    case null:
      return JSON.stringify(document);
  }
}

/** The same document with the fields of every object in another order. */
function reorderFields(value: unknown, order: (names: string[]) => string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => reorderFields(each, order));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    order(Object.keys(value)).map((name) => [name, reorderFields(value[name], order)]),
  );
}

/** With a space behind each comma and colon, as Python writes it. */
function serializeWithSpaces(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(serializeWithSpaces).join(", ")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}: ${serializeWithSpaces(each)}`,
  );
  return `{${fields.join(", ")}}`;
}
