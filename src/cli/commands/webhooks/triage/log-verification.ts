import { headerValues } from "../../../../domain/http-headers.ts";
import { type Doubt, type FirstReceipt, findRepeat, listDoubts } from "../../../../domain/webhooks/doubts.ts";
import { isProved } from "../../../../domain/webhooks/explain/causes.ts";
import {
  type ExplainInput,
  type Explanation,
  explain,
  explainReuse,
} from "../../../../domain/webhooks/explain/explain.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../../../domain/webhooks/headers.ts";
import {
  chooseReceived,
  isJudgeable,
  toExplainInput,
} from "../../../../domain/webhooks/input-formats/choose-received.ts";
import {
  describeLack,
  type Lack,
  type LoggedDelivery,
} from "../../../../domain/webhooks/input-formats/logged-delivery.ts";
import type { FoundDelivery } from "../../../../domain/webhooks/input-formats/read-document.ts";
import { isDigest } from "../../../../domain/webhooks/input-formats/signature-values.ts";
import { parseTimestamp } from "../../../../domain/webhooks/timestamp.ts";
import { isInstanceField, type TriagedDelivery } from "../../../../domain/webhooks/triage.ts";

type Verification = Omit<ExplainInput, "headers" | "body">;

/** Deliveries of which something is kept until the end of their log. */
const MAX_WAITING = 10_000;

/** What all records of a log have in common is the form of the log; what only some have is a fault of those. */
export class LogVerification {
  readonly #verification: Verification;
  /**
   * Records that lack something, bodies that the log seems to have encoded, and deliveries that nothing explains, perhaps because
   * the one that was signed comes later. The explanation is null if it is made at the end.
   */
  readonly #waiting: (FoundDelivery & { readonly explanation: Explanation | null })[] = [];
  /** Where the deliveries that verify were first, by their signatures. */
  readonly #signed = new Map<string, FirstReceipt>();
  #hasSignatures = false;
  #hasPlainBodies = false;
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
    const { source } = found;
    const delivery = chooseReceived(found.delivery, this.#verification);
    const { lacks, written } = delivery;
    const isWhole = lacks !== "headers" && isJudgeable(delivery, this.#verification);
    const explanation = this.#explain({ ...found, delivery }, !isWhole);
    const isValid = lacks !== "sides" && isRight(explanation);
    if (isValid && this.#findSignedFirst(delivery) === undefined && this.#signed.size < MAX_WAITING)
      this.#signed.set(signatureOf(delivery), { source, receivedAt: delivery.receivedAt });
    const canWait = this.#waiting.length < MAX_WAITING;
    if (lacks === null) this.#hasSignatures = true;
    if (canWait && (isValid ? written !== null : lacks === "signature"))
      this.#waiting.push({ ...found, delivery, explanation: null });
    else if (canWait && isWhole && explanation.verdict === "mismatch" && !isProved(explanation))
      this.#waiting.push({ ...found, delivery, explanation });
    else if (!isWhole && !isValid) this.#count(delivery);
    else {
      if (isValid) this.#hasPlainBodies = true;
      yield this.#toTriaged(source, delivery, explanation);
    }
  }

  #findSignedFirst(delivery: LoggedDelivery): FirstReceipt | undefined {
    return this.#signed.get(signatureOf(delivery));
  }

  #toTriaged(source: string, delivery: LoggedDelivery, explanation: Explanation): TriagedDelivery {
    if (delivery.receivedAt === null && this.#verification.toleranceSeconds !== undefined) this.#undated += 1;
    const first = this.#findSignedFirst(delivery);
    const repeat = first && findRepeat(source, delivery.receivedAt, first);
    return toTriaged(source, delivery, explainReuse(explanation, first?.source), repeat ? [repeat] : []);
  }

  *#end(): Generator<TriagedDelivery> {
    for (const found of this.#waiting) {
      const { delivery, source, explanation } = found;
      if (delivery.lacks === "signature" && !this.#hasSignatures) {
        this.#count(delivery);
        continue;
      }
      const written = this.#hasPlainBodies && explanation === null ? delivery.written : null;
      const received = written ? { ...delivery, body: written } : delivery;
      yield this.#toTriaged(
        source,
        received,
        explanation ?? this.#explain({ ...found, delivery: received }, false),
      );
    }
  }

  /** What records without a delivery do not have, and how to make them readable. */
  describeLacks(): readonly { message: string; hint: string }[] {
    const lacks = [...this.#lacks].map(([lack, { count, fields }]) => describeLack(lack, count, fields));
    if (this.#undated === 0) return lacks;
    const message = `--tolerance judges no record without a time of receipt, of which there ${this.#undated === 1 ? "is" : "are"} ${this.#undated}`;
    return [...lacks, { message, hint: "--field time=PATH names it" }];
  }

  #count({ lacks, facts }: LoggedDelivery): void {
    if (lacks === null) return;
    const before = this.#lacks.get(lacks);
    if (before) before.count += 1;
    else this.#lacks.set(lacks, { count: 1, fields: [...facts.keys()] });
  }

  /** @param isVerdictOnly an incomplete record needs no causes */
  #explain({ form, delivery }: FoundDelivery, isVerdictOnly: boolean): Explanation {
    const { receivedAt } = delivery;
    return explain({
      ...this.#verification,
      ...(isVerdictOnly && { shouldStop: () => true }),
      ...toExplainInput(form, delivery),
      // Without the time of receipt, nothing says how old it was then.
      ...(receivedAt === null ? { toleranceSeconds: undefined } : { now: receivedAt }),
    });
  }
}

