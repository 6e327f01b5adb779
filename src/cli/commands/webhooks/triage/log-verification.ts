import { findRepeat } from "../../../../domain/webhooks/doubts.ts";
import { isProved } from "../../../../domain/webhooks/explain/causes.ts";
import { explainReuse } from "../../../../domain/webhooks/explain/explain-reuse.ts";
import type { Explanation } from "../../../../domain/webhooks/explain/explain-signature.ts";
import {
  chooseReceived,
  explainReceived,
  isJudgeable,
  type Verification,
} from "../../../../domain/webhooks/input-formats/choose-received.ts";
import { signatureOf } from "../../../../domain/webhooks/input-formats/delivery.ts";
import { describeLack, type Lack } from "../../../../domain/webhooks/input-formats/logged-delivery.ts";
import type { FoundDelivery } from "../../../../domain/webhooks/input-formats/read-document.ts";
import { isDeliveryValid, type TriagedDelivery, toTriaged } from "../../../../domain/webhooks/triage.ts";

/** Deliveries of which something is kept until the end of their log. */
const MAX_WAITING = 10_000;

/** Of bodies that verify, to compare copies with. */
const MAX_KEPT_BYTES = 32 << 20;

/**
 * Verifies the deliveries of a log. What all its records have in common is the form of the log, and what only some have is a fault
 * of those: a record without a signature is a delivery without one if others have one, and otherwise no delivery.
 */
export class LogVerification {
  readonly #verification: Verification;
  /** Records that the end of the log decides. */
  readonly #waiting: { readonly delivery: FoundDelivery; readonly explanation: Explanation }[] = [];
  readonly #firstBySignature = new Map<
    string,
    Pick<FoundDelivery, "source" | "receivedAt" | "headers" | "body">
  >();
  #keptBytes = 0;
  #logsSignatures = false;
  /** Whether a body verifies that the log has parsed: then each is printed as it was sent, or was another one. */
  #logsParsedBodies = false;
  /** Whether a body verifies as the log has it, without being decoded. */
  #logsPlainBodies = false;
  /** Deliveries whose age cannot be judged. */
  #undated = 0;
  readonly #lacks = new Map<Lack, { count: number; fields: readonly string[] }>();

  constructor(verification: Verification) {
    this.#verification = verification;
  }

  /** Each delivery as soon as it is decided. */
  async *verifyAll(records: AsyncIterable<FoundDelivery>): AsyncGenerator<TriagedDelivery> {
    for await (const found of records) yield* this.#add(found);
    yield* this.#end();
  }

  *#add(found: FoundDelivery): Generator<TriagedDelivery> {
    const delivery = chooseReceived(found, this.#verification);
    const { lacks } = delivery;
    const isWhole = lacks !== "headers" && isJudgeable(delivery, this.#verification);
    // An incomplete record needs no causes.
    const explanation = this.#explain(delivery, { shouldStop: () => !isWhole });
    const isValid = lacks !== "roles" && isDeliveryValid(explanation);
    const signature = signatureOf(delivery);
    const canKeep = this.#firstBySignature.size < MAX_WAITING && this.#keptBytes < MAX_KEPT_BYTES;
    if (isValid && canKeep && !this.#firstBySignature.has(signature)) {
      const { source, receivedAt, headers, body } = delivery;
      this.#firstBySignature.set(signature, { source, receivedAt, headers, body });
      this.#keptBytes += body.length;
    }
    if (lacks === null) this.#logsSignatures = true;
    if (lacks === "parsed_body" && isValid) this.#logsParsedBodies = true;
    if (this.#waiting.length < MAX_WAITING && canEndDecide(delivery, explanation, isValid))
      this.#waiting.push({ delivery, explanation });
    else if (!isWhole && !isValid) this.#count(delivery);
    else {
      if (isValid) this.#logsPlainBodies = true;
      yield this.#toTriaged(delivery, explanation);
    }
  }

  *#end(): Generator<TriagedDelivery> {
    for (const { delivery, explanation } of this.#waiting) {
      const { lacks, written } = delivery;
      if (lacks === "signature" || lacks === "parsed_body") {
        const isOfDelivery = lacks === "signature" ? this.#logsSignatures : this.#logsParsedBodies;
        if (isOfDelivery) yield this.#toTriaged(delivery, this.#explain(delivery));
        else this.#count(delivery);
      } else if (written !== null && this.#logsPlainBodies && isDeliveryValid(explanation)) {
        // Where other bodies are as they arrived, this one is too: what arrived was encoded.
        const arrived = { ...delivery, body: written };
        yield this.#toTriaged(arrived, this.#explain(arrived));
      } else yield this.#toTriaged(delivery, explanation);
    }
  }

  #toTriaged(delivery: FoundDelivery, explanation: Explanation): TriagedDelivery {
    if (delivery.receivedAt === null && this.#verification.toleranceSeconds !== undefined) this.#undated += 1;
    const first = this.#firstBySignature.get(signatureOf(delivery));
    const repeat = first ? findRepeat(delivery, first) : null;
    return toTriaged(delivery, explainReuse(explanation, delivery, first), repeat);
  }

  /** What records without a delivery do not have, and how to make them readable. */
  describeLacks(): readonly { message: string; hint: string }[] {
    const lacks = [...this.#lacks].map(([lack, { count, fields }]) => describeLack(lack, count, fields));
    if (this.#undated === 0) return lacks;
    const message = `--tolerance judges no record without a time of receipt, of which there ${this.#undated === 1 ? "is" : "are"} ${this.#undated}`;
    return [...lacks, { message, hint: "--field time=PATH names it" }];
  }

  #count({ lacks, facts }: FoundDelivery): void {
    if (lacks === null) return;
    const before = this.#lacks.get(lacks);
    if (before) before.count += 1;
    else this.#lacks.set(lacks, { count: 1, fields: [...facts.keys()] });
  }

  #explain(delivery: FoundDelivery, options: Pick<Verification, "shouldStop"> = {}): Explanation {
    const { receivedAt } = delivery;
    return explainReceived(delivery, {
      ...this.#verification,
      ...options,
      // Without the time of receipt, nothing says how old it was then.
      ...(receivedAt === null ? { toleranceSeconds: undefined } : { now: receivedAt }),
    });
  }
}

/**
 * Whether other records can change the result: whether the log has signatures; whether it has bodies as they arrived, or parsed ones
 * that verify; whether the delivery of which the signature was made comes later.
 */
function canEndDecide(
  { lacks, written }: FoundDelivery,
  explanation: Explanation,
  isValid: boolean,
): boolean {
  if (isValid) return written !== null;
  if (lacks === "signature" || lacks === "parsed_body") return true;
  return lacks === null && explanation.verdict === "mismatch" && !isProved(explanation);
}
