import { AsyncLocalStorage } from "node:async_hooks";
import { ClaimsError, rephraseError } from "../domain/errors.ts";
import { classifyErrorCode, findErrorCode } from "../domain/net.ts";
import type { ClientOptions } from "./client-options.ts";
import { readMonotonic } from "./runtime.ts";

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

/** A shorter wait is not worth a line. */
const MIN_SHOWN_PAUSE_MS = 2_000;

const OUTAGE_STATUSES: readonly (number | undefined)[] = [408, 425, 429, 502, 503, 504];

/** Whether a service that works would respond otherwise (product.md §4, "Waiting"). */
const isOutage = ({ kind, retryable, status }: ClaimsError): boolean =>
  kind === "unreachable" && retryable && (status === undefined || OUTAGE_STATUSES.includes(status));

/** How many unexpected responses one read may have. */
const MAX_UNEXPECTED_RESPONSES = 5;

const UNEXPECTED_CODES: ReadonlySet<string> = new Set(["unexpected_response", "response_incomplete"]);

/** Whether a proxy or a failing service may have responded: another 5xx, a redirect, a web page, an empty body. */
const isUnexpectedResponse = ({ code, status = 0 }: ClaimsError): boolean =>
  UNEXPECTED_CODES.has(code) || isRedirect(status) || (status >= 500 && !OUTAGE_STATUSES.includes(status));

const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** @param count of the unexpected responses of this wait, with this one */
function judgeUnexpectedResponse(error: ClaimsError, count: number, hadResponded: boolean): Judgement {
  const canRepeat = hadResponded && count <= MAX_UNEXPECTED_RESPONSES;
  // It is not the service's word: the same read may succeed later.
  const isUnclear = hadResponded || isRedirect(error.status ?? 0);
  return {
    canRepeat,
    error: isUnclear ? rephraseError(error, { kind: "unreachable", retryable: true }) : error,
  };
}

interface Judgement {
  readonly canRepeat: boolean;
  /** What the caller gets if the read is not repeated. */
  readonly error: ClaimsError;
}

/** Whether something responded or accepted a connection, so that the URL is not merely wrong. */
const isContact = ({ status, cause }: ClaimsError): boolean =>
  status !== undefined ||
  (cause !== undefined && classifyErrorCode(findErrorCode(cause)) === "connection_reset");

/**
 * The deadline of the work that {@link Outages.retryThroughOutage} repeats. One storage for all of them: Node 20 and 22 ask each
 * storage that ever ran for each promise, and never drop one.
 */
const deadlines = new AsyncLocalStorage<number>();

type OutageOptions = Pick<ClientOptions, "runtime" | "signal" | "onOutage" | "retryForMs">;

/** The outages of one service, which all waiting requests share. */
export class Outages {
  readonly #options: OutageOptions;
  #wasReached = false;
  #hasResponded = false;
  #hasShownWait = false;
  #isOut = false;
  #failure: ClaimsError | null = null;
  #waitingSince: number | null = null;
  #waitedMs = 0;

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  /** The last failed attempt of a request, if no response followed. */
  get failure(): ClaimsError | null {
    return this.#failure;
  }

  /**
   * Whether a request is repeated as long as `retryForMs` allows. The work of {@link retryThroughOutage} is repeated as a whole
   * instead.
   */
  get canRetryForLong(): boolean {
    return this.#options.retryForMs !== undefined && deadlines.getStore() === undefined;
  }

