import { once } from "node:events";
import { ClaimsError, verificationError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { explain } from "../../../../domain/webhooks/explain/explain.ts";
import type { CandidateSecret } from "../../../../domain/webhooks/explain/secrets.ts";
import type { Context } from "../../../context.ts";
import { decompress } from "../input-formats/containers.ts";
import {
  type CheckedDelivery,
  checkDelivery,
  type DeliveryEvent,
  type IncomingDelivery,
  RESPONSE_STATUS,
} from "./delivery.ts";
import { type Forwarder, statusWithoutResponse } from "./forwarder.ts";
import type { ListenOptions } from "./listen.ts";
import type { Recorder } from "./recorder.ts";

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly retryAfter?: string | null;
}

interface HandlerOptions extends Pick<ListenOptions, "tolerance" | "forwardUnverified"> {
  readonly secrets: readonly string[];
  readonly candidateSecrets: readonly CandidateSecret[];
  readonly forwarder: Forwarder | null;
  readonly recorder: Recorder | null;
  readonly stopCondition: StopCondition;
  emit(delivery: DeliveryEvent): void;
}

/** Resolves when the delivery has a response, and is recorded and shown. */
export type DeliveryHandler = (incoming: IncomingDelivery, respond: (reply: Reply) => void) => Promise<void>;

export function createDeliveryHandler(options: HandlerOptions): DeliveryHandler {
  const { secrets, tolerance, forwardUnverified, forwarder, stopCondition, recorder, emit } = options;
  return async (incoming, respond) => {
    const number = stopCondition.admit();
    if (number === null) {
      respond({ status: 503, text: "the listener is stopping\n", retryAfter: "5" });
      return;
    }
    const checked = checkDelivery(incoming, secrets, tolerance);
    const isWhole = checked.verdict !== "too_large";
    const file = isWhole ? ((await recorder?.saveRequest(incoming, number)) ?? null) : null;
    // Interface §6, rule 4.
    const isForwarded = checked.verdict === "valid" || (forwardUnverified && isWhole);
    const forwarded = forwarder && isForwarded ? await forwarder.forward(incoming) : null;
    const reply = toReply(checked, forwarded);
    respond(reply);
    const delivery: DeliveryEvent = {
      event: "delivery",
      number,
      receivedAt: new Date(incoming.at).toISOString(),
      path: incoming.path,
      ...checked,
      bytes: incoming.size,
      ...explainFault(incoming, checked, options),
      responseStatus: reply.status,
      forwarded,
      file,
    };
    emit(delivery);
    stopCondition.record(checked);
  };
}

/** The search in a larger body would delay the next deliveries; `verify` can make it later. */
const MAX_EXPLAINED_BYTES = 64 * 1024;

const NOT_EXPLAINED = { causes: null, remarks: null, tried: null, complete: null, failure: null };

function explainFault(
  { headers, body }: IncomingDelivery,
  { verdict }: CheckedDelivery,
  { secrets, candidateSecrets }: HandlerOptions,
): Pick<DeliveryEvent, keyof typeof NOT_EXPLAINED> {
  const isFaulty = verdict === "mismatch" || verdict === "missing_header" || verdict === "malformed";
  if (!isFaulty || body.length > MAX_EXPLAINED_BYTES) return NOT_EXPLAINED;
  const found = explain({ secrets, candidateSecrets, headers, body, decompress });
  const { causes, remarks, tried, complete, failure } = found;
  return { causes, remarks, tried, complete, failure };
}

/** The response of the app, if one took the delivery and the listener does not refuse it. */
function toReply({ verdict, reason }: CheckedDelivery, forwarded: DeliveryEvent["forwarded"]): Reply {
  const status = RESPONSE_STATUS[verdict];
  if (status >= 400) return { status, text: `${reason}\n` };
  if (forwarded === null) return { status, text: "received\n" };
  const { error, retryAfter } = forwarded;
  const answer = forwarded.status ?? statusWithoutResponse(error?.code);
  return { status: answer, retryAfter, text: `forwarded: ${answer}\n` };
}

type StopOptions = Pick<ListenOptions, "count" | "timeout" | "record">;

type ListenEnd = "reached" | "timeout" | "stopped";

export class StopCondition {
  readonly #options: StopOptions;
  readonly #reached = new AbortController();
  #admitted = 0;
  #done = 0;
  #refused = 0;

  constructor(options: StopOptions) {
    this.#options = options;
  }

  /** Numbers a delivery; null when the listener takes no more. */
  admit(): number | null {
    const { count = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#reached.signal.aborted || this.#admitted === count) return null;
    this.#admitted += 1;
    return this.#admitted;
  }

  /** Counts a handled delivery. */
  record({ verdict }: CheckedDelivery): void {
    this.#done += 1;
    if (RESPONSE_STATUS[verdict] >= 400) this.#refused += 1;
    if (this.#done === this.#options.count) this.#reached.abort();
  }

  async wait({ signal, sleep }: Pick<Context, "signal" | "sleep">): Promise<ListenEnd> {
    const { timeout } = this.#options;
    const { signal: reached } = this.#reached;
    const either = AbortSignal.any([signal, reached]);
    const toEnd = (): ListenEnd => (reached.aborted ? "reached" : "stopped");
    if (timeout === undefined) return either.aborted ? toEnd() : once(either, "abort").then(toEnd);
    return sleep(timeout, either).then(() => "timeout", toEnd);
  }

  describeReceived(): string {
    return formatCount(this.#done, "delivery", "deliveries");
  }

  /**
   * The error that ends the command, if any. A signal is the ordinary end of a listener that expects nothing.
   *
   * @param problem why no delivery arrives
   */
  toError(reason: ListenEnd, problem: string | null = null): ClaimsError | undefined {
    const { count, record } = this.#options;
    const received = this.describeReceived();
    const expected = count && `expected ${count}`;
    if (reason === "stopped" && expected)
      return new ClaimsError("interrupted", "interrupted", `stopped after ${received}; ${expected}`, {
        hint: "let the listener run until it stops by itself",
      });
    if (this.#refused > 0)
      return verificationError("not_verified", `${this.#refused} of ${received} did not verify`, {
        hint: `${record === undefined ? "record them with --record, and look at one" : `look at one of ${record}`} with claims webhooks verify`,
      });
    if (reason === "reached" || !expected) return undefined;
    const reasonForNone = problem === null ? "" : `; this listener is no longer registered: ${problem}`;
    const message = `${received} arrived in time; ${expected}${reasonForNone}`;
    return new ClaimsError("pending", "deliveries_missing", message, {
      hint: "give a longer --timeout, or check the sender",
    });
  }
}
