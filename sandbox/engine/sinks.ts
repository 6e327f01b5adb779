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

/** Anyone can send a request to a sink of any name; the count of the one that began first is forgotten. */
const MAX_COUNTED_SINKS = 10_000;

/** The signature is verified over the whole body. */
const MAX_KEPT_BODY_BYTES = 64 * 1024;

/** The path of a sink below the sandbox's base URL begins with it. */
export const SINK_PREFIX = "/_sandbox/sink/";

export const sinkPath = (name: string): string => `${SINK_PREFIX}${name}`;

export interface SinkBehaviour {
  /** The status of a response that fails, or of every response. */
  readonly status: number;
  /** From 0 to 1; null if every response has the status. */
  readonly failProbability: number | null;
  /** Only the first requests fail; null for no limit. */
  readonly failCount: number | null;
}

export interface ReceivedRequest {
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

/**
 * The built-in receivers (product.md §5, control API): they verify, keep and answer requests.
 *
 * @param secretsFor returns the signing secrets of the endpoints that point at a sink
 */
export function createSinks(
  clock: Clock,
  random: RandomSource,
  secretsFor: (sink: string) => readonly string[],
) {
  const salt = random.hex("sink", 16);
  let kept: SinkRequest[] = [];
  let counts = new Map<string, number>();
  /** How the next requests to a sink are answered, whatever its URL says. */
  const failures = new Map<string, { left: number; readonly status: number }>();

  const takeFailure = (sink: string): number | null => {
    const failure = failures.get(sink);
    if (!failure) return null;
    failure.left -= 1;
    if (failure.left === 0) failures.delete(sink);
    return failure.status;
  };
  /** Requests to all sinks, and which of them an entry is. */
  let received = 0;
  const orders = new WeakMap<SinkRequest, number>();

  const verifyRequest = (sink: string, headers: HeaderList, body: Uint8Array) => {
    const secrets = secretsFor(sink);
    const { verdict, reason } = verify({ secrets, headers, body });
    if (verdict === "mismatch" && secrets.length === 0)
      return { verdict: "unknown_endpoint", reason: `no endpoint points at the sink ${sink}` } as const;
    return { verdict: verdict as SinkRequest["verdict"], reason };
  };

  /** Draws for each request separately, so that it does not depend on other sinks. */
  const shouldFail = (name: string, number: number, { failProbability, failCount }: SinkBehaviour) => {
    if (failCount !== null && number > failCount) return false;
    if (failProbability === null) return true;
    return createRandomNumbers(`${salt}/${name}/${number}`)() / 2 ** 32 < failProbability;
  };

  /** The kept requests of a sink, the newest last. */
  const entriesOf = (name: string): readonly SinkRequest[] => kept.filter(({ sink }) => sink === name);

  const restore = (saved: SavedSinks): void => {
    failures.clear();
    kept = saved.kept.map((entry) => ({ ...entry }));
    received = 0;
    for (const entry of kept) orders.set(entry, ++received);
    counts = new Map(saved.counts);
  };

  return {
    entriesOf,
    restore,

    get received(): number {
      return received;
    },

    /** Whether a request came after the first `count` ones of all sinks. */
    isAfter: (entry: SinkRequest, count: number): boolean => (orders.get(entry) ?? 0) > count,

    /** Keeps a request. Call `markAnswered` when its response is sent. */
    receive(sink: string, { method, target, headers, body }: ReceivedRequest, behaviour: SinkBehaviour) {
      const number = (counts.get(sink) ?? 0) + 1;
      counts.set(sink, number);
      if (counts.size > MAX_COUNTED_SINKS) counts.delete(counts.keys().next().value as string);
      const entry = {
        sink,
        number,
        at: formatTime(clock.now()),
        method,
        target,
        headers,
        bodyBase64: Buffer.from(body.subarray(0, MAX_KEPT_BODY_BYTES)).toString("base64"),
        size: body.length,
        responseStatus: null as number | null,
        ...verifyRequest(sink, headers, body),
      };
      kept.push(entry);
      received += 1;
      orders.set(entry, received);
      if (kept.length > MAX_KEPT_REQUESTS) kept.shift();
      const status = takeFailure(sink) ?? (shouldFail(sink, number, behaviour) ? behaviour.status : 200);
      const markAnswered = () => {
        entry.responseStatus = status;
      };
      return { entry, status, markAnswered };
    },

    /** Answers the next requests to a sink with this status. */
    failNext(sink: string, count: number, status: number): void {
      failures.set(sink, { left: count, status });
    },

    /** The sinks with kept requests, by name. */
    list(): SinkSummary[] {
      const names = [...new Set(kept.map(({ sink }) => sink))].sort();
      return names.map((name) => {
        const entries = entriesOf(name);
        const valid = entries.filter(({ verdict }) => verdict === "valid").length;
        return { name, requests: entries.length, valid, lastAt: entries.at(-1)?.at ?? "" };
      });
    },

    /** Deletes the requests of a sink, and counts from 1 again. */
    clear(name: string): void {
      kept = kept.filter(({ sink }) => sink !== name);
      counts.delete(name);
    },

    reset: () => restore({ kept: [], counts: [] }),

    save: (): SavedSinks => ({ kept: kept.map((entry) => ({ ...entry })), counts: [...counts] }),
  };
}
