import { Buffer } from "node:buffer";
import type { Caller } from "../../store/credentials.ts";
import type { Clock } from "../scheduler/clock.ts";
import { CapturedBody } from "./captured-body.ts";

/** Bytes of bodies that are kept of all requests together. */
const MAX_CAPTURED_BYTES_TOTAL = 32 * 1024 * 1024;

/** What the layers behind a request note of it. */
interface RequestNotes {
  readonly operation: string | null;
  readonly route: string | null;
  readonly fault: string | null;
  readonly varied: readonly string[];
  /** Ids of events. */
  readonly events: readonly string[];
}

/** A request as it arrives. */
export interface IncomingRequest {
  readonly requestId: string;
  readonly method: string;
  readonly target: string;
  readonly httpVersion: string;
  /** Names and values in turn, as Node has them. */
  readonly headers: readonly string[];
  readonly notes: RequestNotes;
  /** The caller's port. */
  readonly port: number | undefined;
}

/** What is known of a request when it has ended. */
export interface RequestResult {
  readonly caller: Caller | null;
  readonly requestBody: CapturedBody | null;
  readonly status: number | null;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: CapturedBody | string | null;
  /** Whether the whole answer was sent. */
  readonly isSent: boolean;
}

/** A request as it is kept: as it came, with the credential, neither formatted nor copied. */
export interface RecordedRequest extends IncomingRequest {
  readonly number: number;
  /** Milliseconds of sandbox time. */
  readonly at: number;
  readonly replayOf: number | null;
  /** Null while it is running. */
  result: RequestResult | null;
  /** Milliseconds of wall time: when it began, and how long it took when it has ended. */
  stopwatch: number;
  /** Bytes that its bodies hold; they are gone where it has ended and this is null. */
  bodyBytes: number | null;
}

export interface RequestLogOptions {
  readonly clock: Clock;
  /** Requests; 0 keeps none. */
  readonly size: number;
  /** Milliseconds of wall time since whenever. */
  readonly stopwatch: () => number;
}

/** A ring of the last requests to the service. Taking one down costs next to nothing; reading is what formats it. */
export class RequestLog {
  readonly size: number;
  readonly #clock: Clock;
  readonly #stopwatch: () => number;
  #ring: RecordedRequest[] = [];
  #lastNumber = 0;
  #bodyBytes = 0;
  /** No request before this one has a body. */
  #firstWithBody = 1;
  readonly #followers = new Set<(exchange: RecordedRequest) => void>();
  /** By the port that they are sent from: a header of ours would change what is sent. */
  readonly #replays = new Map<number, number>();

  constructor({ clock, size, stopwatch }: RequestLogOptions) {
    this.size = size;
    this.#clock = clock;
    this.#stopwatch = stopwatch;
  }

  /** Null where no request is kept. */
  begin(arrival: IncomingRequest): RecordedRequest | null {
    if (this.size === 0) return null;
    this.#lastNumber += 1;
    // Name by name: a spread makes an object that costs a hundred times as much.
    const exchange: RecordedRequest = {
      requestId: arrival.requestId,
      method: arrival.method,
      target: arrival.target,
      httpVersion: arrival.httpVersion,
      headers: arrival.headers,
      notes: arrival.notes,
      port: arrival.port,
      number: this.#lastNumber,
      at: this.#clock.now(),
      replayOf: this.#replays.size > 0 ? (this.#replays.get(arrival.port ?? 0) ?? null) : null,
      result: null,
      stopwatch: this.#stopwatch(),
      bodyBytes: null,
    };
    const slot = (this.#lastNumber - 1) % this.size;
    this.#bodyBytes -= this.#ring[slot]?.bodyBytes ?? 0;
    this.#ring[slot] = exchange;
    return exchange;
  }

  end(exchange: RecordedRequest, departure: RequestResult): void {
    exchange.result = departure;
    exchange.stopwatch = this.#stopwatch() - exchange.stopwatch;
    if (this.#ring[(exchange.number - 1) % this.size] === exchange) this.#countBody(exchange, departure);
    if (this.#followers.size > 0) for (const tell of this.#followers) tell(exchange);
  }

  /** Those that are kept, the newest last. */
  entries(): RecordedRequest[] {
    const first = this.#lastNumber % this.size;
    return this.#lastNumber < this.size
      ? [...this.#ring]
      : [...this.#ring.slice(first), ...this.#ring.slice(0, first)];
  }

  find(numberOrRequestId: number | string): RecordedRequest | undefined {
    return this.entries().findLast(({ number, requestId }) =>
      typeof numberOrRequestId === "number" ? number === numberOrRequestId : requestId === numberOrRequestId,
    );
  }

  clear(): void {
    this.#ring = [];
    this.#lastNumber = 0;
    this.#bodyBytes = 0;
    this.#firstWithBody = 1;
  }

  /** Tells of each request as it ends; what comes back ends that. */
  follow(tell: (exchange: RecordedRequest) => void): () => void {
    this.#followers.add(tell);
    return () => this.#followers.delete(tell);
  }

  /** What comes from this port repeats another request. What comes back takes that back. */
  markReplay(port: number, of: number): () => void {
    this.#replays.set(port, of);
    return () => this.#replays.delete(port);
  }

  #countBody(exchange: RecordedRequest, { requestBody, body }: RequestResult): void {
    exchange.bodyBytes =
      (requestBody?.capturedBytes ?? 0) +
      (typeof body === "string" ? body.length : (body?.capturedBytes ?? 0));
    this.#bodyBytes += exchange.bodyBytes;
    if (exchange.number < this.#firstWithBody) this.#firstWithBody = exchange.number;
    if (this.#bodyBytes > MAX_CAPTURED_BYTES_TOTAL) this.#evictBodies();
  }

  #evictBodies(): void {
    let number = Math.max(this.#firstWithBody, this.#lastNumber - this.size + 1);
    for (; this.#bodyBytes > MAX_CAPTURED_BYTES_TOTAL && number <= this.#lastNumber; number += 1) {
      const oldest = this.#ring[(number - 1) % this.size];
      if (!oldest?.result || oldest.bodyBytes === null) continue;
      this.#bodyBytes -= oldest.bodyBytes;
      oldest.bodyBytes = null;
      const { requestBody, body } = oldest.result;
      oldest.result = { ...oldest.result, requestBody: dropContent(requestBody), body: dropContent(body) };
    }
    this.#firstWithBody = number;
  }
}

const dropContent = (body: CapturedBody | string | null): CapturedBody | null =>
  body === null
    ? null
    : CapturedBody.sizeOnly(typeof body === "string" ? Buffer.byteLength(body) : body.size);
