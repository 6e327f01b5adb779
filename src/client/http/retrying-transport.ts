import { ClaimsError, interruptedError } from "../../domain/errors.ts";
import { findErrorCode } from "../../domain/net.ts";
import { parseRetryAfter } from "../../domain/retry-after.ts";
import type { ClientOptions } from "../client-options.ts";
import type { Outages } from "../outages.ts";
import { formatRequestLine, isSafeToRetry, type RawRequest } from "../request.ts";
import { readMonotonic } from "../runtime.ts";
import { ACCEPT_ENCODING } from "./decode-body.ts";
import type { HttpResponse } from "./http-message.ts";
import { linkSignals } from "./link-signals.ts";
import { type RequestContext, toRequestError } from "./request-errors.ts";
import {
  backoff,
  DEFAULT_RETRY_POLICY,
  isOverloaded,
  isRetryableCode,
  isRetryableResponse,
  type RetryPolicy,
} from "./retry.ts";
import { Transport } from "./transport.ts";

/** Of connecting, of each wait for a part of a response, and of the whole read of a document. */
export const DEFAULT_TIMEOUT_MS = 60_000;

const LONG_OUTAGE = { maxAttempts: Number.POSITIVE_INFINITY, maxPauseMs: 60_000 };

type Attempt =
  /** The response is the result. */
  | { readonly response: HttpResponse; readonly failure: null }
  /** The service asks for a pause or is not available. The response is the result if there is no other attempt. */
  | { readonly response: HttpResponse; readonly failure: ClaimsError }
  | { readonly response: null; readonly failure: ClaimsError };

/** Sends a request, and repeats it if that is safe and useful (product.md §4). */
export class RetryingTransport {
  readonly #options: ClientOptions & { readonly requestTimeoutMs: number; readonly retryPolicy: RetryPolicy };
  readonly #transport: Transport;
  /** Ends retries without a waiting caller: a pause would keep the process alive. */
  readonly #closing = new AbortController();
  readonly #outages: Outages;

  constructor(options: ClientOptions, outages: Outages) {
    const { requestTimeoutMs = DEFAULT_TIMEOUT_MS, retryPolicy = DEFAULT_RETRY_POLICY } = options;
    this.#options = { ...options, requestTimeoutMs, retryPolicy };
    this.#transport = new Transport(this.#options);
    this.#outages = outages;
  }

  /** Resolves to the first response that is not worth another attempt, whatever its status. */
  async send(request: RawRequest, authorization: string | null): Promise<HttpResponse> {
    const policy = this.#outages.canRetryForLong ? LONG_OUTAGE : this.#options.retryPolicy;
    for (let attempt = 1; ; attempt += 1) {
      const { response, failure } = await this.#attempt(request, authorization);
      if (failure === null) return response;
      const pauseMs = this.#beginPause(failure, attempt, policy);
      const isThrottled = response !== null && isOverloaded(response);
      if (isThrottled && pauseMs !== null) this.#slowDown(failure, pauseMs);
      const isRetryable = response === null || isRetryableResponse(response, isSafeToRetry(request));
      if (!isRetryable || pauseMs === null || attempt >= policy.maxAttempts) {
        if (response === null) throw failure;
        return response;
      }
      await this.#abortable((signal) => this.#outages.pause(failure, pauseMs, signal));
      // Not before the pause, in which its body arrives: otherwise, this would close the connection.
      response?.discard();
    }
  }

