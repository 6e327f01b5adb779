import type { TSchema } from "typebox";
import { createRandomNumbers } from "../../../src/domain/random-numbers.ts";
import type { RandomSource } from "../random.ts";
import { findDescribedShape, findFieldShape, type SchemaShape } from "./schema-shape.ts";

/** Names that the contract will never use and that a careless reader trips over. */
const UNKNOWN_NAMES: readonly string[] = [
  "@context",
  "_links",
  "x-trace.id",
  "schema version",
  "ключ 🧾",
  "line\nbreak",
  "",
  "42",
  "constructor",
  "__proto__",
];

/** Shapes that a field of somebody else's may have. */
const VALUES: readonly unknown[] = [
  null,
  false,
  -1e21,
  "",
  "2026-02-30T25:61:61Z",
  "naïve “quotes” \u001b[31m\u0000 \u202eעברית\t🧾",
  "long ".repeat(100),
  [],
  {},
  [[null], { deep: [{ deeper: [] }] }],
  { nested: { list: ["a", 1, null], empty: {} } },
];

/**
 * Fields that no contract names. Their two names and places are the sandbox's, drawn once; their values follow from the
 * document they are put into, so that the same answer is the same bytes whoever asked for something else in between.
 */
export class UnknownFields {
  readonly #salt: string;
  readonly #first: string;
  readonly #last: string;

  constructor(random: RandomSource) {
    this.#salt = random.hex("grease_unknown_fields", 16);
    const draw = createRandomNumbers(this.#salt);
    const first = draw() % UNKNOWN_NAMES.length;
    this.#first = UNKNOWN_NAMES[first] ?? "";
    this.#last =
      UNKNOWN_NAMES[(first + 1 + (draw() % (UNKNOWN_NAMES.length - 1))) % UNKNOWN_NAMES.length] ?? "";
  }

  /** Puts them into a document and into every object within that the schema gives fields; a map of data has none. */
  addEverywhere(document: object, schema: TSchema): object {
    return this.#walk(document, schema as SchemaShape, this.#drawValues(document)) as object;
  }

  /** Puts them into the document itself only. */
  addToRoot(document: object): object {
    return this.#addFields(document, this.#drawValues(document));
  }

  #drawValues(document: object): () => unknown {
    const draw = createRandomNumbers(this.#salt + JSON.stringify(document));
    return () => VALUES[draw() % VALUES.length];
  }

  #addFields(document: object, next: () => unknown): object {
    // No spread: of these, "__proto__" is a field like any other.
    return Object.fromEntries([[this.#first, next()], ...Object.entries(document), [this.#last, next()]]);
  }

  #walk(value: unknown, schema: SchemaShape, next: () => unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    const shape = findDescribedShape(schema);
    if (Array.isArray(value)) {
      const { items } = shape;
      return items ? value.map((item) => this.#walk(item, items, next)) : value;
    }
    const walked = Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        const innerShape = findFieldShape(shape, name);
        return [name, innerShape ? this.#walk(inner, innerShape, next) : inner];
      }),
    );
    return shape.properties ? this.#addFields(walked, next) : walked;
  }
}
