import { hash } from "node:crypto";
import { isRecord } from "../../json.ts";
import { Buffer } from "../buffer.ts";
import { type BodyContext, type BodyFault, MAX_PAIRED_COST, STAGE } from "./body-fault.ts";
import { BODY_FAULTS } from "./body-faults.ts";
import { ParsedBody } from "./json-text.ts";
import { createVariant, type Variant, withoutFaults } from "./variants.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

/** Largest body of which two faults are undone together, and rare ones alone. */
const MAX_BYTES_FOR_PAIRS = 64 << 10;

/** Dumps are long, and a signature of one is rarely on a delivery. */
const MAX_BYTES_FOR_DUMPS = 8 << 10;

/** Bytes of variants to keep for pairs with a fault of something else. */
const MAX_KEPT_BYTES = 32 << 20;

/** Up to this stage a fault unwraps a body; later ones print it in another style. */
const LAST_UNWRAPPING_STAGE = STAGE.charset;

/** A body with one fault undone, or with one more. */
interface BodyVariant extends Variant<Buffer> {
  readonly lastFault: BodyFault;
}

/**
 * The variants of a body, each once. They are made one at a time when they are tried: together they could take many times
 * the memory of the body.
 */
export class BodyVariants {
  readonly original: Variant<Buffer>;
  readonly #body: ParsedBody;
  readonly #work: WorkBudget;
  readonly #context: BodyContext;
  readonly #seen = new Set<string>();
  /** The variants with one fault undone. */
  readonly kept: BodyVariant[] = [];
  #keptBytes = 0;
  #isMade = false;

  constructor(body: ParsedBody, work: WorkBudget, context: BodyContext) {
    this.#context = context;
    this.#body = body;
    this.#work = work;
    this.original = withoutFaults(body.bytes);
    this.#isNew(body.bytes);
  }

  *undoOneFault(): Generator<Variant<Buffer>> {
    if (this.#isMade) {
      yield* this.kept;
      return;
    }
    this.#isMade = true;
    const { length } = this.#body.bytes;
    const isLarge = length > MAX_BYTES_FOR_PAIRS;
    const hasDumps = this.#context.isComputed || length <= MAX_BYTES_FOR_DUMPS;
    for (const fault of BODY_FAULTS) {
      if (fault.id === "body.dump" && !hasDumps) continue;
      if (isLarge && fault.cost > MAX_PAIRED_COST) {
        this.#work.markIncomplete();
        continue;
      }
      const variant = this.#undo(fault, this.#body, this.original);
      if (variant === null) continue;
      if (fault.cost <= MAX_PAIRED_COST) this.#keep(variant);
      yield variant;
    }
  }

  /** Leaves out large bodies. */
  *undoTwoFaults(): Generator<Variant<Buffer>> {
    if (this.#body.bytes.length > MAX_BYTES_FOR_PAIRS) {
      this.#work.markIncomplete();
      return;
    }
    for (const first of this.kept) {
      const body = new ParsedBody(first.value, this.#work);
      for (const next of BODY_FAULTS) {
        if (next.cost > MAX_PAIRED_COST || !canFollow(first.lastFault, next)) continue;
        const variant = this.#undo(next, body, first);
        if (variant !== null) yield variant;
      }
    }
  }

  #undo(fault: BodyFault, body: ParsedBody, { faults }: Variant<Buffer>): BodyVariant | null {
    const value = undoFault(fault, body, this.#context, this.#work);
    return value !== null && this.#isNew(value)
      ? { ...createVariant(value, [...faults, fault]), lastFault: fault }
      : null;
  }

  #keep(variant: BodyVariant): void {
    const { length } = variant.value;
    if (this.#keptBytes + length > MAX_KEPT_BYTES) {
      this.#work.markIncomplete();
      return;
    }
    this.#keptBytes += length;
    this.kept.push(variant);
  }

  #isNew(bytes: Buffer): boolean {
    this.#work.charge(bytes.length * COST.byteHashed);
    const digest = hash("sha256", bytes, "binary");
    return !this.#seen.has(digest) && Boolean(this.#seen.add(digest));
  }
}

/** Faults that wrap a body occur in any order, and twice, as in base64 of base64. */
const canFollow = (first: BodyFault, next: BodyFault): boolean =>
  first.stage === STAGE.wrap && next.stage === STAGE.wrap
    ? true
    : next.stage > first.stage && next.id !== first.id;

/** The payload of a body, unwrapped first if necessary; undefined if there is none. */
export function findPayload(body: ParsedBody, context: BodyContext, work: WorkBudget): unknown {
  if (isRecord(body.json?.value)) return body.json.value;
  for (const fault of BODY_FAULTS) {
    const value = fault.stage <= LAST_UNWRAPPING_STAGE ? undoFault(fault, body, context, work) : null;
    const payload = value === null ? undefined : new ParsedBody(value, work).json?.value;
    if (isRecord(payload)) return payload;
  }
  return undefined;
}

/** The body that was signed if it has this fault; null where that is impossible or exceeds the budget. */
function undoFault(fault: BodyFault, body: ParsedBody, context: BodyContext, work: WorkBudget) {
  if (!work.trySpend(body.bytes.length * COST.byteCopied)) return null;
  const result = fault.undo(body, context);
  if (result === null) return null;
  const bytes =
    typeof result === "string"
      ? Buffer.from(result)
      : Buffer.from(result.buffer, result.byteOffset, result.byteLength);
  work.charge((body.bytes.length + bytes.length) * (fault.costPerByte ?? COST.byteCopied));
  return bytes;
}
