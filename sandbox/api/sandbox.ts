import type { GreaseDimension } from "../../src/contract/grease.ts";
import type { SandboxFaults } from "./faults.ts";
import type { SandboxRequests } from "./requests.ts";
import type { SandboxSnapshots, SnapshotSource } from "./snapshots.ts";
import type { SandboxWebhooks, WaitCondition, WaitResult } from "./webhooks.ts";

/** How a sandbox starts. Every option has a default. */
export interface SandboxOptions {
  /** `0`, the default here, takes a free port; the command line uses 4750. */
  readonly port?: number;
  /** Address to listen on; loopback by default. Beyond loopback the credentials are random. */
  readonly host?: string;
  /** A whole number that decides credentials, ids and every chance. Default 1. */
  readonly seed?: number;
  /** Freezes the clock at this time (RFC 3339); without it the clock runs with the wall clock. */
  readonly frozenAt?: string | Date;
  /** `instant` (default): a job runs at once. `real`: its steps wait on the sandbox clock. */
  readonly jobSpeed?: "instant" | "real";
  /** Largest upload in bytes. Default 256 MiB. */
  readonly maxUploadBytes?: number;
  /** What of the assumed part of the contract this service does its own way, after the seed. Default: nothing. */
  readonly grease?: readonly GreaseDimension[];
  /** Requests that each credential has in a fixed window of the sandbox clock, as in `100/10s`. Default: no limit. */
  readonly rateLimit?: string;
  /**
   * The delays before each attempt of a delivery: `standard` (75 hours), `fast` (48 seconds), `none` (one attempt) or a
   * list such as `0,5s,5m`. Default: `fast` with a running clock, `standard` with a frozen one.
   */
  readonly webhookRetries?: string;
  /** Milliseconds of wall time that a receiver has for an attempt. Default 15,000. */
  readonly webhookTimeoutMs?: number;
  /** Whether deliveries may leave for public addresses; loopback and private ones are always allowed. Default false. */
  readonly allowPublicWebhooks?: boolean;
  /** The state to start in, as `snapshots.export()` gives it; without it, as seeded. */
  readonly snapshot?: SnapshotSource;
  /** Requests that the journal keeps; 0 switches it off. Default 1,000. */
  readonly requestLogSize?: number;
  /** The wall clock, milliseconds since 1970. Default: `Date.now`, as it was when this module was loaded. */
  readonly now?: () => number;
  /** Where the directory for running uploads is made. Default: the system's. */
  readonly tempDir?: string;
  /** Called after `POST /_sandbox/shutdown` has been answered; closing is up to the caller. */
  readonly onShutdownRequested?: () => void;
  /** Told about every unexpected error; the caller of the API only sees a 500. Default: a process warning. */
  readonly onError?: (error: unknown) => void;
}

/** The seeded credentials (product.md §5), one set for each thing worth trying. */
export interface SandboxCredentials {
  readonly sandbox: { readonly apiKey: string; readonly clientId: string; readonly clientSecret: string };
  readonly production: { readonly apiKey: string };
  /** Another partner's sandbox key: it must see nothing of the first one's. */
  readonly otherPartner: { readonly apiKey: string };
  /** The seeded endpoint, which points at the built-in sink, and its signing secret. */
  readonly webhook: { readonly endpointId: string; readonly signingSecret: string };
  /** A client that is known and not approved: the token route answers `unauthorized_client`. */
  readonly unapproved: { readonly clientId: string; readonly clientSecret: string };
}

/** Something that waits on the sandbox clock. */
export interface AgendaItem {
  /** RFC 3339 */
  readonly dueAt: string;
  /** What happens then, e.g. `job.finish`. */
  readonly kind: string;
  /** The id of the thing it happens to. */
  readonly subject: string;
}

/** What an advance of the clock did. */
export interface AdvanceResult {
  /** RFC 3339 */
  readonly from: string;
  readonly to: string;
  /** What fell due by this advance (not what was due before it), in the order in which it ran. */
  readonly ran: readonly AgendaItem[];
}

/**
 * The one clock. While it is frozen nobody sees work half-done that is due already: a request about a job waits until
 * that job's due work has run, the control API until all of it has; for a receiver, who may be the one that asks, both
 * wait a second at the most. With a running clock nothing waits.
 */
export interface SandboxClock {
  /** RFC 3339 */
  now(): string;
  /**
   * Lets run what is due already, then moves the clock and resolves when everything that fell due by that has run, in
   * order. `to`: a duration (`3d`, `1h30m`, `30s`, `500ms`), a time (RFC 3339), `next` (the next due time) or `idle`
   * (until nothing is due any more). Rejects with a usage error for what is none of these, lies in the past or beyond
   * the year 9999.
   */
  advance(to: string): Promise<AdvanceResult>;
  /**
   * Moves the clock to a time (RFC 3339) at once. What falls due by that runs afterwards, late, as on a machine that has
   * slept; resolves when it has. Rejects as `advance` does.
   */
  set(time: string): Promise<AdvanceResult>;
  /** Stops a running clock where it stands. */
  freeze(): void;
  /** Lets a frozen clock run from where it stands. */
  unfreeze(): void;
  readonly frozen: boolean;
  /** What waits at this moment, soonest first. It cannot wait itself: `idle()` first, and what is due already has run. */
  agenda(): readonly AgendaItem[];
}

/** A running sandbox. `await using` closes it. */
export interface Sandbox extends AsyncDisposable {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Where it listens: the free port that was found, or the one asked for. */
  readonly port: number;
  /** Bearer token of the control API under `/_sandbox`; random at each start. */
  readonly controlToken: string;
  /** As they are at this moment: a key can be rotated. */
  readonly credentials: SandboxCredentials;
  readonly clock: SandboxClock;
  /** Events by hand, deliveries with every attempt, and what the built-in receiver got. */
  readonly webhooks: SandboxWebhooks;
  /** States to go back to, and to start another sandbox from. */
  readonly snapshots: SandboxSnapshots;
  /**
   * Back to the seeded state, also where it started with a snapshot; or to a snapshot that is kept: between two tests.
   * What is under way gives up, the clock stands where it stood then; faults and the journal are cleared. URL and control
   * token stay, and credentials are those of that state.
   */
  reset(to?: string): Promise<void>;
  /** Requests that fail. */
  readonly faults: SandboxFaults;
  /** The requests that came, and what became of each. */
  readonly requests: SandboxRequests;
  /**
   * What happened and what is to come, as text for a person: `onTestFailed(async () => console.error(await
   * sandbox.debug()))`. Redacted as the journal is.
   */
  debug(): Promise<string>;
  /** The variants of assumed behaviour, as `dimension=variant`, and those that a response or a delivery has used. */
  readonly grease: { readonly variants: readonly string[]; applied(): readonly string[] };
  /**
   * Resolves with the record as soon as it meets the condition; a record that is there already counts. Rejects with
   * `wait_timed_out` after `timeoutMs` of wall time (15,000). It does not move the clock: with a frozen clock, a retry
   * waits until you advance it.
   */
  waitFor<C extends WaitCondition>(
    condition: C,
    options?: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
  ): Promise<WaitResult<C>>;
  /** Resolves when everything that is due now has run. */
  idle(): Promise<void>;
  /**
   * Ends connections, jobs, timers and temporary files: nothing of it keeps the process alive. Whoever waits is told
   * `sandbox_closed`. A second call waits for the first.
   */
  close(): Promise<void>;
}
