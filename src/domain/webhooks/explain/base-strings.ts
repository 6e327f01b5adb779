import type { CauseId } from "./causes.ts";
import { asGiven, type Depths, type Variant } from "./variant.ts";

/** How timestamp and body were put together before they were signed. */
export interface BaseString {
  readonly usesTimestamp: boolean;
  readonly parts: (timestamp: string, body: Uint8Array) => readonly (string | Uint8Array)[];
}

const row = (id: CauseId, undone: string, cost: number, parts: BaseString["parts"]): Variant<BaseString> => ({
  value: { usesTimestamp: true, parts },
  steps: [{ id, undone, cost }],
});

const DOCUMENTED: BaseString = { usesTimestamp: true, parts: (timestamp, body) => [`${timestamp}.`, body] };

const SEPARATORS = [":", ",", "\n", "-", "_", "|", " ", ";", "\r\n", "\0", "&", "+"];

const OTHERS: readonly Variant<BaseString>[] = [
  {
    value: { usesTimestamp: false, parts: (_, body) => [body] },
    steps: [{ id: "base.body_only", undone: "the body without the timestamp", cost: 1 }],
  },
  row("base.no_dot", "timestamp and body with nothing between them", 1, (timestamp, body) => [
    timestamp,
    body,
  ]),
  ...SEPARATORS.map((separator) =>
    row(
      "base.other_separator",
      `timestamp and body with ${JSON.stringify(separator)} between them`,
      2,
      (timestamp, body) => [timestamp + separator, body],
    ),
  ),
  ...[".", "", ":"].map((separator) =>
    row(
      "base.body_first",
      `the body, ${JSON.stringify(separator)}, then the timestamp`,
      2,
      (timestamp, body) => [body, separator + timestamp],
    ),
  ),
];

/** The documented base string, and those that are signed in its place. */
export const BASE_STRINGS: Depths<BaseString> = [() => [asGiven(DOCUMENTED)], () => OTHERS, () => []];
