import { hash } from "node:crypto";
import { Buffer } from "../buffer.ts";
import { type BodyContext, type BodyFault, STAGE } from "./body-fault.ts";
import { BODY_FAULTS } from "./body-faults.ts";
import { ParsedBody } from "./json-text.ts";
import { type Variant, withoutFaults } from "./variants.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

/** Largest body of which two faults are undone together, and rare ones alone. */
const MAX_BYTES_FOR_PAIRS = 64 << 10;

/** A body with one fault undone, or with one more. */
interface BodyVariant extends Variant<Buffer> {
  readonly faults: readonly BodyFault[];
}

/**
 * The variants of a body, each once. They are made one at a time when they are tried: together those of a large body could
 * take many times its memory.
 */
export class BodyVariants {
  readonly original: Variant<Buffer>;
  /** Those with one fault undone that occurs together with others. */
  readonly paired: BodyVariant[] = [];
  readonly #body: ParsedBody;
  readonly #work: WorkBudget;
  readonly #context: BodyContext;
  readonly #isLarge: boolean;
  readonly #seen = new Set<string>();
  #isMade = false;

  constructor(body: ParsedBody, work: WorkBudget, context: BodyContext) {
    this.#context = context;
    this.#body = body;
    this.#work = work;
    this.#isLarge = body.bytes.length > MAX_BYTES_FOR_PAIRS;
    this.original = withoutFaults(body.bytes);
    this.#isNew(body.bytes);
  }

  *undoOneFault(): Generator<Variant<Buffer>> {
    if (this.#isMade) {
      yield* this.paired;
      return;
    }
    this.#isMade = true;
    for (const fault of BODY_FAULTS) {
      const variant = this.#isLarge && fault.isRare ? null : this.#undo(fault, this.#body, []);
      if (variant === null) continue;
      if (!this.#isLarge && !fault.isRare) this.paired.push(variant);
      yield variant;
    }
  }

  /** Leaves out large bodies. */
  *undoTwoFaults(): Generator<Variant<Buffer>> {
    if (this.#isLarge) this.#work.markIncomplete();
    for (const { value, faults } of this.paired) {
      const body = new ParsedBody(value, this.#work);
      for (const next of BODY_FAULTS) {
        if (next.isRare || !faults.every((first) => canFollow(first, next))) continue;
        const variant = this.#undo(next, body, faults);
        if (variant !== null) yield variant;
      }
    }
  }

  /** The body that was signed if it has this fault; null where that is impossible, known or beyond the budget. */
  #undo(fault: BodyFault, body: ParsedBody, before: readonly BodyFault[]): BodyVariant | null {
    if (!this.#work.trySpend(body.bytes.length)) return null;
    const result = fault.undo(body, this.#context);
    if (result === null) return null;
    const value =
      typeof result === "string"
        ? Buffer.from(result)
        : Buffer.from(result.buffer, result.byteOffset, result.byteLength);
    this.#work.charge((body.bytes.length + value.length) * COST.byteUndone);
    return this.#isNew(value) ? { value, faults: [...before, fault] } : null;
  }

  #isNew(bytes: Buffer): boolean {
    this.#work.charge(bytes.length * COST.byteHashed);
    const digest = hash("sha256", bytes, "binary");
    return !this.#seen.has(digest) && Boolean(this.#seen.add(digest));
  }
}

/** Faults that wrap a body occur in any order, and twice, as in base64 of base64. */
const canFollow = (first: BodyFault, next: BodyFault): boolean =>
  (first.stage === STAGE.wrap && next.stage === STAGE.wrap) ||
  (next.stage > first.stage && next.id !== first.id);
