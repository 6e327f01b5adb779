import { ClaimsError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { type DeliveryVerdict, responseStatusFor } from "./check-delivery.ts";

interface StopOptions {
  readonly count: number | undefined;
  readonly until: string | undefined;
  /** Milliseconds. */
  readonly timeout: number | undefined;
  /** The folder that keeps the deliveries. */
  readonly record: string | undefined;
}

/** How a listener came to its end. */
export type StopReason = "reached" | "timeout" | "stopped";

/** The longest time that a timer of Node's can wait for: 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** What a listener waits for, and how far it is. */
export class StopCondition {
  readonly #options: StopOptions;
  #admitted = 0;
  #done = 0;
  #refused = 0;
  #isReached = false;
  #tellReached = () => {};
  readonly #reached = new Promise<void>((resolve) => {
    this.#tellReached = resolve;
  });

  constructor(options: StopOptions) {
    this.#options = options;
  }

  /** The number of a delivery that has come; null where the listener has had what it waited for. */
  admit(): number | null {
    const { count = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#isReached || this.#admitted === count) return null;
    this.#admitted += 1;
    return this.#admitted;
  }

  /** A delivery has been told. Where nothing is verified, what it claims to be is all that is known. */
  record({ verdict, event, claimedEvent }: CheckedEvent): void {
    const { count, until } = this.#options;
    this.#done += 1;
    if (responseStatusFor(verdict) >= 400) this.#refused += 1;
    const known = verdict === "unverified" ? claimedEvent : verdict === "valid" ? event : null;
    if (this.#done !== count && (until === undefined || known !== until)) return;
    this.#isReached = true;
    this.#tellReached();
  }

  /** Resolves when the listener is to end. */
  async wait({ signal, sleep }: Pick<Context, "signal" | "sleep">): Promise<StopReason> {
    const { timeout } = this.#options;
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const wait = (): Promise<StopReason> =>
      sleep(Math.min(timeout ?? MAX_TIMER_MS, MAX_TIMER_MS), either).then(
        () => (timeout === undefined ? wait() : "timeout"),
        () => "stopped",
      );
    try {
      return await Promise.race([this.#reached.then((): StopReason => "reached"), wait()]);
    } finally {
      over.abort();
    }
  }

  /** What is to be told at the end, and decides the exit code. */
  toError(ended: StopReason): ClaimsError | undefined {
    const { count, until, record } = this.#options;
    const came = `${this.#done} ${this.#done === 1 ? "delivery" : "deliveries"}`;
    if (ended === "stopped")
      return new ClaimsError("interrupted", "interrupted", `stopped after ${came}`, {
        hint: "--count, --until or --timeout end it without being stopped",
      });
    if (this.#refused > 0)
      return new ClaimsError("verification", "not_verified", `${this.#refused} of ${came} did not verify`, {
        hint:
          record === undefined
            ? "record them with --record, and look at one with claims webhooks verify --request"
            : `look at one of ${record} with claims webhooks verify --request`,
      });
    if (ended === "reached" || (count === undefined && until === undefined)) return undefined;
    const awaited = until === undefined ? `${count} were awaited` : `${until} was not among them`;
    return new ClaimsError("pending", "not_all_came", `${came} came in time, and ${awaited}`, {
      hint: "give a longer --timeout, or look at the sender",
    });
  }
}

interface CheckedEvent {
  readonly verdict: DeliveryVerdict;
  readonly event: string | null;
  readonly claimedEvent: string | null;
}
