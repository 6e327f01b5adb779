import { once } from "node:events";
import { ClaimsError, verificationError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import type { Context } from "../../../context.ts";
import { type CheckedDelivery, RESPONSE_STATUS } from "./delivery.ts";
import type { ListenOptions } from "./listen.ts";

type StopOptions = Pick<ListenOptions, "count" | "timeout" | "record">;

export type ListenEnd = "reached" | "timeout" | "stopped";

/** Longest delay of a timer in Node: 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

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
    return sleep(Math.min(timeout, MAX_TIMER_MS), either).then(() => "timeout", toEnd);
  }

  describeReceived(): string {
    return formatCount(this.#done, "delivery", "deliveries");
  }

  /** The error that ends the command, if any. A signal is the ordinary end of a listener that expects nothing. */
  toError(reason: ListenEnd): ClaimsError | undefined {
    const { count, record } = this.#options;
    const received = this.describeReceived();
    const expected = count && `expected ${count}`;
    if (reason === "stopped" && expected)
      return new ClaimsError("interrupted", "interrupted", `stopped after ${received}; ${expected}`, {
        hint: "let the listener run until it stops by itself",
      });
    if (this.#refused > 0)
      return verificationError("not_verified", `${this.#refused} of ${received} did not verify`, {
        hint:
          record === undefined
            ? "record them with --record, and look at one with claims webhooks verify"
            : `look at one of ${record} with claims webhooks verify`,
      });
    if (reason === "reached" || !expected) return undefined;
    return new ClaimsError("pending", "deliveries_missing", `${received} arrived in time; ${expected}`, {
      hint: "give a longer --timeout, or check the sender",
    });
  }
}
