import type { CauseId } from "./causes.ts";
import { type Variant, type VariantsByFaultCount, withoutFaults } from "./variant.ts";

/** How timestamp and body were put together before they were signed. */
export interface BaseString {
  readonly usesTimestamp: boolean;
  readonly join: (timestamp: string, body: Uint8Array) => readonly (string | Uint8Array)[];
}

const withTimestamp = (
  id: CauseId,
  undone: string,
  cost: number,
  parts: BaseString["join"],
): Variant<BaseString> => ({
  value: { usesTimestamp: true, join: parts },
  faults: [{ id, description: undone, cost }],
});

const DOCUMENTED_BASE_STRING: BaseString = {
  usesTimestamp: true,
  join: (timestamp, body) => [`${timestamp}.`, body],
};

const SEPARATORS = [":", ",", "\n", "-", "_", "|", " ", ";", "\r\n", "\0", "&", "+"];

const OTHER_BASE_STRINGS: readonly Variant<BaseString>[] = [
  {
    value: { usesTimestamp: false, join: (_, body) => [body] },
    faults: [{ id: "base.body_only", description: "the body without the timestamp", cost: 1 }],
  },
  withTimestamp("base.no_dot", "timestamp and body with nothing between them", 1, (timestamp, body) => [
    timestamp,
    body,
  ]),
  ...SEPARATORS.map((separator) =>
    withTimestamp(
      "base.other_separator",
      `timestamp and body with ${JSON.stringify(separator)} between them`,
      2,
      (timestamp, body) => [timestamp + separator, body],
    ),
  ),
  ...[".", "", ":"].map((separator) =>
    withTimestamp(
      "base.body_first",
      `the body, ${JSON.stringify(separator)}, then the timestamp`,
      2,
      (timestamp, body) => [body, separator + timestamp],
    ),
  ),
];

/** The documented base string, and those that are signed in its place. */
export const BASE_STRINGS: VariantsByFaultCount<BaseString> = [
  () => [withoutFaults(DOCUMENTED_BASE_STRING)],
  () => OTHER_BASE_STRINGS,
  () => [],
];
