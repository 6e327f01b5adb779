import type { ActivityEvent, DroppedEvents } from "../../src/contract/activity/events.ts";
import type * as schemas from "../../src/contract/control-responses.ts";
import type { GreaseDimension } from "../../src/contract/grease.ts";
import type { Mapping } from "../../src/contract/mapping/mapping.ts";
import type { ReadonlyStatic } from "../../src/contract/schemas.ts";
import type { SandboxFaults } from "./faults.ts";
import type { SandboxRequests } from "./requests.ts";
import type { SandboxSnapshots, SnapshotSource } from "./snapshots.ts";
import type { SandboxWebhooks, WaitCondition, WaitResult } from "./webhooks.ts";

/** How a sandbox starts. Every option has a default. */
export interface SandboxOptions {
  /** `0`, the default here, takes a free port; the command line uses 4750. */
  readonly port?: number;
  /** Address to listen on. Default: 127.0.0.1, or ::1 on a machine with IPv6 alone. Beyond loopback the credentials are random. */
  readonly host?: string;
  /**
   * Other host names of the sandbox, without a port, such as that of a container. On loopback, every request to a name that the
   * sandbox does not have gets 421, beyond loopback only one to the control API. It always has the loopback addresses, `localhost`,
   * the names below `localhost`, `host.docker.internal` and `host.containers.internal`.
   */
  readonly allowHosts?: readonly string[];
  /** Seed of credentials, ids and all randomness, a whole number. Default 1. */
  readonly seed?: number;
  /** Freezes the clock at this time (RFC 3339); without it the clock runs with the wall clock. */
  readonly frozenAt?: string | Date;
  /** `instant` (default): a job runs at once. `real`: its steps wait on the sandbox clock. */
  readonly jobSpeed?: "instant" | "real";
  /** Largest upload in bytes. Default 256 MiB. */
  readonly maxUploadBytes?: number;
  /** Dimensions of assumed behaviour to vary, by the seed. Default: none. */
  readonly grease?: readonly GreaseDimension[] | "all";
  /**
   * Where a real service keeps what the contract describes, as in a file of `claims mapping learn`: the sandbox responds so.
   * What has no line is as in the contract. Not together with `grease`. Default: none.
   */
  readonly mapping?: Mapping;
  /** Requests of each credential in a fixed window of the sandbox clock, as in `100/10s`. Default: no limit. */
  readonly rateLimit?: string;
  /**
   * The delays before each attempt of a delivery: `standard` (75 hours), `fast` (48 seconds), `none` (one attempt) or a
   * list such as `0,5s,5m`. Default: `fast` with a running clock, `standard` with a frozen one.
   */
  readonly webhookRetries?: string;
  /** Wall time of one attempt. Default 15,000. */
  readonly webhookTimeoutMs?: number;
  /** Whether deliveries may go to public addresses, not only to loopback and private ones. Default false. */
  readonly allowPublicWebhooks?: boolean;
  /** The state to start in, from `snapshots.export()`. Default: the seeded state. */
  readonly snapshot?: SnapshotSource;
  /** Requests in the request log. Default 1,000. */
  readonly requestLogSize?: number;
  /** Gets every unexpected error; the caller of the API gets only a 500. Default, and if it throws: a process warning. */
  readonly onError?: (error: unknown) => void;
}

/** The seeded credentials (product.md §5). */
export type SandboxCredentials = ReadonlyStatic<typeof schemas.sandboxCredentials>;
/** A task that waits on the sandbox clock. */
export type AgendaItem = ReadonlyStatic<typeof schemas.agendaItem>;
export type AdvanceResult = ReadonlyStatic<typeof schemas.advanceResult>;

/**
 * The only clock. While it is frozen, a request about a job waits until the due work of that job has run, and the control API
 * until all due work has. For a receiver, which may be the caller itself, both wait at most a second. With a running clock,
 * nothing waits.
 */
export interface SandboxClock {
  /** RFC 3339 */
  now(): string;
  /**
   * Runs due tasks, moves the clock, and resolves when all tasks that fell due have run, in order. `to`: a duration (`3d`,
   * `1h30m`, `30s`, `500ms`), a time (RFC 3339), `next` (the next due time) or `idle` (until no task is due). Rejects with a
   * usage error for anything else, for the past, and beyond the year 9999.
   */
  advance(to: string): Promise<AdvanceResult>;
  freeze(): void;
  unfreeze(): void;
  readonly frozen: boolean;
  /** The waiting tasks, soonest first. Await `idle()` first to let due tasks run. */
  agenda(): readonly AgendaItem[];
}

export interface DebugOptions {
  /** Events, and due tasks, to show at most. Default 100. */
  readonly last?: number;
}

/** A running sandbox. `await using` closes it. */
export interface Sandbox extends AsyncDisposable {
  /** Base URL without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Names the present state: a reset makes a new one, a loaded snapshot brings its own. */
  readonly instanceId: string;
  /** Bearer token of the control API under `/_sandbox`; random at each start. */
  readonly controlToken: string;
  /** The present ones: a key can be rotated. */
  readonly credentials: SandboxCredentials;
  readonly clock: SandboxClock;
  readonly webhooks: SandboxWebhooks;
  readonly snapshots: SandboxSnapshots;
  /**
   * Restores the seeded state (also after a start with a snapshot), or a snapshot. Aborts running work, clears the request log and
   * deletes the fault rules. The URL and the control token stay; the credentials are those of the restored state.
   */
  reset(to?: string): Promise<void>;
  readonly faults: SandboxFaults;
  readonly requests: SandboxRequests;
  /**
   * Yields each request and each delivery attempt as it ends, and each job as a run of it begins or ends, from this call until
   * the signal or `close()`. When the reader is slow, events are dropped and counted.
   */
  activity(signal?: AbortSignal): AsyncGenerator<ActivityEvent | DroppedEvents>;
  /**
   * A timeline as text: the latest requests, runs of jobs and delivery attempts in the order in which they began, what is due,
   * and the faults. Redacted like the request log:
   * `onTestFailed(async () => console.error(await sandbox.debug({ last: 20 })))`.
   */
  debug(options?: DebugOptions): Promise<string>;
  /**
   * Everything that the inspector shows as one HTML file, redacted, that needs neither a script nor a network:
   * `onTestFailed(async () => writeFile("run.html", await sandbox.report()))`.
   */
  report(): Promise<string>;
  /** The variants of assumed behaviour, as `dimension=variant`, and those that a response or a delivery has used. */
  readonly grease: { readonly variants: readonly string[]; readonly applied: readonly string[] };
  /** That of the option; null without it. */
  readonly mapping: Mapping | null;
  /**
   * Resolves with the record as soon as it meets the condition. A record that is there already counts. Rejects with
   * `wait_timed_out` after `timeoutMs` of wall time (15,000). It does not move the clock: with a frozen clock, a retry
   * waits until you advance it.
   */
  waitFor<C extends WaitCondition>(
    condition: C,
    options?: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
  ): Promise<WaitResult<C>>;
  /** Resolves when all due tasks have run. */
  idle(): Promise<void>;
  /**
   * Ends connections, jobs, timers and temporary files. Waits end with `sandbox_closed`, and so does every later use of the data
   * of the service. A second call waits for the first.
   */
  close(): Promise<void>;
}
