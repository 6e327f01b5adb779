import { ENTRY_FIELDS, type EntryField } from "../entry.ts";
import { TextPool } from "./text-pool.ts";

const BLANK_DAY = -0x8000_0000;

/** Stores the values of a field as 32-bit integers. */
interface FieldCodec {
  encode(value: unknown): number;
  decode(stored: number): unknown;
}

const DAY: FieldCodec = {
  encode: (day) => (day as number | null) ?? BLANK_DAY,
  decode: (stored) => (stored === BLANK_DAY ? null : stored),
};

const BOOLEAN: FieldCodec = { encode: (value) => (value === true ? 1 : 0), decode: (stored) => stored === 1 };

/** Each text field needs a pool of its own, because a pool finds the text of the previous row without a look-up. */
export function createFieldCodec(field: EntryField): FieldCodec {
  const kind = ENTRY_FIELDS[field];
  if (kind === "day" || kind === "day?") return DAY;
  return kind === "boolean" ? BOOLEAN : (new TextPool() as FieldCodec);
}
