import { Buffer } from "node:buffer";
import { createRandomNumbers } from "../../src/domain/random-numbers.ts";
import type { HeaderList } from "../../src/domain/webhooks/headers.ts";
import { verify } from "../../src/domain/webhooks/signature.ts";
import type { SinkSummary } from "../api/control.ts";
import type { SinkRequest } from "../api/webhooks.ts";
import type { RandomSource } from "./random.ts";
import { type Clock, formatTime } from "./scheduler/clock.ts";

/** Requests that all sinks together keep. */
const MAX_KEPT_REQUESTS = 1_000;

/** Bytes of a body that are kept; it is judged as a whole. */
const MAX_KEPT_BODY_BYTES = 64 * 1024;

/** Where a sink is, from the sandbox's own base URL. */
export const sinkPath = (name: string): string => `/_sandbox/sink/${name}`;

/** How a sink answers, as the query of its URL says. */
export interface SinkBehaviour {
  /** What it answers; where it fails only at times, what it answers then. */
  readonly status: number;
  /** How likely it fails, 0 to 1; null: it always answers `status`. */
  readonly failProbability: number | null;
  /** Only its first requests fail; null: there is no end to it. */
  readonly failCount: number | null;
  /** Milliseconds of wall time before the answer. */
  readonly delayMs: number;
  /** Seconds, sent as Retry-After with a status that is no success. */
  readonly retryAfterSeconds: number | null;
}

/** What one request to a sink was. */
export interface IncomingRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** As they came: names, values, order. */
  readonly headers: HeaderList;
  readonly body: Uint8Array;
}

/** What sinks remember, as JSON. */
export interface SavedSinks {
  readonly kept: readonly SinkRequest[];
  readonly counts: readonly (readonly [sink: string, requests: number])[];
}

interface SinksOptions {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** The signing secrets of the endpoints that point at a sink. */
  readonly secretsFor: (sink: string) => readonly string[];
}

/** The built-in receivers (product.md §5, control API): they judge what arrives, keep it, and answer as they are told to. */
export class Sinks {
  readonly #options: SinksOptions;
  readonly #salt: string;
  #kept: SinkRequest[] = [];
  #counts = new Map<string, number>();

  constructor(options: SinksOptions) {
    this.#options = options;
    this.#salt = options.random.hex("sink", 16);
  }

  /** Takes a request down; `answered` tells later what became of its answer. */
  receive(
    name: string,
    request: IncomingRequest,
    behaviour: SinkBehaviour,
  ): { readonly entry: SinkRequest; readonly status: number; readonly answered: () => void } {
    const { clock } = this.#options;
    const number = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, number);
    const { method, target, headers, body } = request;
    const entry = {
      sink: name,
      number,
      at: formatTime(clock.now()),
      method,
      target,
      headers,
      bodyBase64: Buffer.from(body.subarray(0, MAX_KEPT_BODY_BYTES)).toString("base64"),
      size: body.length,
      answered: null as number | null,
      ...this.#verify(name, request),
    };
    this.#kept.push(entry);
    if (this.#kept.length > MAX_KEPT_REQUESTS) this.#kept.shift();
    const status = this.#shouldFail(name, number, behaviour) ? behaviour.status : 200;
    return {
      entry,
      status,
      answered: () => {
        entry.answered = status;
      },
    };
  }

  /** Every sink that something of is kept, by name. */
  list(): SinkSummary[] {
    const names = [...new Set(this.#kept.map(({ sink }) => sink))].sort();
    return names.map((name) => {
      const kept = this.entriesOf(name);
      return {
        name,
        requests: kept.length,
        valid: kept.filter(({ verdict }) => verdict === "valid").length,
        lastAt: kept.at(-1)?.at ?? "",
      };
    });
  }

  /** What a sink was sent, the newest last. */
  entriesOf(name: string): readonly SinkRequest[] {
    return this.#kept.filter(({ sink }) => sink === name);
  }

  /** Forgets a sink: its next request is the first one again. */
  clear(name: string): void {
    this.#kept = this.#kept.filter(({ sink }) => sink !== name);
    this.#counts.delete(name);
  }

  /** Forgets all of them. */
  reset(): void {
    this.#kept = [];
    this.#counts = new Map();
  }

  save(): SavedSinks {
    return { kept: this.#kept.map((entry) => ({ ...entry })), counts: [...this.#counts] };
  }

  restore({ kept, counts }: SavedSinks): void {
    this.#kept = kept.map((entry) => ({ ...entry }));
    this.#counts = new Map(counts);
  }

  #verify(name: string, { headers, body }: IncomingRequest): Pick<SinkRequest, "verdict" | "reason"> {
    const secrets = this.#options.secretsFor(name);
    const { verdict, reason } = verify({ secrets, headers, body });
    if (verdict !== "mismatch" || secrets.length > 0)
      return { verdict: verdict as SinkRequest["verdict"], reason };
    return { verdict: "unknown_endpoint", reason: `no endpoint points at the sink ${name}` };
  }

  /** Drawn for each request on its own: what other sinks are sent meanwhile must not matter. */
  #shouldFail(
    name: string,
    number: number,
    { failProbability: fail, failCount: times }: SinkBehaviour,
  ): boolean {
    if (times !== null && number > times) return false;
    return fail === null || createRandomNumbers(`${this.#salt}/${name}/${number}`)() / 2 ** 32 < fail;
  }
}
