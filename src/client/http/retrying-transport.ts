import { ClaimsError, interruptedError } from "../../domain/errors.ts";
import { findErrorCode } from "../../domain/net.ts";
import { parseRetryAfter } from "../../domain/retry-after.ts";
import type { ClientOptions } from "../client-options.ts";
import type { Outages } from "../outages.ts";
import { isSafeToRetry, type RawRequest } from "../request.ts";
import { ACCEPT_ENCODING } from "./decode-body.ts";
import type { HttpResponse } from "./http-message.ts";
import { linkSignals } from "./link-signals.ts";
import { type RequestContext, toRequestError } from "./request-errors.ts";
import { responseError } from "./response-errors.ts";
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
    const { credential, runtime } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#sendWithinLimit(request, authorization).catch((error: unknown) => {
        const isFinal = this.#isAborted || !canRetry(error, request);
        const failure = toRequestError(error, this.requestContext(request));
        if (isFinal) throw failure;
        return failure;
      });
      const pause = this.#retryDelay(response, request, attempt);
      if (!(response instanceof ClaimsError) && pause === null) {
        if (response.status < 500) this.#outages.recordContact();
        return response;
      }
      const line = `${request.method} ${request.path}`;
      const failure =
        response instanceof ClaimsError
          ? response
          : responseError({ ...response, body: null, receivedAt: runtime.now() }, line, {
              credential,
              authorization,
            });
      if (!(await this.#waitForAttempt(failure, attempt, pause ?? 0))) {
        if (response instanceof ClaimsError) throw response;
        return response;
      }
      if (!(response instanceof ClaimsError)) response.discard();
    }
  }

  /** Waits for the next attempt: a few times at once, then as long as the outage may last. */
  async #waitForAttempt(failure: ClaimsError, attempt: number, pauseMs: number): Promise<boolean> {
    const { retryPolicy, runtime } = this.#options;
    if (attempt < retryPolicy.maxAttempts && pauseMs <= retryPolicy.maxPauseMs) {
      this.#outages.recordFailure(failure);
      await this.#waitUntilAborted((signal) => runtime.sleep(pauseMs, signal));
      return true;
    }
    const growing = backoff(attempt, LONG_OUTAGE, runtime.random);
    return this.#waitUntilAborted((signal) =>
      this.#outages.waitForRetry(failure, Math.max(pauseMs, growing), signal),
    );
  }

  requestContext(request: RawRequest): RequestContext {
    const { baseUrl, signal, runtime } = this.#options;
    return {
      requestLine: `${request.method} ${baseUrl}${request.path}`,
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

  /** Milliseconds until another attempt; null if the response is final. Slows the limiter down in both cases. */
  #retryDelay(response: HttpResponse | ClaimsError, request: RawRequest, attempt: number): number | null {
    const { limiter, retryPolicy, runtime } = this.#options;
    const delay = backoff(attempt, retryPolicy, runtime.random);
    if (response instanceof ClaimsError) return delay;
    const pause = parseRetryAfter(response.headers, runtime.now()) ?? delay;
    if (isOverloaded(response) && pause <= retryPolicy.maxPauseMs) limiter?.slowDown(pause);
    return isRetryableResponse(response, isSafeToRetry(request)) ? pause : null;
  }

  async #sendWithinLimit(request: RawRequest, authorization: string | null): Promise<HttpResponse> {
    const { limiter } = this.#options;
    const release = limiter && (await this.#waitUntilAborted((signal) => limiter.acquire(signal)));
    try {
      return await this.#sendOnce(request, authorization);
    } finally {
      release?.();
    }
  }

  get #isAborted(): boolean {
    return this.#closing.signal.aborted || this.#options.signal?.aborted === true;
  }

  /** An abort during a wait is an interruption: nothing was sent. */
  async #waitUntilAborted<T>(wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal: aborted } = this.#options;
    const { signal, unlink } = linkSignals(this.#closing.signal, ...(aborted ? [aborted] : []));
    try {
      return await wait(signal);
    } catch (error) {
      throw signal.aborted ? interruptedError(error) : error;
    } finally {
      unlink();
    }
  }

  async #sendOnce(
    { method, path, headers, body: encode }: RawRequest,
    authorization: string | null,
  ): Promise<HttpResponse> {
    const { baseUrl, log, signal, runtime, userAgent } = this.#options;
    const encoded = encode?.();
    const startedAt = runtime.now();
    const logOutcome = (outcome: string) =>
      log?.(`${method} ${path} → ${outcome} (${Math.round(runtime.now() - startedAt)} ms)`);
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
