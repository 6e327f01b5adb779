import { Buffer } from "node:buffer";
import type { HeaderList } from "../../src/domain/http-headers.ts";
import { verify } from "../../src/domain/webhooks/signature.ts";
import type { SinkRequest } from "../api/webhooks.ts";
import { findSecretsByPath } from "../store/endpoints.ts";
import type { EngineCore } from "./core.ts";
import { formatTime } from "./scheduler/clock.ts";

/** The limit for all sinks together. */
const MAX_KEPT_REQUESTS = 1_000;

/** Anyone can send a request to a sink of any name; the count of the one that began first is forgotten. */
const MAX_COUNTED_SINKS = 10_000;

/** The signature is verified over the whole body. */
const MAX_KEPT_BODY_BYTES = 64 * 1024;

/** The path of a sink below the sandbox's base URL. */
export const sinkPath = (name: string): string => `/_sandbox/sink/${name}`;

export interface SinkBehaviour {
  /** The status of a response that fails, or of every response. */
  readonly status: number;
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

/** The built-in receivers (product.md §5, control API): they verify, keep and answer requests. */
export class Sinks {
  readonly #core: Pick<EngineCore, "clock" | "store">;
  #kept: SinkRequest[] = [];
  #counts = new Map<string, number>();

  constructor(core: Pick<EngineCore, "clock" | "store">) {
    this.#core = core;
  }

  /** The kept requests of a sink, the newest last. */
  entriesOf(name: string): readonly SinkRequest[] {
    return this.#kept.filter(({ sink }) => sink === name);
  }

  /** Keeps a request. Call `markAnswered` when its response is sent. */
  receive(
    sink: string,
    { method, target, headers, body }: ReceivedRequest,
    { status: failStatus, failCount }: SinkBehaviour,
  ) {
    const number = (this.#counts.get(sink) ?? 0) + 1;
    this.#counts.set(sink, number);
    if (this.#counts.size > MAX_COUNTED_SINKS)
      this.#counts.delete(this.#counts.keys().next().value as string);
    const entry = {
      sink,
      number,
      at: formatTime(this.#core.clock.now()),
      method,
      target,
      headers,
      bodyBase64: Buffer.from(body.subarray(0, MAX_KEPT_BODY_BYTES)).toString("base64"),
      size: body.length,
      responseStatus: null as number | null,
      ...this.#verify(sink, headers, body),
    };
    this.#kept.push(entry);
    if (this.#kept.length > MAX_KEPT_REQUESTS) this.#kept.shift();
    const status = failCount !== null && number > failCount ? 200 : failStatus;
    const markAnswered = () => {
      entry.responseStatus = status;
    };
    return { entry, status, markAnswered };
  }

  reset(): void {
    this.restore({ kept: [], counts: [] });
  }

  save(): SavedSinks {
    return { kept: this.#kept.map((entry) => ({ ...entry })), counts: [...this.#counts] };
  }

  restore(saved: SavedSinks): void {
    this.#kept = saved.kept.map((entry) => ({ ...entry }));
    this.#counts = new Map(saved.counts);
  }

  #verify(sink: string, headers: HeaderList, body: Uint8Array) {
    const secrets = findSecretsByPath(this.#core.store, sinkPath(sink));
    const { verdict, reason } = verify({ secrets, headers, body });
    if (verdict === "mismatch" && secrets.length === 0)
      return { verdict: "unknown_endpoint", reason: `no endpoint points at the sink ${sink}` } as const;
    return { verdict: verdict as SinkRequest["verdict"], reason };
  }
}
