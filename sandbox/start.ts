import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import process, { emitWarning } from "node:process";
import { setImmediate as yieldTurn } from "node:timers/promises";
import { localProcesses } from "../src/process/identity.ts";
import type { HostOptions } from "./api/host-options.ts";
import type { Sandbox, SandboxOptions } from "./api/sandbox.ts";
import { createEngine, type Engine } from "./engine/engine.ts";
import { formatTime } from "./engine/scheduler/clock.ts";
import { createGreasedService } from "./engine/service/grease/grease.ts";
import { describeVariants } from "./engine/service/grease/variants.ts";
import { publishVersions, type SimulatedService } from "./engine/service/simulated-service.ts";
import { createListener, type HttpListener } from "./http/listener.ts";
import { createRequestGuard } from "./http/request-guard.ts";
import { createInspectorAccess } from "./inspector/access.ts";
import { followActivity } from "./library/follow-activity.ts";
import { createRequestsApi } from "./library/requests.ts";
import { createSnapshots, type Snapshots } from "./library/snapshots/snapshots.ts";
import { renderTimeline } from "./library/timeline.ts";
import { waitFor } from "./library/wait-for.ts";
import { createWebhooksApi } from "./library/webhooks.ts";
import { refuseNodeFlags } from "./node-flags.ts";
import { parseStartOptions, type StartSettings } from "./start-options.ts";
import { openStore } from "./store/open.ts";

// Read at load time: a host's test suite may replace the globals later (product.md §7).
const wallClock = Date.now;
const monotonicNow = performance.now.bind(performance);

const processes = localProcesses(process, wallClock);

/** Starts a sandbox for a library or for the command line, which alone sets what {@link HostOptions} has. */
export async function startHostedSandbox(
  options: SandboxOptions,
  hostOptions: HostOptions = {},
): Promise<Sandbox> {
  refuseNodeFlags();
  const runtime = { now: wallClock, monotonicNow, onError: warn, processes };
  const start = parseStartOptions(options, runtime, hostOptions);
  const { contractVersion = () => undefined, onShutdownRequested = () => undefined } = hostOptions;
  const service = publishVersions(await loadSimulatedService(start), contractVersion);
  const nextRequestId = () => start.engine.random.uuid("refused_request");
  const guard = createRequestGuard(start.hosts, start.allowHosts);
  const listener = createListener(nextRequestId, guard, hostOptions.idleConnectionMs);
  const [loaded, listening] = await Promise.allSettled([
    loadParts(),
    listener.listen(start.port, start.hosts, start.secondHost),
    start.engine.uploads.removeAbandoned(),
  ]);
  if (loaded.status === "rejected" || listening.status === "rejected") {
    if (loaded.status === "fulfilled") loaded.value.store.close();
    await listener.close();
    throw loaded.status === "rejected" ? loaded.reason : (listening as PromiseRejectedResult).reason;
  }
  const { store, createApp, createControlApi } = loaded.value;
  const host = listening.value;
  const url = `http://${reachableHost(host)}:${listener.port}`;
  let engine: Engine;
  try {
    engine = createEngine(store, { ...start.engine, service, url });
  } catch (error) {
    store.close();
    await listener.close();
    throw error;
  }
  const snapshots = createSnapshots(engine);
  const sandbox = createHandle(engine, listener, snapshots, url);
  const inspectorAccess = createInspectorAccess(monotonicNow);
  const control = createControlApi({
    sandbox,
    engine,
    snapshots,
    startedAt: formatTime(wallClock()),
    host,
    inspectorAccess,
    saveBeforeShutdown: hostOptions.saveBeforeShutdown,
    onShutdownRequested,
    saves: hostOptions.saves,
  });
  try {
    if (options.snapshot !== undefined) await snapshots.loadFrom(options.snapshot);
    listener.handleWith(createApp(engine, control).callback());
  } catch (error) {
    await sandbox.close();
    throw error;
  }
  return sandbox;
}

/** The check of a mapping loads only with one. */
async function loadSimulatedService({ grease, mapping, engine }: StartSettings): Promise<SimulatedService> {
  if (mapping === null) return createGreasedService(grease, engine.random);
  const { createMappedService } = await import("./engine/service/mapped-service.ts");
  return createMappedService(mapping);
}

/** Koa starts to load one turn later, so that the compilation of SQLite in the background has begun. */
async function loadParts() {
  const [store, [{ createApp }, { createControlApi }]] = await Promise.all([
    openStore(),
    yieldTurn().then(() => Promise.all([import("./http/app.ts"), import("./control/control.ts")])),
  ]);
  return { store, createApp, createControlApi };
}

function createHandle(engine: Engine, listener: HttpListener, snapshots: Snapshots, url: string): Sandbox {
  const { clock, clockMover, quiescence, scheduler } = engine;
  const { usedVariants, givenMapping: mapping, variants } = engine.service;
  const { add, list, clear } = engine.faults;
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= listener.close().then(() => engine.close());
    return closing;
  };
  const sandbox: Sandbox = {
    url,
    port: listener.port,
    controlToken: randomBytes(24).toString("base64url"),
    get instanceId() {
      return engine.instanceId;
    },
    get credentials() {
      return engine.credentials;
    },
    clock: {
      now: () => formatTime(clock.now()),
      advance: (to) => clockMover.advance(to),
      freeze: () => clockMover.freeze(),
      unfreeze: () => clockMover.unfreeze(),
      get frozen() {
        return clock.isFrozen;
      },
      agenda: () => scheduler.agenda(),
    },
    snapshots,
    reset: (to) => snapshots.reset(to),
    webhooks: createWebhooksApi(engine),
    faults: { add, list, clear },
    requests: createRequestsApi(engine),
    waitFor: (condition, options) => waitFor(engine, condition, options),
    activity: (signal = engine.closeSignal) => followActivity(engine, signal),
    debug: (options) => renderTimeline(engine, options),
    async report() {
      const { renderReport } = await import("./inspector/report.tsx");
      return renderReport(engine, sandbox);
    },
    grease: {
      variants: describeVariants(variants),
      get applied() {
        return [...usedVariants];
      },
    },
    mapping,
    idle: () => quiescence.whenIdle(),
    close,
    [Symbol.asyncDispose]: close,
  };
  return sandbox;
}

/** The host of a URL that reaches an address. A socket can listen on every address, but nothing can connect to that. */
function reachableHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

function warn(error: unknown): void {
  // As text: Node refuses an error of another realm, and every error in a jest suite is one.
  emitWarning(error instanceof Error ? (error.stack ?? String(error)) : String(error), "SandboxError");
}
