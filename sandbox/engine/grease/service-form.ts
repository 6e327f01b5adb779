import { Buffer } from "node:buffer";
import { GREASE_DIMENSIONS, GREASE_HEADER, type GreaseDimension } from "../../../src/contract/grease.ts";
import { isRecord } from "../../../src/domain/json.ts";
import type { HeaderList } from "../../../src/domain/webhooks/headers.ts";
import type { RandomSource } from "../random.ts";
import { type Choices, choicesOf, told } from "./choices.ts";
import { cased } from "./header-case.ts";
import { headerTime, recordTime } from "./times.ts";
import { UnknownFields } from "./unknown-fields.ts";

/** What a payload says, before it is bytes. */
interface Payload {
  readonly id: string;
  readonly type: string;
  readonly environment: string;
  /** RFC 3339 */
  readonly createdAt: string;
  readonly data: unknown;
}

/** What a service does its own way: the choices it has made, and what of a delivery follows from them (interface §6). */
export class ServiceForm {
  readonly choices: Choices;
  readonly unknown: UnknownFields | null;
  /** Everything that is varied: `dimension=variant`. */
  readonly varies: readonly string[];
  /** What of it an answer or a delivery has had. */
  readonly touched = new Set<string>();
  /** What of it every delivery has. */
  readonly deliveryVaried: readonly string[];

  constructor(dimensions: readonly GreaseDimension[], random: RandomSource) {
    this.choices = choicesOf(dimensions, random);
    this.unknown = dimensions.includes("unknownFields") ? new UnknownFields(random) : null;
    this.varies = told(this.choices, ...GREASE_DIMENSIONS);
    this.deliveryVaried = told(this.choices, "unknownFields", "timestampFormat", "payloadForm", "headerCase");
  }

  /** The bytes of a payload; every attempt sends the same. */
  payload(payload: Payload): Buffer {
    const createdAt = recordTime(payload.createdAt, this.choices.timestampFormat);
    const document = { ...payload, createdAt };
    return Buffer.from(formed(this.unknown?.around(document) ?? document, this.choices.payloadForm));
  }

  /** @param at milliseconds */
  timestamp(at: number): string {
    return headerTime(at, this.choices.timestampFormat);
  }

  /** What is signed is not touched: the names, and one more header that tells what is varied. */
  headers(pairs: HeaderList): HeaderList {
    const varied = this.deliveryVaried;
    for (const each of varied) this.touched.add(each);
    const all = varied.length === 0 ? pairs : [...pairs, [GREASE_HEADER, varied.join(", ")] as const];
    return all.map(([name, value]) => [cased(name, this.choices.headerCase), value]);
  }
}

function formed(document: object, form: Choices["payloadForm"]): string {
  switch (form) {
    case "sorted":
      return JSON.stringify(ordered(document, (names) => names.sort()));
    case "reversed":
      return JSON.stringify(ordered(document, (names) => names.reverse()));
    case "indented":
      return JSON.stringify(document, null, 2);
    case "spaced":
      return spaced(JSON.parse(JSON.stringify(document)));
    case "newline":
      return `${JSON.stringify(document)}\n`;
    case null:
      return JSON.stringify(document);
  }
}

/** The same document with the fields of every object in another order. */
function ordered(value: unknown, order: (names: string[]) => string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => ordered(each, order));
  if (!isRecord(value)) return value;
  return Object.fromEntries(order(Object.keys(value)).map((name) => [name, ordered(value[name], order)]));
}

/** With a space behind each comma and colon, as Python writes it. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${spaced(each)}`);
  return `{${fields.join(", ")}}`;
}
