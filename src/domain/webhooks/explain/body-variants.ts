import { createHash } from "node:crypto";
import { isRecord } from "../../json.ts";
import { Buffer } from "../buffer.ts";
import { BODY_FAULTS, type BodyFault } from "./body-faults.ts";
import { ParsedBody } from "./parsed-body.ts";
import { type Variant, withoutFaults } from "./variant.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

/** Bytes of a body up to which two of its faults are undone together. */
const MAX_BYTES_FOR_PAIRS = 64 << 10;

/** Bytes of variants that are kept for pairs with a fault of something else. */
const MAX_KEPT_BYTES = 32 << 20;

/** The stages in which a body is unwrapped, and not yet printed another way. */
const LAST_UNWRAPPING_STAGE = 2;

interface KeptVariant {
  readonly variant: Variant<Buffer>;
  readonly row: BodyFault;
}

/**
 * The variants of a body. They are made one at a time, as they are tried: all of them together could take many times
 * the room of the body. What comes out the same is there once.
 */
export class BodyVariants {
  readonly original: Variant<Buffer>;
  readonly #body: ParsedBody;
  readonly #work: WorkBudget;
  readonly #seen = new Set<string>();
  readonly #kept: KeptVariant[] = [];
  #keptBytes = 0;
  #isMade = false;

  constructor(body: ParsedBody, work: WorkBudget) {
    this.#body = body;
    this.#work = work;
    this.original = withoutFaults(body.bytes);
    this.#isNew(body.bytes);
  }

  /** Makes those with one fault undone. */
  *undoOneFault(): Generator<Variant<Buffer>> {
    if (this.#isMade) {
      yield* this.listKept();
      return;
    }
    this.#isMade = true;
    for (const row of BODY_FAULTS) {
      const variant = this.#undo(row, this.#body, this.original);
      if (variant === null) continue;
      this.#keep({ variant, row });
      yield variant;
    }
  }

  /** Those with one fault undone that have been made and kept. */
  listKept(): readonly Variant<Buffer>[] {
    return this.#kept.map(({ variant }) => variant);
  }

  /** Makes those with two faults undone, of a body that is not large. */
  *undoTwoFaults(): Generator<Variant<Buffer>> {
    if (this.#body.bytes.length > MAX_BYTES_FOR_PAIRS) {
      this.#work.markIncomplete();
      return;
    }
    for (const { variant: first, row } of this.#kept) {
      const body = new ParsedBody(first.value, this.#work);
      for (const next of BODY_FAULTS) {
        if (next.stage <= row.stage || next.id === row.id) continue;
        const variant = this.#undo(next, body, first);
        if (variant !== null) yield variant;
      }
    }
  }

  #undo(row: BodyFault, body: ParsedBody, { faults: steps }: Variant<Buffer>): Variant<Buffer> | null {
    const value = undoFault(row, body, this.#work);
    return value !== null && this.#isNew(value) ? { value, faults: [...steps, row] } : null;
  }

  #keep(undone: KeptVariant): void {
    const { length } = undone.variant.value;
    if (this.#keptBytes + length > MAX_KEPT_BYTES) {
      this.#work.markIncomplete();
      return;
    }
    this.#keptBytes += length;
    this.#kept.push(undone);
  }

  #isNew(bytes: Buffer): boolean {
    this.#work.charge(bytes.length * COST.byteHashed);
    const digest = createHash("sha256").update(bytes).digest("base64");
    return !this.#seen.has(digest) && Boolean(this.#seen.add(digest));
  }
}

/** The payload in a body, also where the body has to be unwrapped first; undefined where there is none. */
export function findPayload(body: ParsedBody, work: WorkBudget): unknown {
  if (isRecord(body.json?.value)) return body.json.value;
  for (const row of BODY_FAULTS) {
    const value = row.stage <= LAST_UNWRAPPING_STAGE ? undoFault(row, body, work) : null;
    const payload = value === null ? undefined : new ParsedBody(value, work).json?.value;
    if (isRecord(payload)) return payload;
  }
  return undefined;
}

/** The body as it was signed, if this fault is in it; null where it cannot be, or where that is out of bounds. */
function undoFault(row: BodyFault, body: ParsedBody, work: WorkBudget): Buffer | null {
  if (!work.trySpend(body.bytes.length * COST.byteCopied)) return null;
  const result = row.undo(body);
  if (result === null) return null;
  const bytes =
    typeof result === "string"
      ? Buffer.from(result)
      : Buffer.from(result.buffer, result.byteOffset, result.byteLength);
  work.charge((body.bytes.length + bytes.length) * (row.costPerByte ?? COST.byteCopied));
  return bytes;
}
