import { Buffer } from "node:buffer";
import type { Caller } from "../../store/credentials.ts";
import type { Clock } from "../clock.ts";
import { BodyHead } from "./body-head.ts";

/** Bytes of bodies that are kept of all requests together. */
const MOST_OF_ALL_BODIES = 32 * 1024 * 1024;

/** What the layers behind a request note of it. */
interface Notes {
  readonly operation: string | null;
  readonly route: string | null;
  readonly fault: string | null;
  readonly varied: readonly string[];
  /** Ids of events. */
  readonly events: readonly string[];
}

/** A request as it arrives. */
export interface Arrival {
  readonly requestId: string;
  readonly method: string;
  readonly target: string;
  readonly httpVersion: string;
  /** Names and values in turn, as Node has them. */
  readonly headers: readonly string[];
  readonly notes: Notes;
  /** The caller's port. */
  readonly port: number | undefined;
}

/** What is known of a request when it has ended. */
export interface Departure {
  readonly caller: Caller | null;
  readonly requestBody: BodyHead | null;
  readonly status: number | null;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: BodyHead | string | null;
  /** Whether the whole answer was sent. */
  readonly isSent: boolean;
}

/** A request as it is kept: as it came, with the credential, neither formatted nor copied. */
export interface Exchange extends Arrival {
  readonly number: number;
  /** Milliseconds of sandbox time. */
  readonly at: number;
  readonly replayOf: number | null;
  /** Null while it is running. */
  ended: Departure | null;
  /** Milliseconds of wall time: when it began, and how long it took when it has ended. */
  stopwatch: number;
  /** Bytes that its bodies hold; they are gone where it has ended and this is null. */
  weight: number | null;
}

export interface JournalOptions {
  readonly clock: Clock;
  /** Requests; 0 keeps none. */
  readonly size: number;
  /** Milliseconds of wall time since whenever. */
  readonly stopwatch: () => number;
}

/** A ring of the last requests to the service. Taking one down costs next to nothing; reading is what formats it. */
export class Journal {
  readonly size: number;
  readonly #clock: Clock;
  readonly #stopwatch: () => number;
  #ring: Exchange[] = [];
  #last = 0;
  #weight = 0;
  /** No request before this one has a body. */
  #firstWithBody = 1;
  readonly #followers = new Set<(exchange: Exchange) => void>();
  /** By the port that they are sent from: a header of ours would change what is sent. */
  readonly #replays = new Map<number, number>();

  constructor({ clock, size, stopwatch }: JournalOptions) {
    this.size = size;
    this.#clock = clock;
    this.#stopwatch = stopwatch;
  }

  /** Null where no request is kept. */
  begin(arrival: Arrival): Exchange | null {
    if (this.size === 0) return null;
    this.#last += 1;
    // Name by name: a spread makes an object that costs a hundred times as much.
    const exchange: Exchange = {
      requestId: arrival.requestId,
      method: arrival.method,
      target: arrival.target,
      httpVersion: arrival.httpVersion,
      headers: arrival.headers,
      notes: arrival.notes,
      port: arrival.port,
      number: this.#last,
      at: this.#clock.now(),
      replayOf: this.#replays.size > 0 ? (this.#replays.get(arrival.port ?? 0) ?? null) : null,
      ended: null,
      stopwatch: this.#stopwatch(),
      weight: null,
    };
    const slot = (this.#last - 1) % this.size;
    this.#weight -= this.#ring[slot]?.weight ?? 0;
    this.#ring[slot] = exchange;
    return exchange;
  }

  end(exchange: Exchange, departure: Departure): void {
    exchange.ended = departure;
    exchange.stopwatch = this.#stopwatch() - exchange.stopwatch;
    if (this.#ring[(exchange.number - 1) % this.size] === exchange) this.#hold(exchange, departure);
    if (this.#followers.size > 0) for (const tell of this.#followers) tell(exchange);
  }

  /** Those that are kept, the newest last. */
  kept(): Exchange[] {
    const first = this.#last % this.size;
    return this.#last < this.size
      ? [...this.#ring]
      : [...this.#ring.slice(first), ...this.#ring.slice(0, first)];
  }

  find(numberOrRequestId: number | string): Exchange | undefined {
    return this.kept().findLast(({ number, requestId }) =>
      typeof numberOrRequestId === "number" ? number === numberOrRequestId : requestId === numberOrRequestId,
    );
  }

  clear(): void {
    this.#ring = [];
    this.#last = 0;
    this.#weight = 0;
    this.#firstWithBody = 1;
  }

  /** Tells of each request as it ends; what comes back ends that. */
  follow(tell: (exchange: Exchange) => void): () => void {
    this.#followers.add(tell);
    return () => this.#followers.delete(tell);
  }

  /** What comes from this port repeats another request. What comes back takes that back. */
  markReplay(port: number, of: number): () => void {
    this.#replays.set(port, of);
    return () => this.#replays.delete(port);
  }

  #hold(exchange: Exchange, { requestBody, body }: Departure): void {
    exchange.weight = (requestBody?.kept ?? 0) + (typeof body === "string" ? body.length : (body?.kept ?? 0));
    this.#weight += exchange.weight;
    if (exchange.number < this.#firstWithBody) this.#firstWithBody = exchange.number;
    if (this.#weight > MOST_OF_ALL_BODIES) this.#lighten();
  }

  #lighten(): void {
    let number = Math.max(this.#firstWithBody, this.#last - this.size + 1);
    for (; this.#weight > MOST_OF_ALL_BODIES && number <= this.#last; number += 1) {
      const oldest = this.#ring[(number - 1) % this.size];
      if (!oldest?.ended || oldest.weight === null) continue;
      this.#weight -= oldest.weight;
      oldest.weight = null;
      const { requestBody, body } = oldest.ended;
      oldest.ended = { ...oldest.ended, requestBody: emptied(requestBody), body: emptied(body) };
    }
    this.#firstWithBody = number;
  }
}

const emptied = (body: BodyHead | string | null): BodyHead | null =>
  body === null ? null : BodyHead.ofSize(typeof body === "string" ? Buffer.byteLength(body) : body.size);
