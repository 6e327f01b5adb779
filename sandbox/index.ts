import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import process, { emitWarning } from "node:process";
import { localProcesses } from "../src/process/identity.ts";
import type { Sandbox, SandboxOptions } from "./api/sandbox.ts";
import { parseStartOptions } from "./api/start-options.ts";
import { controlApi } from "./control/control.ts";
import { createEngine, type Engine } from "./engine/engine.ts";
import { createRequestsApi } from "./engine/request-log/requests-api.ts";
import { formatTime } from "./engine/scheduler/clock.ts";
import { Snapshots } from "./engine/snapshots/snapshots.ts";
import { renderTimeline } from "./engine/timeline.ts";
import { createWebhooksApi } from "./engine/webhooks/webhooks-api.ts";
import { HttpListener } from "./http/listener.ts";
import { openStore } from "./store/open.ts";

export type { FaultEffect, FaultMatch, FaultPhase, FaultSpec } from "../src/domain/faults/fault.ts";
export type { FaultPresetName } from "../src/domain/faults/presets.ts";
export type { FaultRule, SandboxFaults } from "./api/faults.ts";
export type {
  Har,
  HarEntry,
  LoggedBody,
  LoggedRequest,
  ReplayResult,
  RequestFilter,
  RequestOutcome,
  RequestStreamLine,
  SandboxRequests,
} from "./api/requests.ts";
export type {
  AdvanceResult,
  AgendaItem,
  Sandbox,
  SandboxClock,
  SandboxCredentials,
  SandboxOptions,
} from "./api/sandbox.ts";
export type {
  SandboxSnapshots,
  SnapshotChange,
  SnapshotDiff,
  SnapshotInfo,
  SnapshotSource,
} from "./api/snapshots.ts";
export type {
  DeliveryAttempt,
  DeliveryCondition,
  DeliveryDetails,
  DeliveryFilter,
  EmittedEvent,
  EventToEmit,
  HeaderPairs,
  JobCondition,
  SandboxEndpoint,
  SandboxWebhooks,
  SinkRequest,
  WaitCondition,
  WaitResult,
} from "./api/webhooks.ts";

// Taken now: a host's test suite may replace the global later (product.md §7).
const wallClock = Date.now;
const stopwatch = performance.now.bind(performance);

const processes = localProcesses(process, wallClock);

/**
 * Starts a sandbox in this process and resolves when it answers. It listens on a free port of loopback, and keeps the
 * process alive until `close()`. Fake timers of the host do not touch it.
 *
 * Rejects with a usage error (`code`, `message`, `hint`) for options that make no sense, with `port_in_use` for a port
 * that is taken, and as `snapshots.import` does for a `snapshot` that is damaged.
 *
 * @example
 * await using sandbox = await startSandbox({ frozenAt: "2026-11-20T00:00:00Z" });
 * await fetch(`${sandbox.url}/v1/clients`, {
 *   headers: { authorization: `Bearer ${sandbox.credentials.sandbox.apiKey}` },
 * });
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const start = parseStartOptions(options, { now: wallClock, stopwatch, onError: warn, processes });
  const { host, onShutdownRequested } = start;
  const listener = new HttpListener(() => start.engine.random.uuid("refused_request"));
  const [loaded, listening] = await Promise.allSettled([
    loadStoreAndApp(),
    listener.listen(start.port, host),
    start.engine.uploads.removeAbandoned(),
  ]);
  if (loaded.status === "rejected" || listening.status === "rejected") {
    if (loaded.status === "fulfilled") loaded.value.store.close();
    await listener.close();
    throw loaded.status === "rejected" ? loaded.reason : (listening as PromiseRejectedResult).reason;
  }
  const { store, createApp } = loaded.value;
  const url = `http://${reachableHost(host)}:${listener.port}`;
  const engine = createEngine(store, { ...start.engine, url });
  const snapshots = new Snapshots(engine);
  if (options.snapshot !== undefined) {
    await snapshots.loadFrom(options.snapshot).catch((error) => closeAndRethrow(error, listener, engine));
  }
  const controlToken = randomBytes(24).toString("base64url");
  const app = createApp(engine, {
    control: controlApi(engine, { token: controlToken, host, onShutdownRequested, snapshots }),
  });
  listener.handleWith(app.callback());
  return createHandle({ engine, listener, snapshots, url, controlToken });
}

/** SQLite and Koa load side by side. */
async function loadStoreAndApp() {
  const [store, { createApp }] = await Promise.all([openStore(), import("./http/app.ts")]);
  return { store, createApp };
}

/** A sandbox that cannot start in the state asked for does not stay behind. */
async function closeAndRethrow(error: unknown, listener: HttpListener, engine: Engine): Promise<never> {
  await listener.close();
  await engine.close();
  throw error;
}

interface SandboxParts {
  readonly engine: Engine;
  readonly listener: HttpListener;
  readonly snapshots: Snapshots;
  readonly url: string;
  readonly controlToken: string;
}

function createHandle({ engine, listener, snapshots, url, controlToken }: SandboxParts): Sandbox {
  const { port } = listener;
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= listener.close().then(() => engine.close());
    return closing;
  };
  return {
    url,
    port,
    controlToken,
    get credentials() {
      return engine.credentials;
    },
    clock: {
      now: () => formatTime(engine.clock.now()),
      advance: (to) => engine.clockMover.advance(to),
      set: (time) => engine.clockMover.jump(time),
      freeze: () => engine.clockMover.freeze(),
      unfreeze: () => engine.clockMover.unfreeze(),
      get frozen() {
        return engine.clock.isFrozen;
      },
      agenda: () => engine.scheduler.agenda(),
    },
    snapshots,
    reset: (to) => snapshots.reset(to),
    webhooks: createWebhooksApi(engine),
    faults: engine.faults,
    requests: createRequestsApi(engine),
    debug: () => renderTimeline(engine),
    grease: { varies: engine.form.variants, touched: () => [...engine.form.applied] },
    idle: () => engine.idle.whenIdle(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The host of a URL that reaches an address: "every address" can be listened on, but not called. */
function reachableHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

function warn(error: unknown): void {
  // As text: Node refuses an error of another realm, as every error in a jest suite is.
  emitWarning(error instanceof Error ? (error.stack ?? String(error)) : String(error), "SandboxError");
}
