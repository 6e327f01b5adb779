import { AsyncLocalStorage } from "node:async_hooks";
import { ClaimsError } from "../domain/errors.ts";
import { findErrorCode } from "../domain/net.ts";
import { RESET_CODES } from "./http/retry.ts";
import type { Runtime } from "./runtime.ts";

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

const OUTAGE_STATUSES: readonly (number | undefined)[] = [408, 425, 429, 502, 503, 504];

/** Whether a service that works would respond otherwise (product.md §4, "Waiting"). */
const isOutage = ({ kind, retryable, status }: ClaimsError): boolean =>
  kind === "unreachable" && retryable && (status === undefined || OUTAGE_STATUSES.includes(status));

/** Whether something responded or accepted a connection, so that the URL is not merely wrong. */
const isContact = ({ status, cause }: ClaimsError): boolean =>
  status !== undefined || (cause !== undefined && RESET_CODES.test(findErrorCode(cause)));

/**
 * The outages that the work in progress outlasts, which has a deadline of its own. One storage for all of them: Node 20 and 22
 * ask each storage that ever ran for each promise, and never drop one.
 */
const outlasted = new AsyncLocalStorage<Outages>();

interface OutageOptions {
  readonly runtime: Runtime;
  readonly signal?: AbortSignal | undefined;
  /** Gets the error when an outage begins, and null when it has ended. */
  readonly onOutage?: ((error: ClaimsError | null) => void) | undefined;
  /** How long requests wait for the service in all, beyond the first attempts of each. Default: 0. */
  readonly retryForMs?: number | undefined;
}

/** The outages of one service, which all waiting requests share. */
export class Outages {
  readonly #options: OutageOptions;
  #wasReached = false;
  #isOut = false;
  #failure: ClaimsError | null = null;
  /** When {@link waitForRetry} began to wait. */
  #waitingSince: number | null = null;
  #waitedMs = 0;

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  /** The last failed attempt of a request, if no response followed. */
  get failure(): ClaimsError | null {
    return this.#failure;
  }

  recordFailure(error: ClaimsError): void {
    this.#wasReached ||= isContact(error);
    if (isOutage(error)) this.#failure = error;
  }

  /** For a response that a service sends only if it works. It may refuse the request. */
  recordContact(): void {
    if (this.#waitingSince === null) return;
    this.#waitedMs += this.#options.runtime.now() - this.#waitingSince;
    this.#waitingSince = null;
    this.#setOut(null);
  }

  recordResponse(): void {
    this.recordContact();
    this.#wasReached = true;
    this.#failure = null;
    this.#setOut(null);
  }

  /**
   * Repeats work that fails because of an outage. Before the first contact with the service, the URL may be wrong, and the
   * error is final.
   *
   * @param deadline milliseconds since the epoch; from then on, the error of the outage is final
   */
  async outlast<T>(work: () => Promise<T>, deadline: number): Promise<T> {
    const { runtime, signal } = this.#options;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      try {
        return await outlasted.run(this, work);
      } catch (error) {
        if (!(error instanceof ClaimsError) || !isOutage(error)) throw error;
        this.recordFailure(error);
        if (!this.#wasReached) throw error;
        const nextAt = runtime.now() + Math.max(pauseMs, error.retryAfterMs ?? 0);
        if (nextAt >= deadline) throw error;
        this.#setOut(error);
        await runtime.sleep(nextAt - runtime.now(), signal);
      }
    }
  }

  /**
   * Waits until a request may be sent once more. Resolves to false when the time for all waits is over.
   *
   * @param pauseMs the service may ask for a longer pause
   */
  async waitForRetry(error: ClaimsError, pauseMs: number, signal = this.#options.signal): Promise<boolean> {
    const { runtime, retryForMs = 0 } = this.#options;
    if (outlasted.getStore() === this) return false;
    this.#waitingSince ??= runtime.now();
    const leftMs = retryForMs - this.#waitedMs - (runtime.now() - this.#waitingSince);
    if (leftMs <= 0 || signal?.aborted) return false;
    this.#setOut(error);
    await runtime.sleep(Math.min(Math.max(pauseMs, error.retryAfterMs ?? 0), leftMs), signal);
    return true;
  }

  #setOut(error: ClaimsError | null): void {
    const isOut = error !== null;
    if (isOut !== this.#isOut) this.#options.onOutage?.(error);
    this.#isOut = isOut;
  }
}
