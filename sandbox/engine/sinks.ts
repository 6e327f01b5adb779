import { Buffer } from "node:buffer";
import { createRandomNumbers } from "../../src/domain/random-numbers.ts";
import type { HeaderList } from "../../src/domain/webhooks/headers.ts";
import { verify } from "../../src/domain/webhooks/signature.ts";
import type { SinkSummary } from "../api/control.ts";
import type { SinkRequest } from "../api/webhooks.ts";
import type { RandomSource } from "./random.ts";
import { type Clock, formatTime } from "./scheduler/clock.ts";

/** Of all sinks together. */
const MAX_KEPT_REQUESTS = 1_000;

/** The signature is verified over the whole body. */
const MAX_KEPT_BODY_BYTES = 64 * 1024;

/** The path of a sink below the sandbox's base URL. */
export const sinkPath = (name: string): string => `/_sandbox/sink/${name}`;

interface SinkBehaviour {
  /** The status of a response that fails, or of every response. */
  readonly status: number;
  /** From 0 to 1; null if every response has the status. */
  readonly failProbability: number | null;
  /** Only the first requests fail; null for no limit. */
  readonly failCount: number | null;
}

interface IncomingRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: HeaderList;
  readonly body: Uint8Array;
}

/** The state of all sinks, as JSON. */
export interface SavedSinks {
  readonly kept: readonly SinkRequest[];
  readonly counts: readonly (readonly [sink: string, requests: number])[];
}

interface SinksOptions {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Returns the signing secrets of the endpoints that point at a sink. */
  readonly secretsFor: (sink: string) => readonly string[];
}

/** The built-in receivers (product.md §5, control API): they verify, keep and answer requests. */
export class Sinks {
  readonly #options: SinksOptions;
  readonly #salt: string;
  #kept: SinkRequest[] = [];
  #counts = new Map<string, number>();

  constructor(options: SinksOptions) {
    this.#options = options;
    this.#salt = options.random.hex("sink", 16);
  }

  /** Keeps a request. Call `answered` when its response is sent. */
  receive(
    name: string,
    request: IncomingRequest,
    behaviour: SinkBehaviour,
  ): { readonly entry: SinkRequest; readonly status: number; readonly answered: () => void } {
    const number = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, number);
    const { method, target, headers, body } = request;
    const entry = {
      sink: name,
      number,
      at: formatTime(this.#options.clock.now()),
      method,
      target,
      headers,
      bodyBase64: Buffer.from(body.subarray(0, MAX_KEPT_BODY_BYTES)).toString("base64"),
      size: body.length,
      responseStatus: null as number | null,
      ...this.#verify(name, request),
    };
    this.#kept.push(entry);
    if (this.#kept.length > MAX_KEPT_REQUESTS) this.#kept.shift();
    const status = this.#shouldFail(name, number, behaviour) ? behaviour.status : 200;
    const answered = () => {
      entry.responseStatus = status;
    };
    return { entry, status, answered };
  }

  /** The sinks with kept requests, by name. */
  list(): SinkSummary[] {
    const names = [...new Set(this.#kept.map(({ sink }) => sink))].sort();
    return names.map((name) => {
      const kept = this.entriesOf(name);
      const valid = kept.filter(({ verdict }) => verdict === "valid").length;
      return { name, requests: kept.length, valid, lastAt: kept.at(-1)?.at ?? "" };
    });
  }

  /** The kept requests of a sink, the newest last. */
  entriesOf(name: string): readonly SinkRequest[] {
    return this.#kept.filter(({ sink }) => sink === name);
  }

  /** Deletes the requests of a sink, and counts from 1 again. */
  clear(name: string): void {
    this.#kept = this.#kept.filter(({ sink }) => sink !== name);
    this.#counts.delete(name);
  }

  reset(): void {
    this.restore({ kept: [], counts: [] });
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

  /** Draws for each request separately, so that it does not depend on other sinks. */
  #shouldFail(name: string, number: number, { failProbability, failCount }: SinkBehaviour): boolean {
    if (failCount !== null && number > failCount) return false;
    if (failProbability === null) return true;
    return createRandomNumbers(`${this.#salt}/${name}/${number}`)() / 2 ** 32 < failProbability;
  }
}
