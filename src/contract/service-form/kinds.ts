import { UUID } from "../../domain/uuid.ts";

/** Kinds of texts, by the first pattern that matches, with an example of each that has nothing of a service. */
const TEXTS = {
  "empty text": [/^$/, ""],
  uuid: [UUID, "3f8e1c52-6d0b-4a7e-9b1f-0c5d7e2a4b68"],
  hash: [/^[0-9a-f]{64}$/i, "0".repeat(64)],
  URL: [/^https?:\/\//, "https://example.com/"],
  date: [/^\d{4}-\d\d-\d\d$/, "2026-01-15"],
  "time with fraction": [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/, "2026-01-15T09:30:00.000Z"],
  time: [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, "2026-01-15T09:30:00Z"],
  "time with fraction and offset": [
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+[+-]\d\d:?\d\d$/,
    "2026-01-15T09:30:00.000+00:00",
  ],
  "time with offset": [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:?\d\d$/, "2026-01-15T09:30:00+00:00"],
  "time without zone": [/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/, "2026-01-15 09:30:00"],
  "RFC 2822 time": [/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} /, "Thu, 15 Jan 2026 09:30:00 +0000"],
  "epoch seconds text": [/^1\d{9}$/, "1768469400"],
  "epoch milliseconds text": [/^1\d{12}$/, "1768469400000"],
  currency: [/^(USD|EUR|GBP|CAD|CHF|CNY|JPY|MXN)$/, "USD"],
  "integer text": [/^-?\d+$/, "1"],
  "decimal text": [/^-?\d+\.\d+$/, "1.50"],
  "decimal comma text": [/^-?\d+,\d+$/, "1,50"],
  "percent text": [/^-?\d+(\.\d+)?%$/, "1.5%"],
  "money text": [/^[A-Z]{3} -?\d+\.\d\d$/, "USD 1.50"],
  "true or false text": [/^(true|false)$/, "true"],
  "yes or no text": [/^(yes|no)$/, "yes"],
  "Y or N text": [/^[YN]$/, "Y"],
  text: [/^/, "example"],
} as const satisfies Record<string, readonly [RegExp, string]>;

const OTHERS = {
  ...{ integer: 1, decimal: 1.5, "epoch seconds": 1_768_469_400, "epoch milliseconds": 1_768_469_400_000 },
  ...{ boolean: true, null: null, list: [], "empty list": [], "empty object": {} },
};

type TextKind = keyof typeof TEXTS;
export type Kind = TextKind | keyof typeof OTHERS;

export const KINDS = [...Object.keys(TEXTS), ...Object.keys(OTHERS)] as readonly Kind[];

export const exampleOf = (kind: Kind): unknown =>
  kind in TEXTS ? TEXTS[kind as TextKind][1] : structuredClone(OTHERS[kind as keyof typeof OTHERS]);

/** The kind of a value, by which `form compare` decides whether two are alike; no value. */
export function describeKind(value: unknown): Kind {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "empty list" : "list";
  if (typeof value === "object") return "empty object";
  if (typeof value === "boolean") return "boolean";
  if (typeof value !== "number")
    return (Object.keys(TEXTS) as TextKind[]).find((kind) => TEXTS[kind][0].test(String(value))) ?? "text";
  if (!Number.isInteger(value)) return "decimal";
  if (value >= 1e12 && value < 1e13) return "epoch milliseconds";
  return value >= 1e9 && value < 1e10 ? "epoch seconds" : "integer";
}