  /** Sends a request once. @throws ClaimsError that another attempt cannot change */
  async #attempt(request: RawRequest, authorization: string | null): Promise<Attempt> {
    let response: HttpResponse;
    try {
      response = await this.#sendWithinLimit(request, authorization);
    } catch (error) {
      const failure = toRequestError(error, this.requestContext(request));
      if (this.#isAborted || !canRetry(error, request)) throw failure;
      return { response: null, failure };
    }
    if (isRetryableResponse(response, isSafeToRetry(request)) || isOverloaded(response))
      return { response, failure: this.#describeFailure(response, request) };
    if (response.status < 500) this.#outages.recordContact();
    return { response, failure: null };
  }

  /** Without what the body says: the caller reads it if this response is the last one. */
  #describeFailure({ status, headers }: HttpResponse, sent: RawRequest): ClaimsError {
    const text = status < 500 ? "the service asks for a pause" : "the service is not available";
    const request = formatRequestLine(sent);
    return new ClaimsError("unreachable", `http_${status}`, `${text} (${request} → ${status})`, {
      status,
      request,
      retryable: true,
      retryAfterMs: parseRetryAfter(headers, this.#options.runtime.now()) ?? undefined,
      hint: "try again later",
    });
  }

  /** Begins to wait for another attempt. Returns the milliseconds until then; null if there is no time for one. */
  #beginPause({ retryAfterMs }: ClaimsError, attempt: number, policy: RetryPolicy): number | null {
    const backoffMs = backoff(attempt, policy, this.#options.runtime.random);
    if (policy === LONG_OUTAGE) return this.#outages.beginPause(Math.max(retryAfterMs ?? 0, backoffMs));
    const pauseMs = retryAfterMs ?? backoffMs;
    return pauseMs > policy.maxPauseMs ? null : this.#outages.beginPause(pauseMs);
  }

  /** Lets all requests wait, not only the one that failed. */
  #slowDown(failure: ClaimsError, pauseMs: number): void {
    const { limiter } = this.#options;
    if (!limiter) return;
    limiter.slowDown(pauseMs);
    this.#outages.announce(failure, pauseMs);
  }

  requestContext(request: RawRequest): RequestContext {
    const { baseUrl, signal, runtime } = this.#options;
    return {
      requestLine: formatRequestLine(request, baseUrl),
      isSafeToRetry: isSafeToRetry(request),
      mayHaveBeenSent: this.#transport.wasConnected,
      signal,
      runtime,
    };
  }

  close(): Promise<void> {
    this.#closing.abort();
    return this.#transport.close();
  }

  async #sendWithinLimit(request: RawRequest, authorization: string | null): Promise<HttpResponse> {
    const { limiter } = this.#options;
    const release = limiter && (await this.#abortable((signal) => limiter.acquire(signal)));
    try {
      return await this.#sendOnce(request, authorization);
    } finally {
      release?.();
    }
  }

  get #isAborted(): boolean {
    return this.#closing.signal.aborted || this.#options.signal?.aborted === true;
  }

  /** Waits for work that sends nothing, so that its abort is an interruption. */
  async #abortable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal: aborted } = this.#options;
    const { signal, unlink } = linkSignals(this.#closing.signal, ...(aborted ? [aborted] : []));
    try {
      return await work(signal);
    } catch (error) {
      throw signal.aborted ? interruptedError(error) : error;
    } finally {
      unlink();
    }
  }

  async #sendOnce(request: RawRequest, authorization: string | null): Promise<HttpResponse> {
    const { method, path, headers, body: encode } = request;
    const { baseUrl, log, signal, runtime, userAgent } = this.#options;
    const encoded = encode?.();
    const startedAt = readMonotonic(runtime);
    const logOutcome = (outcome: string) =>
      log?.(
        `${formatRequestLine(request)} → ${outcome} (${Math.round(readMonotonic(runtime) - startedAt)} ms)`,
      );
    try {
      const response = await this.#transport.send({
        method,
        url: baseUrl + path,
        headers: {
          "user-agent": userAgent,
          "accept-encoding": ACCEPT_ENCODING,
          ...(authorization !== null && { authorization }),
          ...headers,
          ...encoded?.headers,
        },
        body: encoded?.body,
        signal,
      });
      // A service may repeat the credential.
      const id = response.headers["x-request-id"] ?? "";
      const isEcho = authorization !== null && id.includes(authorization.replace(/^Bearer /, ""));
      logOutcome(`${response.status} ${isEcho ? "[redacted]" : id}`.trim());
      return response;
    } catch (error) {
      // The command itself reports an interruption.
      if (!signal?.aborted) logOutcome(findErrorCode(error));
      if (typeof encoded?.body === "object") encoded.body.destroy();
      throw error;
    }
  }
}

const canRetry = (error: unknown, request: RawRequest): boolean =>
  error instanceof ClaimsError
    ? error.retryable
    : isRetryableCode(findErrorCode(error), isSafeToRetry(request));
