import { Buffer } from "../buffer.ts";
import { Body } from "./body.ts";
import { BODY_FAULTS, type BodyFault } from "./body-faults.ts";
import { asGiven, type Depths, type Variant } from "./variant.ts";

/** Bytes up to which two faults of the body are undone together, and up to which all single ones are undone. */
const PAIRS_UP_TO = 64 << 10;
const ALL_UP_TO = 2 << 20;

/** Whether every variant of a body of that size is made: of a larger one, pairs of its own faults are left out. */
export const areAllMade = (bytes: number): boolean => bytes <= PAIRS_UP_TO;

/** The body as it was, with one fault undone, and with two; what comes out the same is there once. */
export function bodyVariants(bytes: Uint8Array): Depths<Buffer> {
  const seen = new SeenBytes();
  const body = new Body(bytes);
  seen.add(body.bytes);
  const rows =
    body.bytes.length <= ALL_UP_TO ? BODY_FAULTS : BODY_FAULTS.filter(({ atAnySize }) => atAnySize);
  const one = rows.flatMap((row) => undoing(row, body, asGiven(body.bytes), seen));
  if (!areAllMade(body.bytes.length)) return [[asGiven(body.bytes)], one.map(({ variant }) => variant), []];
  const two = one.flatMap(({ variant, row: first }) => {
    const next = new Body(variant.value);
    return rows
      .filter(({ stage, id }) => stage > first.stage && id !== first.id)
      .flatMap((row) => undoing(row, next, variant, seen));
  });
  return [[asGiven(body.bytes)], one.map(({ variant }) => variant), two.map(({ variant }) => variant)];
}

function undoing(
  row: BodyFault,
  body: Body,
  { steps }: Variant<Buffer>,
  seen: SeenBytes,
): { readonly variant: Variant<Buffer>; readonly row: BodyFault }[] {
  const undone = row.undo(body);
  if (undone === null) return [];
  const value =
    typeof undone === "string"
      ? Buffer.from(undone)
      : Buffer.from(undone.buffer, undone.byteOffset, undone.byteLength);
  return seen.add(value) ? [{ variant: { value, steps: [...steps, row] }, row }] : [];
}

/** Byte strings, each once. */
class SeenBytes {
  readonly #byLength = new Map<number, Buffer[]>();

  /** Whether it is new. */
  add(bytes: Buffer): boolean {
    const same = this.#byLength.get(bytes.length) ?? [];
    if (same.some((other) => other.equals(bytes))) return false;
    this.#byLength.set(bytes.length, [...same, bytes]);
    return true;
  }
}
