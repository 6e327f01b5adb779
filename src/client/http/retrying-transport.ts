import { ClaimsError, interruptedError } from "../../domain/errors.ts";
import { findErrorCode } from "../../domain/net.ts";
import { parseRetryAfter } from "../../domain/retry-after.ts";
import type { ClientOptions } from "../client.ts";
import { isSafeToRetry, type RawRequest } from "../request.ts";
import type { HttpResponse } from "./exchange.ts";
import { type RequestContext, toRequestError } from "./request-errors.ts";
import {
  backoff,
  DEFAULT_RETRY_POLICY,
  isOverloaded,
  isRetryableCode,
  isRetryableResponse,
} from "./retry.ts";
import { Transport } from "./transport.ts";

/** Sends a request, and again as long as that is right (product.md §4). */
export class RetryingTransport {
  readonly #options: ClientOptions & { readonly requestTimeoutMs: number };
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#options = { ...options, requestTimeoutMs: options.requestTimeoutMs ?? 60_000 };
    this.#transport = new Transport(this.#options);
  }

  /** Resolves to the first answer that is not worth another attempt, whatever its status. */
  async send(request: RawRequest, authorization: string | null): Promise<HttpResponse> {
    const { signal, runtime, retryPolicy = DEFAULT_RETRY_POLICY } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= retryPolicy.maxAttempts;
      const answer = await this.#sendWithinLimit(request, authorization).catch((error: unknown) => {
        const isFinal = signal?.aborted || isLast || !canRetry(error, request);
        if (isFinal) throw toRequestError(error, this.requestContext(request));
        return null;
      });
      if (answer === null) {
        await this.#rejectWithInterruption(
          runtime.sleep(backoff(attempt, retryPolicy, runtime.random), signal),
        );
        continue;
      }
      const pause = this.#retryDelay(answer, request, attempt);
      if (isLast || pause === null) return answer;
      await this.#rejectWithInterruption(runtime.sleep(pause, signal));
      answer.discard();
    }
  }

  /** What a failure of the request has to be explained with. */
  requestContext(request: RawRequest): RequestContext {
    const { baseUrl, requestTimeoutMs, signal, runtime } = this.#options;
    return {
      requestLine: `${request.method} ${baseUrl}${request.path}`,
      isSafeToRetry: isSafeToRetry(request),
      mayHaveBeenSent: this.#transport.wasConnected,
      signal,
      requestTimeoutMs,
      now: () => runtime.now(),
    };
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Milliseconds until another attempt; null where the answer stands. A batch learns of it either way. */
  #retryDelay(answer: HttpResponse, request: RawRequest, attempt: number): number | null {
    const { limiter, retryPolicy = DEFAULT_RETRY_POLICY, runtime } = this.#options;
    const pause =
      parseRetryAfter(answer.headers, runtime.now()) ?? backoff(attempt, retryPolicy, runtime.random);
    if (pause > retryPolicy.maxPauseMs) return null;
    if (isOverloaded(answer)) limiter?.slowDown(pause);
    const hasIdempotencyKey = request.headers?.["idempotency-key"] !== undefined;
    return isRetryableResponse(answer, isSafeToRetry(request), hasIdempotencyKey) ? pause : null;
  }

  async #sendWithinLimit(request: RawRequest, authorization: string | null): Promise<HttpResponse> {
    const { limiter, signal } = this.#options;
    const release = limiter && (await this.#rejectWithInterruption(limiter.acquire(signal)));
    try {
      return await this.#sendOnce(request, authorization);
    } finally {
      release?.();
    }
  }

  /** What is stopped while it waits to be sent has not been sent. */
  async #rejectWithInterruption<T>(waiting: Promise<T>): Promise<T> {
    try {
      return await waiting;
    } catch (error) {
      throw this.#options.signal?.aborted ? interruptedError(error) : error;
    }
  }

  async #sendOnce(
    { method, path, headers, body }: RawRequest,
    authorization: string | null,
  ): Promise<HttpResponse> {
    const { baseUrl, log, signal, runtime, userAgent } = this.#options;
    const encoded = body?.();
    const startedAt = runtime.now();
    const logOutcome = (outcome: string) =>
      log?.(`${method} ${path} → ${outcome} (${Math.round(runtime.now() - startedAt)} ms)`);
    try {
      const answer = await this.#transport.send({
        method,
        url: baseUrl + path,
        headers: {
          "user-agent": userAgent,
          ...(authorization !== null && { authorization }),
          ...headers,
          ...encoded?.headers,
        },
        body: encoded?.body,
        signal,
      });
      // A service may repeat what it was sent, wherever it likes.
      const id = answer.headers["x-request-id"] ?? "";
      const isEcho = authorization !== null && id.includes(authorization.replace(/^Bearer /, ""));
      logOutcome(`${answer.status} ${isEcho ? "[redacted]" : id}`.trim());
      return answer;
    } catch (error) {
      logOutcome(findErrorCode(error));
      if (typeof encoded?.body === "object") encoded.body.destroy();
      throw error;
    }
  }
}

function canRetry(error: unknown, request: RawRequest): boolean {
  if (error instanceof ClaimsError) return error.retryable;
  return isRetryableCode(findErrorCode(error), isSafeToRetry(request));
}
