import { ClaimsError, interruption } from "../domain/errors.ts";
import { askedPause } from "../domain/retry-after.ts";
import type { ClientOptions } from "./client.ts";
import type { RawAnswer } from "./exchange.ts";
import { type Circumstances, codeOf, failure } from "./failure.ts";
import { isSafe, type RawRequest } from "./request.ts";
import { backoff, DEFAULT_PATIENCE, isRepeatable, isWorthRepeating, slowsAll } from "./retry.ts";
import { Transport } from "./transport.ts";

/** Sends a request, and again as long as that is right (product.md §4). */
export class Attempts {
  readonly #options: ClientOptions & { readonly requestTimeout: number };
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#options = { ...options, requestTimeout: options.requestTimeout ?? 60_000 };
    this.#transport = new Transport(this.#options);
  }

  /** Resolves to the first answer that is not worth another attempt, whatever its status. */
  async make(request: RawRequest, authorization: string | null): Promise<RawAnswer> {
    const { signal, surroundings, patience = DEFAULT_PATIENCE } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= patience.attempts;
      const answer = await this.#inTurn(request, authorization).catch((error: unknown) => {
        const stands = signal?.aborted || isLast || !mayRepeat(error, request);
        if (stands) throw failure(error, this.circumstances(request));
        return null;
      });
      if (answer === null) {
        await this.#interruptible(
          surroundings.sleep(backoff(attempt, patience, surroundings.random), signal),
        );
        continue;
      }
      const pause = this.#pauseAfter(answer, request, attempt);
      if (isLast || pause === null) return answer;
      await this.#interruptible(surroundings.sleep(pause, signal));
      answer.discard();
    }
  }

  /** What a failure of the request has to be explained with. */
  circumstances(request: RawRequest): Circumstances {
    const { baseUrl, requestTimeout, signal, surroundings } = this.#options;
    return {
      where: `${request.method} ${baseUrl}${request.path}`,
      safe: isSafe(request),
      mayBeSent: this.#transport.wasConnected,
      signal,
      requestTimeout,
      now: () => surroundings.now(),
    };
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Milliseconds until another attempt; null where the answer stands. A batch learns of it either way. */
  #pauseAfter(answer: RawAnswer, request: RawRequest, attempt: number): number | null {
    const { pace, patience = DEFAULT_PATIENCE, surroundings } = this.#options;
    const pause =
      askedPause(answer.headers, surroundings.now()) ?? backoff(attempt, patience, surroundings.random);
    if (pause > patience.longestPause) return null;
    if (slowsAll(answer)) pace?.slowDown(pause);
    const keyed = request.headers?.["idempotency-key"] !== undefined;
    return isWorthRepeating(answer, isSafe(request), keyed) ? pause : null;
  }

  async #inTurn(request: RawRequest, authorization: string | null): Promise<RawAnswer> {
    const { pace, signal } = this.#options;
    const release = pace && (await this.#interruptible(pace.turn(signal)));
    try {
      return await this.#once(request, authorization);
    } finally {
      release?.();
    }
  }

  /** What is stopped while it waits to be sent has not been sent. */
  async #interruptible<T>(waiting: Promise<T>): Promise<T> {
    try {
      return await waiting;
    } catch (error) {
      throw this.#options.signal?.aborted ? interruption(error) : error;
    }
  }

  async #once({ method, path, headers, body }: RawRequest, authorization: string | null): Promise<RawAnswer> {
    const { baseUrl, log, signal, surroundings, userAgent } = this.#options;
    const encoded = body?.();
    const startedAt = surroundings.now();
    const told = (outcome: string) =>
      log?.(`${method} ${path} → ${outcome} (${Math.round(surroundings.now() - startedAt)} ms)`);
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
      told(`${answer.status} ${isEcho ? "[redacted]" : id}`.trim());
      return answer;
    } catch (error) {
      told(codeOf(error));
      if (typeof encoded?.body === "object") encoded.body.destroy();
      throw error;
    }
  }
}

function mayRepeat(error: unknown, request: RawRequest): boolean {
  if (error instanceof ClaimsError) return error.retryable;
  return isRepeatable(codeOf(error), isSafe(request));
}
