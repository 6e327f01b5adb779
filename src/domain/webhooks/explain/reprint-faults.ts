import { type BodyFault, fault, rareFault, STAGE, type Undo } from "./body-fault.ts";
import type { JsonStyle } from "./json-text.ts";

const print =
  (space: JsonStyle["space"], strings: JsonStyle["strings"], more: Partial<JsonStyle> = {}): Undo =>
  (body) =>
    body.print({ space, strings, ...more });

const reprinted = (printer: string, undo: Undo): BodyFault =>
  fault("body.reserialized", STAGE.print, `the body printed as ${printer}`, undo);

/** By programs that parse numbers into doubles, as most do for amounts. */
const withDoubles = (printer: string, undo: Undo): BodyFault =>
  rareFault("body.reserialized", STAGE.print, `the body printed as ${printer}, its numbers too`, undo);

/** Of maps, which printers of Go, and others on demand, sort. */
const sorted = (undo: Undo): BodyFault =>
  rareFault("body.keys_sorted", STAGE.print, "JSON with sorted keys", undo);

const stringify: Undo = ({ printableJson }) =>
  printableJson === undefined ? null : JSON.stringify(printableJson);

/** Escapes with uppercase digits, as some printers write them; null for text without an escape. */
const printUppercaseEscapes: Undo = (body) => {
  const text = body.print({ space: "", strings: "python" });
  if (!text?.includes("\\u")) return null;
  return text.replace(/\\u[0-9a-f]{4}/g, (unit) => `\\u${unit.slice(2).toUpperCase()}`);
};

/** PHP and Go print the doubles of amounts as JavaScript does. */
const javascript = { numbers: "javascript" } as const;
const python = { numbers: "python" } as const;

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
  reprinted("JSON indented by 2 spaces", print(" ", "javascript", { indent: "  " })),
  reprinted("JSON indented by 4 spaces", print(" ", "javascript", { indent: "    " })),
  withDoubles("Java (Jackson) does", print("", "javascript", { numbers: "java" })),
  withDoubles("Ruby's JSON.generate does", print("", "javascript", { numbers: "ruby" })),
  withDoubles("Python's json.dumps does", print(" ", "python", python)),
  withDoubles("Python's json.dumps does with ensure_ascii=False", print(" ", "javascript", python)),
  withDoubles("compact JSON in ASCII (Python's separators)", print("", "python", python)),
  withDoubles("PHP's json_encode does", print("", "php", javascript)),
  withDoubles("Go's json.Marshal does", print("", "go", javascript)),
  sorted(print("", "javascript", { hasSortedKeys: true })),
  sorted(print("", "javascript", { ...javascript, hasSortedKeys: true })),
  sorted(print(" ", "python", { ...python, hasSortedKeys: true })),
  sorted(print("", "go", { ...javascript, hasSortedKeys: true })),
  fault("body.reserialized", STAGE.print, "JSON in ASCII with uppercase escapes", printUppercaseEscapes),
];
