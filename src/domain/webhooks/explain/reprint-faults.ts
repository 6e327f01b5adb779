import { isRecord } from "../../json.ts";
import { type BodyFault, fault, rareFault, STAGE, type Undo } from "./body-fault.ts";
import type { JsonStyle, ParsedBody } from "./json-text.ts";

const print =
  (space: JsonStyle["space"], strings: JsonStyle["strings"], more: Partial<JsonStyle> = {}) =>
  (body: ParsedBody): string | null =>
    body.print({ space, strings, ...more });

const reprinted = (printer: string, undo: Undo): BodyFault =>
  fault("body.reserialized", STAGE.print, `the body printed as ${printer}`, undo);

/** By programs that parse numbers into doubles, as most do for amounts. */
const withDoubles = (printer: string, undo: Undo): BodyFault =>
  rareFault("body.reserialized", STAGE.print, `the body printed as ${printer}, its numbers too`, undo);

/** Of maps, which printers of Go, and others on demand, sort. */
const sorted = (undo: Undo): BodyFault =>
  rareFault("body.keys_sorted", STAGE.print, "JSON with sorted keys", undo);

const addLineEnd = (text: string | null): string | null => (text === null ? null : `${text}\n`);

const stringify: Undo = ({ printableJson }) =>
  printableJson === undefined ? null : JSON.stringify(printableJson);

/** A time in UTC, as a value of JSON. */
const TIME = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|\+00:00)"/g;

const withoutZeros = (digits: string): string => digits.replace(/0+$/, "");

/** By models that read times: how they print the digits of the second's fraction, and the zone. */
const withTimes = (
  printer: string,
  printFraction: (digits: string) => string,
  zone: "Z" | "+00:00",
  undo: (body: ParsedBody) => string | null,
): BodyFault =>
  rareFault(
    "body.time_reprinted",
    STAGE.print,
    `the body with its times as ${printer} prints them`,
    (body) => {
      if (body.text?.search(TIME) === -1) return null;
      const printTime = (_: string, second: string, digits = ""): string => {
        const fraction = printFraction(digits);
        return `"${second}${fraction === "" ? "" : `.${fraction}`}${zone}"`;
      };
      return undo(body)?.replace(TIME, printTime) ?? null;
    },
  );

const toDigits = (count: number) => (digits: string) => digits.padEnd(count, "0").slice(0, count);
const toPythonDigits = (digits: string): string => (withoutZeros(digits) === "" ? "" : toDigits(6)(digits));

/** PHP and Go print the doubles of amounts as JavaScript does. */
const javascript = { numbers: "javascript" } as const;
const php = { ...javascript, hasArraysOnly: true } as const;
/** Without flags, with JSON_UNESCAPED_SLASHES, and with JSON_UNESCAPED_UNICODE too. */
const PHP_STRINGS = ["php", "python", "javascript"] as const;
const python = { numbers: "python" } as const;

/** The params of Rails have the names of the route, and mostly a copy of the body under the name of the controller. */
const removeRailsParams: Undo = ({ printableJson }) => {
  if (!isRecord(printableJson)) return null;
  const { controller, action, ...params } = printableJson;
  if (typeof controller !== "string" || typeof action !== "string") return null;
  const withoutCopy = Object.keys(params).map((name) => {
    const { [name]: copy, ...rest } = params;
    return { copy: JSON.stringify(copy), rest: JSON.stringify(rest) };
  });
  return withoutCopy.find(({ copy, rest }) => copy === rest)?.rest ?? JSON.stringify(params);
};

/** The body printed again, in the styles of other languages. */
// biome-ignore format: a table, one row a line
export const REPRINT_FAULTS: readonly BodyFault[] = [
  reprinted("compact JSON (JSON.stringify)", print("", "javascript")),
  fault("body.reserialized", STAGE.print, "the body parsed and printed by JavaScript, its numbers too", stringify),
  reprinted("Python's json.dumps does", print(" ", "python")),
  reprinted("Python's json.dumps does with ensure_ascii=False", print(" ", "javascript")),
  reprinted("compact JSON in ASCII (Python's separators, PHP's JSON_UNESCAPED_SLASHES)", print("", "python")),
  reprinted("PHP's json_encode does", print("", "php")),
  reprinted("Go's json.Marshal does", print("", "go")),
  reprinted("JSON indented by 2 spaces", print(" ", "javascript", { indent: 2 })),
  reprinted("JSON indented by 4 spaces", print(" ", "javascript", { indent: 4 })),
  // Java and Ruby print exponents in forms of their own, which amounts of money do not have.
  withDoubles("Jackson of Java and JSON.generate of Ruby do", print("", "javascript", python)),
  withDoubles("Python's json.dumps does", print(" ", "python", python)),
  withDoubles("Python's json.dumps does with ensure_ascii=False", print(" ", "javascript", python)),
  withDoubles("compact JSON in ASCII (Python's separators)", print("", "python", python)),
  ...PHP_STRINGS.map((strings) => withDoubles("PHP's json_encode does", print("", strings, php))),
  withDoubles("Go's json.Marshal does", print("", "go", javascript)),
  sorted(print("", "javascript", { hasSortedKeys: true })),
  sorted(print("", "javascript", { ...javascript, hasSortedKeys: true })),
  sorted(print(" ", "python", { ...python, hasSortedKeys: true })),
  sorted(print("", "go", { ...javascript, hasSortedKeys: true })),
  // Encoder.Encode of Go ends with a line end.
  sorted((body) => addLineEnd(print("", "go", { ...javascript, hasSortedKeys: true })(body))),
  reprinted("JSON in ASCII with uppercase escapes", print("", "uppercase")),
  rareFault("body.reserialized", STAGE.print, "the body printed as JsonSerializer of .NET does", print("", "dotnet")),
  withDoubles("JsonSerializer of .NET does", print("", "dotnet", javascript)),
  ...PHP_STRINGS.map((strings) => rareFault("body.strings_changed", STAGE.print, "the body with trimmed strings and null for empty ones, as PHP prints a request of Laravel", print("", strings, { ...php, hasTrimmedStrings: true }))),
  rareFault("body.strings_changed", STAGE.print, 'the body with "" for its nulls, as before Laravel read it', (body) => print("", "javascript")(body)?.replace(/(?<=[:,[])null(?=[,\]}])/g, '""') ?? null),
  rareFault("body.reserialized", STAGE.print, "the body without what Rails adds to its params: controller, action and a copy", removeRailsParams),
  withTimes("JavaScript", toDigits(3), "Z", print("", "javascript", javascript)),
  withTimes("RFC 3339 without zeros", withoutZeros, "Z", print("", "javascript")),
  withTimes("Python's isoformat", toPythonDigits, "+00:00", print(" ", "python", python)),
  withTimes("Python's isoformat", toPythonDigits, "+00:00", print(" ", "javascript", python)),
  withTimes("Python's isoformat", toPythonDigits, "+00:00", print("", "javascript", python)),
];
