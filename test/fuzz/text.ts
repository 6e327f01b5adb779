import fc, { type Arbitrary } from "fast-check";
import { codePoint } from "../support/unicode.ts";

/** Text, or bytes as Latin-1. A long text is a repetition, so that it stays small in a corpus file and shrinks well. */
export type Pieces = readonly (string | readonly [text: string, times: number])[];

export const joinPieces = (pieces: Pieces): string =>
  pieces.map((piece) => (typeof piece === "string" ? piece : piece[0].repeat(piece[1]))).join("");

/** Values that programs have mistaken for something else. */
const HOSTILE_VALUES = [
  ...["", " ", "\t", "\0", "\r\n", "\u0085", "\u2028", "\u202e", "\u200b", "\ufeff", "\ud800", "\u001b[31m"],
  ...["\u{1f3f4}\u{e0067}", "e\u0301", "__proto__", "constructor", "toString", "hasOwnProperty"],
  ...["../../etc/passwd", "%00", "%2e%2e%2f", "%", "';--", "<script>", "{{7*7}}", "$" + "{7*7}"],
  ...["NaN", "-0", "1e309", "9007199254740993", "null", "undefined", "now", "next", "idle"],
];

/** What means something in JSON, or breaks it. */
export const JSON_DELIMITERS = [
  ...['"', "{", "}", "[", "]", ",", ":", "\\", "\\ud800", "\\u0000", "\0", "\n", "\r\n", "\ufeff"],
  ...["null", "true", "1e999", "-"],
];

/** Nearly always the one, rarely the other. */
export const mostly = <Usual, Odd>(usual: Arbitrary<Usual>, odd: Arbitrary<Odd>, usualToOdd = 12) =>
  fc.oneof({ weight: usualToOdd, arbitrary: usual }, { weight: 1, arbitrary: odd });

export const hostileText: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE_VALUES) },
  { weight: 2, arbitrary: fc.string() },
  { weight: 2, arbitrary: fc.string({ unit: codePoint }) },
);

/** Bytes, as Latin-1. */
export const latin1: Arbitrary<string> = fc.string({
  unit: fc.nat(255).map((code) => String.fromCharCode(code)),
});

/** A text with one long repetition of something, mostly short enough to be read often. */
export const repetition = (
  units: readonly string[],
  maxTimes: number,
): Arbitrary<readonly [string, number]> =>
  fc.tuple(
    fc.constantFrom(...units),
    fc.oneof({ weight: 6, arbitrary: fc.nat(200) }, { weight: 1, arbitrary: fc.nat(maxTimes) }),
  );

/** JSON that is nested, and closed again: a parser reads it, and what walks over the value may run out of stack. */
export const nesting: Arbitrary<Pieces> = fc
  .tuple(
    fc.constantFrom(["[", "]"] as const, ['{"a":', "}"] as const),
    fc.oneof({ weight: 1, arbitrary: fc.nat(600) }, { weight: 1, arbitrary: fc.nat(60_000) }),
  )
  .map(([[open, close], depth]): Pieces => [[open, depth], "1", [close, depth]]);

/** One replacement within a text. */
export interface Change {
  /** A position, modulo the length of the text. */
  readonly at: number;
  readonly removed: number;
  readonly insertion: string;
}

/** @param delimiters what means something in texts of this kind */
export const changeOf = (delimiters: readonly string[]): Arbitrary<Change> =>
  fc.record({
    at: fc.nat(1 << 20),
    removed: fc.oneof(fc.nat(3), fc.nat(40)),
    insertion: fc.oneof(fc.constantFrom(...delimiters), latin1, fc.constant("")),
  });

/** None, or sometimes a few. */
export const fewChanges = (delimiters: readonly string[], maxLength = 3, noneToSome = 3) =>
  mostly(
    fc.constant<readonly Change[]>([]),
    fc.array(changeOf(delimiters), { minLength: 1, maxLength }),
    noneToSome,
  );

export const applyChanges = (text: string, changes: readonly Change[]): string =>
  changes.reduce((changed, { at, removed, insertion }) => {
    const start = at % (changed.length + 1);
    return changed.slice(0, start) + insertion + changed.slice(start + removed);
  }, text);

/** JSON of a value, sometimes damaged. */
export const jsonText = (value: Arbitrary<unknown>): Arbitrary<Pieces> =>
  fc
    .tuple(value, fewChanges(JSON_DELIMITERS, 3, 10))
    .map(([each, changes]): Pieces => [applyChanges(JSON.stringify(each) ?? "null", changes)]);
