import { randomBytes } from "node:crypto";
import { emitWarning } from "node:process";
import { ClaimsError } from "../src/domain/errors.ts";
import { advanceClock, agendaItem, control } from "./control/control.ts";
import { isLoopback } from "./control/guard.ts";
import { Clock, formatTime } from "./engine/clock.ts";
import { createEngine, type Engine, type EngineOptions } from "./engine/engine.ts";
import { Listener } from "./http/listen.ts";
import type { Sandbox, SandboxOptions } from "./options.ts";
import { openStore } from "./store/open.ts";

export type {
  AgendaItem,
  Ledger,
  Sandbox,
  SandboxClock,
  SandboxCredentials,
  SandboxOptions,
} from "./options.ts";

// Taken now: a host's test suite may replace the global later (product.md §7).
const wallClock = Date.now;

const MEBIBYTE = 1024 * 1024;

/** Starts a sandbox in this process and resolves when it answers. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, host = "127.0.0.1" } = options;
  const engineOptions = readOptions(options, host);
  const listener = new Listener();
  const [loaded, listening] = await Promise.allSettled([load(), listener.listen(port, host)]);
  if (loaded.status === "rejected" || listening.status === "rejected") {
    if (loaded.status === "fulfilled") loaded.value.store.close();
    await listener.close();
    throw loaded.status === "rejected" ? loaded.reason : (listening as PromiseRejectedResult).reason;
  }
  const { store, createApp } = loaded.value;
  const engine = createEngine(store, engineOptions);
  const controlToken = randomBytes(24).toString("base64url");
  const { onShutdownRequested = () => undefined } = options;
  const app = createApp(engine, control(engine, { token: controlToken, host, onShutdownRequested }));
  listener.answerWith(app.callback());
  return handle(engine, listener, host, controlToken);
}

/** SQLite and Koa load side by side. */
async function load() {
  const [store, { createApp }] = await Promise.all([openStore(), import("./http/app.ts")]);
  return { store, createApp };
}

function readOptions(options: SandboxOptions, host: string): EngineOptions {
  const { now = wallClock, frozenAt, jobSpeed = "instant", maxUploadBytes = 256 * MEBIBYTE } = options;
  return {
    seed: seedOf(options),
    exposed: !isLoopback(host),
    clock: new Clock(now, frozenAt),
    jobSpeed,
    maxUploadBytes,
    tempDir: options.tempDir,
    onError: options.onError ?? warn,
  };
}

function seedOf({ seed = 1 }: SandboxOptions): number {
  if (Number.isSafeInteger(seed)) return seed;
  throw new ClaimsError("usage", "seed_invalid", `The seed must be an integer, not ${seed}`, {
    hint: "use a whole number",
  });
}

function handle(engine: Engine, listener: Listener, host: string, controlToken: string): Sandbox {
  const { port } = listener;
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= listener.close().then(() => engine.close());
    return closing;
  };
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    controlToken,
    credentials: engine.credentials,
    clock: {
      now: () => formatTime(engine.clock.now()),
      advance: (to) => advanceClock(engine, to),
      agenda: () => engine.agenda.rows().map(agendaItem),
    },
    idle: () => engine.agenda.idle(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function warn(error: unknown): void {
  emitWarning(error instanceof Error ? error : String(error), "SandboxError");
}
