import { clearTimeout, setTimeout } from "node:timers";
import type { Dispatcher } from "undici";
import { parseRetryAfter } from "../../../src/domain/retry-after.ts";
import {
  type AttemptError,
  AttemptTimeoutError,
  classifyError,
  classifyResponse,
  isSuccess,
} from "./attempt-errors.ts";

/** What became of one attempt. */
export interface SendResult {
  readonly durationMs: number;
  /** Null where no answer began. */
  readonly status: number | null;
  /** Of the answer, as they came; null where none began. */
  readonly headers: readonly (readonly [name: string, value: string])[] | null;
  /** The beginning of the answer's body, {@link MAX_EXCERPT_BYTES} at most; null where no answer began. */
  readonly excerpt: Uint8Array | null;
  /** The pause that a failing receiver asked for. */
  readonly retryAfterMs: number | null;
  /** Null for a success. */
  readonly error: AttemptError | null;
}

/** Of an answer, no more is read; its connection is let go then. */
const MAX_EXCERPT_BYTES = 16_384;

interface AttemptHandlerOptions {
  readonly timeoutMs: number;
  readonly wallClock: () => number;
}

/** Why a request is aborted; nobody is told, and making an error for each attempt would cost more than sending it. */
const ATTEMPT_OVER = new Error("the exchange is over");

type Controller = Dispatcher.DispatchController;

/** One request and its answer, as undici tells of them. It ends once, whatever comes after. */
export class AttemptHandler implements Dispatcher.DispatchHandler {
  readonly #url: string;
  readonly #options: AttemptHandlerOptions;
  readonly #onEnd: (posted: SendResult) => void;
  readonly #begunAt: number;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #controller: Controller | null = null;
  #status: number | null = null;
  #headers: SendResult["headers"] = null;
  #isDone = false;

  constructor(url: string, options: AttemptHandlerOptions, onEnd: (posted: SendResult) => void) {
    this.#url = url;
    this.#options = options;
    this.#onEnd = onEnd;
    this.#begunAt = options.wallClock();
    this.#timer = setTimeout(() => this.#end(new AttemptTimeoutError()), options.timeoutMs);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    // The connection came too late: nothing has been sent on it yet.
    if (this.#isDone) controller.abort(ATTEMPT_OVER);
  }

  onResponseStart(controller: Controller, status: number): void {
    // Interim answers say nothing that counts (RFC 9110 §15.2).
    if (status < 200) return;
    this.#status = status;
    this.#headers = toHeaderPairs(controller.rawHeaders as Buffer[]);
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size > MAX_EXCERPT_BYTES) this.#end(null);
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#end(error);
  }

  #end(error: unknown): void {
    if (this.#isDone) return;
    this.#isDone = true;
    clearTimeout(this.#timer);
    const failure = this.#failure(error);
    this.#onEnd({
      durationMs: this.#options.wallClock() - this.#begunAt,
      status: this.#status,
      headers: this.#headers,
      excerpt: this.#headers && Buffer.concat(this.#chunks, Math.min(this.#size, MAX_EXCERPT_BYTES)),
      retryAfterMs: failure && this.#retryAfter(),
      error: failure,
    });
    // Of no effect where undici has seen the end itself.
    this.#controller?.abort(ATTEMPT_OVER);
  }

  /** A status that is none of success is the reason, however its body ended. */
  #failure(error: unknown): AttemptError | null {
    const status = this.#status;
    if (status !== null && !isSuccess(status))
      return classifyResponse(status, this.#header("location"), this.#url);
    if (error === null) return null;
    const { timeoutMs } = this.#options;
    return classifyError(error, {
      url: this.#url,
      isConnected: this.#controller !== null,
      status,
      timeoutMs,
    });
  }

  #retryAfter(): number | null {
    const asked = this.#header("retry-after");
    if (asked === undefined) return null;
    const date = this.#header("date") ?? "";
    return parseRetryAfter({ "retry-after": asked, date }, this.#options.wallClock());
  }

  #header(wanted: string): string | undefined {
    return this.#headers?.find(([name]) => name.toLowerCase() === wanted)?.[1];
  }
}

/** undici has names and values in turn, as bytes; a byte of a header is a character (RFC 9110 §5.5). */
function toHeaderPairs(raw: readonly Buffer[]): [name: string, value: string][] {
  const list: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2)
    list.push([raw[at]?.toString("latin1") ?? "", raw[at + 1]?.toString("latin1") ?? ""]);
  return list;
}