  /** For a response that a service sends only if it works. It may refuse the request. */
  recordContact(): void {
    if (this.#waitingSince === null) return;
    this.#waitedMs += readMonotonic(this.#options.runtime) - this.#waitingSince;
    this.#waitingSince = null;
    this.#reportOutage(null);
  }

  recordResponse(): void {
    this.recordContact();
    this.#wasReached = true;
    this.#hasResponded = true;
    this.#failure = null;
    this.#reportOutage(null);
  }

  /**
   * Begins to wait for the service. Returns the milliseconds until the next attempt, null if there is no time for one: the last
   * attempt is at the end of `retryForMs`.
   */
  beginPause(pauseMs: number, deadline = deadlines.getStore() ?? Number.POSITIVE_INFINITY): number | null {
    const { runtime, retryForMs = Number.POSITIVE_INFINITY } = this.#options;
    const now = readMonotonic(runtime);
    this.#waitingSince ??= now;
    const leftMs = retryForMs - this.#waitedMs - (now - this.#waitingSince);
    const limitedMs = Math.min(pauseMs, leftMs);
    return leftMs <= 0 || now + limitedMs >= deadline ? null : limitedMs;
  }

  /** Waits before another attempt of a failed request. @param pauseMs of {@link beginPause} */
  async pause(failure: ClaimsError, pauseMs: number, signal = this.#options.signal): Promise<void> {
    this.#wasReached ||= isContact(failure);
    if (isOutage(failure)) this.#failure = failure;
    this.announce(failure, pauseMs);
    await this.#options.runtime.sleep(pauseMs, signal);
  }

  /** Prints that requests wait: the first time at once, and then if the pause is long. */
  announce(failure: ClaimsError, pauseMs: number): void {
    const isFirst = this.#options.retryForMs !== undefined && !this.#hasShownWait;
    if (isFirst || pauseMs >= MIN_SHOWN_PAUSE_MS) this.#reportOutage(failure);
  }

  /** Waits for a service that is out of order, if there is a time for that. Resolves to false when it is over. */
  async waitForRetry(error: ClaimsError): Promise<boolean> {
    const { retryForMs, signal } = this.#options;
    if (retryForMs === undefined || signal?.aborted) return false;
    const limitedMs = this.beginPause(Math.max(MAX_PAUSE_MS, error.retryAfterMs ?? 0));
    if (limitedMs === null) return false;
    await this.pause(error, limitedMs);
    return true;
  }

  /**
   * Repeats reads that fail because of an outage, and those with a few unexpected responses. Before the first contact with the
   * service, the URL may be wrong, and the error is final.
   *
   * @param deadline of {@link readMonotonic}; from then on, the error is final
   */
  async retryThroughOutage<T>(work: () => Promise<T>, deadline: number): Promise<T> {
    const { onOutage, runtime, signal } = this.#options;
    const hadResponded = this.#hasResponded;
    let unexpectedCount = 0;
    for (let backoffMs = FIRST_PAUSE_MS; ; backoffMs = Math.min(backoffMs * 2, MAX_PAUSE_MS)) {
      try {
        return await deadlines.run(deadline, work);
      } catch (caught) {
        if (!(caught instanceof ClaimsError)) throw caught;
        const isUnexpected = isUnexpectedResponse(caught);
        if (isUnexpected) unexpectedCount += 1;
        else this.#wasReached ||= isContact(caught);
        const { canRepeat, error } = isUnexpected
          ? judgeUnexpectedResponse(caught, unexpectedCount, hadResponded)
          : { canRepeat: this.#isKnownOutage(caught), error: caught };
        if (!canRepeat) throw error;
        const pauseMs = this.beginPause(Math.max(backoffMs, error.retryAfterMs ?? 0), deadline);
        if (pauseMs === null) throw error;
        this.#failure = error;
        // Only an outage has an end, which is printed too.
        if (!isUnexpected) this.#reportOutage(error);
        else if (unexpectedCount === 1) onOutage?.(error);
        await runtime.sleep(pauseMs, signal);
      }
    }
  }

  #isKnownOutage(error: ClaimsError): boolean {
    return isOutage(error) && (this.#wasReached || this.#options.retryForMs !== undefined);
  }

  /** Prints the begin of an outage, or for null its end. */
  #reportOutage(error: ClaimsError | null): void {
    const isOut = error !== null;
    if (isOut !== this.#isOut) this.#options.onOutage?.(error);
    this.#isOut = isOut;
    this.#hasShownWait ||= isOut;
  }
}
