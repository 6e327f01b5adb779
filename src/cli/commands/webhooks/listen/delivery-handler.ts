import { setImmediate } from "node:timers/promises";
import { type Explanation, explain } from "../../../../domain/webhooks/explain/explain.ts";
import type { CandidateSecret } from "../../../../domain/webhooks/explain/secret-variants.ts";
import { type CheckedDelivery, checkDelivery, responseStatusFor } from "./check-delivery.ts";
import { type DeliveryEvent, toJsonLine } from "./delivery-event.ts";
import { type Forwarder, type ForwardResult, worstResponse } from "./forwarder.ts";
import type { IncomingDelivery } from "./read-delivery.ts";
import type { Recorder } from "./recorder.ts";
import type { Reply } from "./server.ts";
import type { StopCondition } from "./stop-condition.ts";

interface HandlerOptions {
  readonly secrets: readonly string[];
  readonly candidateSecrets: readonly CandidateSecret[];
  /** Milliseconds. */
  readonly tolerance: number | undefined;
  readonly forwardUnverified: boolean;
  readonly forwarder: Forwarder;
  readonly recorder: Recorder | null;
  readonly stopCondition: StopCondition;
  /** Milliseconds, as long as the difference of two of them is right. */
  now(): number;
  emit(told: DeliveryEvent): void;
}

/** What happens to a delivery: judge, record, forward, answer, explain, tell. */
export class DeliveryHandler {
  readonly #parts: HandlerOptions;
  #explanationsWaiting = 0;
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(parts: HandlerOptions) {
    this.#parts = parts;
  }

  async handle(incoming: IncomingDelivery, answer: (reply: Reply) => void): Promise<void> {
    const { stopCondition: goal, recorder, emit: tell } = this.#parts;
    const number = goal.admit();
    if (number === null) {
      answer({ status: 503, text: "the listener has had what it waited for\n", retryAfter: "5" });
      return;
    }
    const judged = checkDelivery(incoming, this.#parts);
    const isWhole = judged.verdict !== "too_large";
    const file = isWhole ? ((await recorder?.saveRequest(incoming, number)) ?? null) : null;
    const forwarded = this.#isForwarded(judged) ? await this.#forward(incoming, judged) : [];
    const reply = toReply(judged, forwarded);
    answer(reply);
    const told: DeliveryEvent = {
      ...{ number, receivedAt: new Date(incoming.at).toISOString(), path: incoming.path },
      ...judged,
      ...{ bytes: incoming.size, explanation: await this.#explain(incoming, judged), answered: reply.status },
      ...{ forwarded, file },
    };
    await recorder?.appendToIndex(toJsonLine(told));
    tell(told);
    goal.record(told);
  }

  /** Interface §6, rule 4: what does not verify goes nowhere, unless somebody wants to see what their app makes of it. */
  #isForwarded({ verdict }: CheckedDelivery): boolean {
    return verdict === "valid" || (this.#parts.forwardUnverified && verdict !== "too_large");
  }

  #forward(
    incoming: IncomingDelivery,
    { event, claimedEvent }: CheckedDelivery,
  ): Promise<readonly ForwardResult[]> {
    return this.#parts.forwarder.forward(incoming, event ?? claimedEvent);
  }

  /**
   * After the answer, and one at a time: between two of them the next delivery can come in. A search is bounded by its
   * work; here, where a sender that nobody knows decides what is searched, it also has a deadline.
   */
  async #explain(
    { headers, body }: IncomingDelivery,
    { verdict }: CheckedDelivery,
  ): Promise<Explanation | null> {
    const { secrets, candidateSecrets: suspects, now } = this.#parts;
    const isFaulty = verdict === "mismatch" || verdict === "missing_header" || verdict === "malformed";
    if (!isFaulty || body.length > MAX_EXPLAINED_BYTES) return null;
    if (this.#explanationsWaiting === MAX_EXPLANATIONS_WAITING) return null;
    this.#explanationsWaiting += 1;
    this.#lastTurn = this.#lastTurn.then(() => setImmediate());
    await this.#lastTurn;
    this.#explanationsWaiting -= 1;
    const deadline = now() + EXPLANATION_TIMEOUT_MS;
    return explain({
      secrets,
      candidateSecrets: suspects,
      headers,
      body,
      shouldStop: () => now() > deadline,
    });
  }
}

/** A longer search would hold up what comes meanwhile, and `verify` can make it later. */
const MAX_EXPLAINED_BYTES = 1 << 20;
const EXPLANATION_TIMEOUT_MS = 250;

/** What comes while so many wait is judged, and not explained. */
const MAX_EXPLANATIONS_WAITING = 16;

/** Where an app has taken it over, the app's answer counts, but for what is refused here. */
function toReply({ verdict, reason }: CheckedDelivery, forwarded: readonly ForwardResult[]): Reply {
  const status = responseStatusFor(verdict);
  if (status >= 400) return { status, text: `${reason}\n` };
  if (forwarded.length === 0) return { status, text: "received\n" };
  const worst = worstResponse(forwarded);
  return { ...worst, text: `forwarded: ${worst.status}\n` };
}
