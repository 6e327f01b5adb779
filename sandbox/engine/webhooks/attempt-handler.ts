import { clearTimeout, setTimeout } from "node:timers";
import type { Dispatcher } from "undici";
import { ByteCollector } from "../../../src/domain/byte-collector.ts";
import { type HeaderList, headerValues, pairRawHeaders } from "../../../src/domain/http-headers.ts";
import { parseRetryAfter } from "../../../src/domain/retry-after.ts";
import type { AttemptError } from "../../store/attempts.ts";
import { AttemptTimeoutError, classifyError, classifyResponse } from "./attempt-errors.ts";

/** The result of one attempt. Status, headers and excerpt are null if no response began. */
export interface SendResult {
  readonly durationMs: number;
  readonly status: number | null;
  readonly headers: HeaderList | null;
  /** The first {@link MAX_EXCERPT_BYTES} of the response body. */
  readonly excerpt: Uint8Array | null;
  /** The delay that a failing receiver requests. */
  readonly retryAfterMs: number | null;
  readonly error: AttemptError | null;
}

/** The connection of a longer response is closed. */
const MAX_EXCERPT_BYTES = 16_384;

interface AttemptHandlerOptions {
  readonly timeoutMs: number;
  readonly wallClock: () => number;
}

/** A constant, because creating an error for each attempt costs more than sending it. */
const ATTEMPT_OVER = new Error("the attempt is over");

type Controller = Dispatcher.DispatchController;

/** Handles one request and its response for undici. The first end counts. */
export class AttemptHandler implements Dispatcher.DispatchHandler {
  readonly #url: string;
  readonly #options: AttemptHandlerOptions;
  readonly #onEnd: (result: SendResult) => void;
  readonly #startedAt: number;
  readonly #timer: NodeJS.Timeout;
  readonly #excerpt = new ByteCollector();
  #controller: Controller | null = null;
  #status: number | null = null;
  #headers: HeaderList | null = null;
  #isDone = false;

  constructor(url: string, options: AttemptHandlerOptions, onEnd: (result: SendResult) => void) {
    this.#url = url;
    this.#options = options;
    this.#onEnd = onEnd;
    this.#startedAt = options.wallClock();
    this.#timer = setTimeout(() => this.#end(new AttemptTimeoutError()), options.timeoutMs);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    // The connection came too late, and nothing was sent on it.
    if (this.#isDone) controller.abort(ATTEMPT_OVER);
  }

  onResponseStart(controller: Controller, status: number): void {
    // Ignore interim responses (RFC 9110 §15.2).
    if (status < 200) return;
    this.#status = status;
    // undici has bytes, and each byte of a header is a character (RFC 9110 §5.5).
    const raw = controller.rawHeaders as readonly Buffer[];
    this.#headers = pairRawHeaders(raw.map((bytes) => bytes.toString("latin1")));
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    const room = MAX_EXCERPT_BYTES - this.#excerpt.length;
    this.#excerpt.append(chunk.subarray(0, room));
    if (chunk.length > room) this.#end(null);
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#end(error);
  }

  #end(cause: unknown): void {
    if (this.#isDone) return;
    this.#isDone = true;
    clearTimeout(this.#timer);
    const { wallClock } = this.#options;
    const error = this.#classify(cause);
    this.#onEnd({
      durationMs: wallClock() - this.#startedAt,
      status: this.#status,
      headers: this.#headers,
      excerpt: this.#headers && this.#excerpt.bytes(),
      retryAfterMs: error && this.#retryAfter(wallClock()),
      error,
    });
    // No effect if undici ended the request.
    this.#controller?.abort(ATTEMPT_OVER);
  }

  /** A failing status counts more than the end of its body. */
  #classify(cause: unknown): AttemptError | null {
    const status = this.#status;
    if (status !== null && (status < 200 || status > 299))
      return classifyResponse(status, this.#header("location"), this.#url);
    if (cause === null) return null;
    const { timeoutMs } = this.#options;
    return classifyError(cause, {
      url: this.#url,
      isConnected: this.#controller !== null,
      status,
      timeoutMs,
    });
  }

  #retryAfter(now: number): number | null {
    const retryAfter = this.#header("retry-after");
    if (retryAfter === undefined) return null;
    return parseRetryAfter({ "retry-after": retryAfter, date: this.#header("date") ?? "" }, now);
  }

  #header(wanted: string): string | undefined {
    return headerValues(this.#headers ?? [], wanted)[0];
  }
}
