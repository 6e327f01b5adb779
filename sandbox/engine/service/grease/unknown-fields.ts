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

/** Two fields that no contract names, the same in each document: equal responses have equal bytes. */
export function createUnknownFields(random: RandomSource): UnknownFields {
  const draw = createRandomNumbers(random.hex("grease_unknown_fields", 16));
  const start = draw() % UNKNOWN_NAMES.length;
  const distance = 1 + (draw() % (UNKNOWN_NAMES.length - 1));
  const [first, last] = [start, start + distance].map(
    (index) => [UNKNOWN_NAMES[index % UNKNOWN_NAMES.length] ?? "", VALUES[draw() % VALUES.length]] as const,
  );

  // Without a spread, because "__proto__" is one of the names.
  const addToRoot = (document: object): object =>
    Object.fromEntries([first, ...Object.entries(document), last].filter((field) => field !== undefined));

  return {
    addToRoot,
    addEverywhere: (document, schema) =>
      mapDocument(document, schema as JsonSchema, (value, { properties }) =>
        isRecord(value) && properties ? addToRoot(value) : value,
      ) as object,
  };
}
