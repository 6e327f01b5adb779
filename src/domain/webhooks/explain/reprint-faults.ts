import { type BodyFault, fault, MAX_PAIRED_COST, STAGE, type Undo } from "./body-fault.ts";
import type { JsonStyle } from "./json-text.ts";

const stringify: Undo = ({ json }) => json?.stringify() ?? null;

/** @param space after separators; with an indent, after colons only */
const reprint = (
  cost: number,
  printer: string,
  space: JsonStyle["space"],
  strings: JsonStyle["strings"],
  indent?: string,
): BodyFault =>
  fault(
    "body.reserialized",
    STAGE.print,
    cost,
    `the body printed as ${printer}`,
    ({ json }) => json?.print({ space, strings, indent }) ?? null,
  );

/** Escapes with uppercase digits, as some printers write them; null for text without an escape. */
const toUppercaseEscapes = (text: string): string | null =>
  text.includes("\\u")
    ? text.replace(/\\u[0-9a-f]{4}/g, (unit) => `\\u${unit.slice(2).toUpperCase()}`)
    : null;

/** Of programs that parse numbers into doubles, as most do for amounts. */
const DOUBLE_STYLES = [
  ["Java (Jackson) or Ruby does", "java", "", "javascript"],
  ["Python's json.dumps does", "python", " ", "python"],
  ["Python's json.dumps does with ensure_ascii=False", "python", " ", "javascript"],
  ["compact JSON in ASCII (Python's separators)", "python", "", "python"],
  ["Ruby's JSON.generate does", "ruby", "", "javascript"],
  ["PHP's json_encode does", "javascript", "", "php"],
  ["Go's json.Marshal does", "javascript", "", "go"],
] as const;

/** Of maps, which printers of Go, and others on demand, sort. */
const SORTED_STYLES = [
  ["javascript", "", "javascript"],
  ["python", " ", "python"],
  ["go", "", "javascript"],
] as const;

/** The body printed again, in the styles of other languages. */
// biome-ignore format: a table, one row a line
export const REPRINT_FAULTS: readonly BodyFault[] = [
  reprint(1, "compact JSON (JSON.stringify)", "", "javascript"),
  fault("body.reserialized", STAGE.print, 2, "the body parsed and printed by JavaScript, its numbers too", stringify),
  reprint(2, "Python's json.dumps does", " ", "python"),
  reprint(2, "Python's json.dumps does with ensure_ascii=False", " ", "javascript"),
  reprint(2, "compact JSON in ASCII (Python's separators, PHP's JSON_UNESCAPED_SLASHES)", "", "python"),
  reprint(2, "PHP's json_encode does", "", "php"),
  reprint(2, "Go's json.Marshal does", "", "go"),
  reprint(2, "JSON indented by 2 spaces", " ", "javascript", "  "),
  reprint(3, "JSON indented by 4 spaces", " ", "javascript", "    "),
  ...DOUBLE_STYLES.map(([printer, floats, space, strings]) => fault("body.reserialized", STAGE.print, MAX_PAIRED_COST + 1, `the body printed as ${printer}, its numbers too`, ({ json }) => json?.printFloats(floats)?.print({ space, strings }) ?? null)),
  ...SORTED_STYLES.map(([strings, space, floats]) => fault("body.keys_sorted", STAGE.print, MAX_PAIRED_COST + 1, "JSON with sorted keys", ({ json }) => (json?.printFloats(floats) ?? json)?.sortKeys()?.print({ space, strings }) ?? null)),
  fault("body.reserialized", STAGE.print, 4, "JSON in ASCII with uppercase escapes", ({ json }) => toUppercaseEscapes(json?.print({ space: "", strings: "python" })?.toString() ?? "")),
];
