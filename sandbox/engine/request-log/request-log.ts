import { Buffer } from "node:buffer";
import type { LoggedProblem } from "../../api/requests.ts";
import type { Caller } from "../../store/credentials.ts";
import type { Clock } from "../scheduler/clock.ts";
import { CapturedBody } from "./captured-body.ts";

/** The limit for the bodies of all requests together. */
const MAX_CAPTURED_BYTES_TOTAL = 32 * 1024 * 1024;

/** What the work on a request notes for the log. */
export interface RequestTrace {
  /** The id of the operation; null where no route matched. */
  operation: string | null;
  /** The template of the matched path: canonical, compatibility or alias. */
  route: string | null;
  problem: LoggedProblem | null;
  fault: string | null;
  /** What grease varied in the response: `dimension=variant`. */
  readonly varied: string[];
  /** The ids of the events that the request caused. */
  readonly events: string[];
}

export interface IncomingRequest {
  readonly requestId: string;
  readonly method: string;
  readonly target: string;
  readonly httpVersion: string;
  /** Alternating names and values, as Node lists them. */
  readonly headers: readonly string[];
  readonly trace: Readonly<RequestTrace>;
}

export interface RequestResult {
  readonly caller: Caller | null;
  readonly requestBody: CapturedBody | null;
  readonly status: number | null;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly body: CapturedBody | string | null;
  /** Whether the whole response was sent. */
  readonly isSent: boolean;
}

/** A request as received, with its credential: reading the log formats and redacts it. */
export interface RecordedRequest extends IncomingRequest {
  readonly kind: "request";
  readonly number: number;
  /** Its place among all that happens in the sandbox. */
  readonly timelinePosition: number;
  /** Sandbox time. */
  readonly at: number;
  /** Wall time from the start of the log to its arrival. */
  readonly arrivalOffsetMs: number;
  /** Null while the request is running. */
  result: RequestResult | null;
  /** Wall time; null while the request is running. */
  durationMs: number | null;
  /** Captured bytes of both bodies; null while the request is running, and after its bodies were evicted. */
  bodyBytes: number | null;
}

export interface RequestLogOptions {
  readonly clock: Clock;
  readonly nextTimelinePosition: () => number;
  readonly onEnd: (request: RecordedRequest) => void;
  /** Requests to keep. */
  readonly size: number;
  /** Milliseconds of wall time since any start. */
  readonly monotonicNow: () => number;
}

/** A ring of the latest requests to the service. */
export class RequestLog {
  readonly #options: RequestLogOptions;
  readonly #startedAt: number;
  #ring: RecordedRequest[] = [];
  #lastNumber = 0;
  #bodyBytes = 0;
  /** Requests before this one have no captured body. */
  #firstWithBody = 1;

  constructor(options: RequestLogOptions) {
    this.#options = options;
    this.#startedAt = options.monotonicNow();
  }

  /** Milliseconds of wall time since any start. */
  monotonicNow(): number {
    return this.#options.monotonicNow();
  }

  /** The logged requests, the newest last. */
  entries(): RecordedRequest[] {
    if (this.#lastNumber < this.#options.size) return [...this.#ring];
    const first = this.#lastNumber % this.#options.size;
    return [...this.#ring.slice(first), ...this.#ring.slice(0, first)];
  }

  begin(incoming: IncomingRequest): RecordedRequest {
    this.#lastNumber += 1;
    // Name by name: a spread makes an object that costs a hundred times as much.
    const request: RecordedRequest = {
      kind: "request",
      requestId: incoming.requestId,
      method: incoming.method,
      target: incoming.target,
      httpVersion: incoming.httpVersion,
      headers: incoming.headers,
      trace: incoming.trace,
      number: this.#lastNumber,
      timelinePosition: this.#options.nextTimelinePosition(),
      at: this.#options.clock.now(),
      arrivalOffsetMs: this.monotonicNow() - this.#startedAt,
      result: null,
      durationMs: null,
      bodyBytes: null,
    };
    const slot = (this.#lastNumber - 1) % this.#options.size;
    this.#bodyBytes -= this.#ring[slot]?.bodyBytes ?? 0;
    this.#ring[slot] = request;
    return request;
  }

  /** @param endedAt of `monotonicNow` */
  end(request: RecordedRequest, result: RequestResult, endedAt = this.monotonicNow()): void {
    request.result = result;
    request.durationMs = endedAt - this.#startedAt - request.arrivalOffsetMs;
    if (this.#ring[(request.number - 1) % this.#options.size] === request) this.#countBodies(request, result);
    this.#options.onEnd(request);
  }

  find(numberOrRequestId: number | string): RecordedRequest | undefined {
    return this.entries().findLast(
      ({ number, requestId }) => numberOrRequestId === number || numberOrRequestId === requestId,
    );
  }

  clear(): void {
    this.#ring = [];
    this.#lastNumber = 0;
    this.#bodyBytes = 0;
    this.#firstWithBody = 1;
  }

  #countBodies(request: RecordedRequest, { requestBody, body }: RequestResult): void {
    const bytes = typeof body === "string" ? body.length : (body?.capturedBytes ?? 0);
    request.bodyBytes = (requestBody?.capturedBytes ?? 0) + bytes;
    this.#bodyBytes += request.bodyBytes;
    if (request.number < this.#firstWithBody) this.#firstWithBody = request.number;
    if (this.#bodyBytes > MAX_CAPTURED_BYTES_TOTAL) this.#evictBodies();
  }

  #evictBodies(): void {
    let number = Math.max(this.#firstWithBody, this.#lastNumber - this.#options.size + 1);
    for (; this.#bodyBytes > MAX_CAPTURED_BYTES_TOTAL && number <= this.#lastNumber; number += 1) {
      const oldest = this.#ring[(number - 1) % this.#options.size];
      if (!oldest?.result || oldest.bodyBytes === null) continue;
      this.#bodyBytes -= oldest.bodyBytes;
      oldest.bodyBytes = null;
      const { requestBody, body } = oldest.result;
      oldest.result = { ...oldest.result, requestBody: evictBody(requestBody), body: evictBody(body) };
    }
    this.#firstWithBody = number;
  }
}

const evictBody = (body: CapturedBody | string | null): CapturedBody | null =>
  body === null
    ? null
    : CapturedBody.sizeOnly(typeof body === "string" ? Buffer.byteLength(body) : body.size);
