import type { TSchema } from "typebox";
import type { JsonSchema } from "../../../../src/contract/json-schema.ts";
import { mapDocument } from "../../../../src/contract/mapping/values.ts";
import { isRecord } from "../../../../src/domain/json.ts";
import { createRandomNumbers } from "../../../../src/domain/random-numbers.ts";
import type { RandomSource } from "../../random.ts";

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

export interface UnknownFields {
  /** Adds them to a document and to every object in it whose fields the schema lists; not to a map. */
  addEverywhere(document: object, schema: TSchema): object;
  addToRoot(document: object): object;
}

export const NO_UNKNOWN_FIELDS: UnknownFields = {
  addEverywhere: (document) => document,
  addToRoot: (document) => document,
};

/** Two fields that no contract names. Their values follow from the document, so that equal responses have equal bytes. */
export function createUnknownFields(random: RandomSource): UnknownFields {
  const salt = random.hex("grease_unknown_fields", 16);
  const drawName = createRandomNumbers(salt);
  const firstIndex = drawName() % UNKNOWN_NAMES.length;
  const lastIndex = (firstIndex + 1 + (drawName() % (UNKNOWN_NAMES.length - 1))) % UNKNOWN_NAMES.length;
  const [first = "", last = ""] = [UNKNOWN_NAMES[firstIndex], UNKNOWN_NAMES[lastIndex]];

  const drawValues = (document: object): (() => unknown) => {
    const draw = createRandomNumbers(salt + JSON.stringify(document));
    return () => VALUES[draw() % VALUES.length];
  };

  // Without a spread, because "__proto__" is one of the names.
  const addFields = (document: object, next: () => unknown): object =>
    Object.fromEntries([[first, next()], ...Object.entries(document), [last, next()]]);

  return {
    addEverywhere(document, schema) {
      const next = drawValues(document);
      return mapDocument(document, schema as JsonSchema, (value, { properties }) =>
        isRecord(value) && properties ? addFields(value, next) : value,
      ) as object;
    },

    addToRoot: (document) => addFields(document, drawValues(document)),
  };
}