const signatureOf = ({ headers }: LoggedDelivery): string => headerValues(headers, SIGNATURE_HEADER)[0] ?? "";

/** Fields that follow from the result, that are different in each record, or that may be a credential. */
const LEFT_OUT =
  /status|level|severity|response|(?:^|[._ -])(?:res|resp|reply|err|error|msg|message|duration|elapsed|latency|took|time|ts|timestamp|date|outcome|result|ok|success|body|id|uuid|ray|trace|span|nonce)(?:[._ -]|$)|error|valid|accepted|refused|(?:epoch|_at|At|Id|ID|Time|Ms|bytes|length|signature)$|authorization|cookie|token|secret|password|api-?key/i;

/** Whether the delivery verifies, whatever the receiver computed. A stale one is not right for triage. */
const isRight = ({ verdict, isDeliveryRight }: Pick<Explanation, "verdict" | "isDeliveryRight">): boolean =>
  verdict === "valid" || (isDeliveryRight && verdict === "mismatch");

/** A log can have local times, which are no further off. */
const MAX_ZONE_SECONDS = 86_400;

function toTriaged(
  source: string,
  delivery: LoggedDelivery,
  explanation: Pick<Explanation, "verdict" | "causes" | "isDeliveryRight">,
  repeats: readonly Doubt[],
): TriagedDelivery {
  const { headers, receivedAt, status, isRefused, facts } = delivery;
  const { causes } = explanation;
  const sorted = causes.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const signedAt = parseTimestamp(headerValues(headers, TIMESTAMP_HEADER)[0] ?? "");
  const clockOffset =
    receivedAt === null || signedAt === null ? null : Math.round((receivedAt - signedAt) / 1000);
  return {
    source,
    verdict: isRight(explanation) ? "valid" : explanation.verdict,
    isRefused: isRefused || (isRight(explanation) && causes.length > 0),
    causes: sorted.map(({ id, certainty }) => `${id} (${certainty})`),
    actions: sorted.map(({ actor, fix }) => ({ actor, fix })),
    time: receivedAt ?? signedAt,
    clockOffset,
    status,
    doubts: [...listDoubts({ delivery, facts, receivedAt }), ...repeats].filter(
      ({ kind }) => kind !== "arrived_late" || Math.abs(clockOffset ?? 0) > MAX_ZONE_SECONDS,
    ),
    facts: new Map([...listFields(facts), ...listHeaderFacts(headers)]),
  };
}

/** Without its query, which can hold a secret. */
const removeQuery = (text: string): string => text.replace(/(?<=[/\w])[?#].*$/s, "");

function* listFields(facts: ReadonlyMap<string, string>): Generator<[string, string]> {
  for (const [name, text] of facts)
    if ((!LEFT_OUT.test(name) || isInstanceField(name)) && !isDigest(text)) yield [name, removeQuery(text)];
}

function* listHeaderFacts(headers: LoggedDelivery["headers"]): Generator<[string, string]> {
  for (const [name, value] of headers)
    if (!LEFT_OUT.test(name)) yield [`header ${name.toLowerCase()}`, removeQuery(value)];
}
