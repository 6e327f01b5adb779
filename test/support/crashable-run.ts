import { AsyncLocalStorage } from "node:async_hooks";
import { Buffer } from "node:buffer";
import { createRequire } from "node:module";
import { Socket } from "node:net";
import { Readable } from "node:stream";
import { afterAll, beforeAll } from "vitest";
import type { ProcessIdentity, ProcessStatus } from "../../src/process/identity.ts";
import { built, CapturedOutput, PROGRAM } from "./cli.ts";
import { checkRun } from "./cli-invariants.ts";

const require = createRequire(import.meta.url);

/** The modules that the command line calls: their functions can be replaced. */
const files: Record<string, unknown> = require("node:fs/promises");
const streams: Record<string, unknown> = require("node:fs");

/** What happens to a run at one of its operations on files and sockets. */
export interface Incident {
  /** The number of the operation, from 1. */
  readonly step: number;
  /**
   * A kill `before` or `after` the operation, or in a `torn` write, of which a part happens. `stop`: Ctrl-C. `full`: nothing can be
   * written to files from then on. `change`: `onChange` is called before the operation.
   */
  readonly kind: "before" | "torn" | "after" | "stop" | "full" | "change";
}

const FATAL: ReadonlySet<Incident["kind"] | null> = new Set(["before", "torn", "after"] as const);

export interface RunResult {
  /** Null for a run that was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface KillableRun {
  readonly completion: Promise<RunResult>;
  kill(): void;
}

interface RunOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly incident?: Incident | null;
  readonly onChange?: () => void;
  /** Added to the clock. */
  readonly laterMs?: number;
}

/** Pauses and the clock are as much faster. The clock of all runs is one: a run must not see records of the future. */
const CLOCK_SPEED = 100;
const CLOCK_START_MS = Date.now();
const readClock = (): number => CLOCK_START_MS + CLOCK_SPEED * (Date.now() - CLOCK_START_MS);

/** Pids above those of the runs of `startCli`. */
const FIRST_PID = 2 ** 48;
let runCount = 0;
const livingPids = new Set<number>();

/** The run in which the code runs that asks for it. */
const currentRun = new AsyncLocalStorage<CrashableRun>();

const forever = <T>(): Promise<T> => new Promise(() => {});

type Operation = (...args: unknown[]) => unknown;

/**
 * A run of the command line in this process that can end as a killed process does: from then on, none of its operations
 * on files happens or settles, its sockets are closed, and its pid is dead.
 */
class CrashableRun implements KillableRun {
  readonly completion: Promise<RunResult>;
  readonly #pid = FIRST_PID + runCount++;
  readonly #stop = new AbortController();
  readonly #output = new CapturedOutput();
  readonly #handles = new Set<{ close(): Promise<void> }>();
  readonly #sockets = new Set<Socket>();
  readonly #incident: Incident | null;
  readonly #onChange: () => void;
  #steps = 0;
  #isDead = false;
  #isDiskFull = false;
  #end: (result: RunResult) => void = () => {};

  constructor(
    args: readonly string[],
    { env, cwd, incident = null, onChange = () => {}, laterMs = 0 }: RunOptions,
  ) {
    this.#incident = incident;
    this.#onChange = onChange;
    livingPids.add(this.#pid);
    const killed = new Promise<RunResult>((resolve) => {
      this.#end = resolve;
    });
    const context = this.#createContext(env, cwd, laterMs);
    const finished = currentRun
      .run(this, () => built.run(args, context))
      .then((code): RunResult => {
        livingPids.delete(this.#pid);
        const result = { code, ...this.#output.text };
        checkRun(args, env, { ...result, signal: null }, { wasStdoutClosed: false });
        return result;
      });
    this.completion = Promise.race([finished, killed]);
  }

  kill(): void {
    if (this.#isDead || !livingPids.delete(this.#pid)) return;
    this.#isDead = true;
    for (const socket of this.#sockets) socket.destroy();
    for (const handle of this.#handles) void handle.close();
    this.#end({ code: null, ...this.#output.text });
  }

  #createContext(env: RunOptions["env"], cwd: string, laterMs: number) {
    const system = built.createContext({ ...PROGRAM, cwd, signal: this.#stop.signal });
    const capture = (name: "stdout" | "stderr") => ({
      writable: this.#output.stream(name, () => !this.#isDead),
      isTerminal: false,
      columns: 80,
    });
    return {
      ...system,
      stdin: { readable: Readable.from([]), isTerminal: false },
      stdout: capture("stdout"),
      stderr: capture("stderr"),
      env,
      homeDirectory: cwd,
      temporaryDirectory: cwd,
      processes: {
        ...system.processes,
        own: { ...system.processes.own, pid: this.#pid },
        statusOf: ({ pid }: ProcessIdentity): ProcessStatus => (livingPids.has(pid) ? "alive" : "dead"),
      },
      now: () => readClock() + laterMs,
      monotonic: readClock,
      sleep: (milliseconds: number, signal?: AbortSignal) =>
        this.perform(() => system.sleep(milliseconds / CLOCK_SPEED, signal)),
    };
  }

  /** How the run ends at this operation, if it does. */
  #takeStep(): Incident["kind"] | null {
    this.#steps += 1;
    if (this.#incident === null || this.#steps !== this.#incident.step) return null;
    const { kind } = this.#incident;
    if (kind === "stop") this.#stop.abort("SIGINT");
    if (kind === "full") this.#isDiskFull = true;
    if (kind === "change") this.#onChange();
    return FATAL.has(kind) ? kind : null;
  }

  /** Does an operation that is a possible end of the run. */
  async performStep<T>(
    operate: () => Promise<T>,
    { tear, needsRoom = false }: { tear?: () => Promise<unknown>; needsRoom?: boolean } = {},
  ): Promise<T> {
    if (this.#isDead) return forever();
    const end = this.#takeStep();
    if (end === null) return this.perform(this.#isDiskFull && needsRoom ? failWithoutRoom : operate);
    if (end === "torn") await tear?.();
    if (end === "after") await operate().catch(() => {});
    this.kill();
    return forever();
  }

  /** Does an operation, whose result a dead run never gets. */
  async perform<T>(operate: () => Promise<T>): Promise<T> {
    if (this.#isDead) return forever();
    try {
      const result = await operate();
      return this.#isDead ? forever() : result;
    } catch (error) {
      if (this.#isDead) return forever();
      throw error;
    }
  }

  async adoptHandle<T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> {
    const handle = await opening;
    this.#handles.add(handle);
    if (this.#isDead) void handle.close();
    return handle;
  }

  /** Does an operation of a stream, whose last argument is a callback. */
  performWithCallback(operate: Operation, args: unknown[]): void {
    if (this.#isDead) return;
    const end = this.#takeStep();
    if (end === "before" || end === "torn") {
      this.kill();
      return;
    }
    const done = args.at(-1) as Operation;
    operate(...args.slice(0, -1), (...results: unknown[]) => {
      if (end === "after") this.kill();
      if (!this.#isDead) done(...results);
    });
  }

  /** @returns whether the socket may connect */
  adoptSocket(socket: Socket): boolean {
    if (this.#isDead) return false;
    this.#sockets.add(socket);
    const { push, write } = socket;
    const guard =
      (operate: Operation): Operation =>
      (...args) => {
        if (this.#isDead) return false;
        const end = this.#takeStep();
        if (end !== "before") operate.apply(socket, args);
        if (end !== null) this.kill();
        return true;
      };
    socket.push = guard(push as Operation) as typeof push;
    socket.write = guard(write as Operation) as typeof write;
    return true;
  }
}

/** Starts the command line so that it can be killed, in a file that called {@link useCrashableRuns}. */
export const startCrashableRun = (args: readonly string[], options: RunOptions): KillableRun =>
  new CrashableRun(args, options);

/** Lets runs in this process crash: replaces the functions of files and sockets that the command line calls. */
export function useCrashableRuns(): void {
  const restore: (() => void)[] = [];
  const replace = (object: object, name: string, wrap: (original: Operation) => Operation) => {
    const original = Reflect.get(object, name) as Operation;
    Reflect.set(object, name, wrap(original));
    restore.push(() => Reflect.set(object, name, original));
  };

  beforeAll(async () => {
    const sample = await (files.open as (path: string) => Promise<{ close(): Promise<void> }>)("/dev/null");
    const handles = Object.getPrototypeOf(sample) as object;
    await sample.close();
    for (const name of namesOfFunctions(files)) replace(files, name, (original) => guardFile(original, name));
    for (const name of HANDLE_OPERATIONS)
      replace(handles, name, (original) => guardFile(original, `handle.${name}`));
    for (const name of ["open", "read", "write", "writev"])
      replace(
        streams,
        name,
        (original) =>
          function (this: unknown, ...args) {
            const run = currentRun.getStore();
            if (run === undefined) return original.apply(this, args);
            return run.performWithCallback((...all) => original.apply(this, all), args);
          },
      );
    replace(
      Socket.prototype,
      "connect",
      (original) =>
        function (this: Socket, ...args) {
          return currentRun.getStore()?.adoptSocket(this) === false ? this : original.apply(this, args);
        },
    );
  });

  afterAll(() => {
    for (const undo of restore.splice(0)) undo();
  });
}

const namesOfFunctions = (module: Record<string, unknown>): string[] =>
  Object.keys(module).filter((name) => typeof module[name] === "function" && name !== "watch");

const HANDLE_OPERATIONS = [
  ...["appendFile", "chmod", "close", "datasync", "read", "readFile", "readv", "stat", "sync", "truncate"],
  ...["utimes", "write", "writeFile", "writev"],
];

/** Operations that need room on the disk. */
const WRITES: ReadonlySet<string> = new Set([
  ...["appendFile", "handle.appendFile", "handle.sync", "handle.write", "handle.writeFile", "handle.writev"],
  ...["mkdir", "writeFile"],
]);

const failWithoutRoom = (): Promise<never> =>
  Promise.reject(
    Object.assign(new Error("ENOSPC: no space left on device, write"), {
      ...{ code: "ENOSPC", errno: -28, syscall: "write" },
    }),
  );

const guardFile = (original: Operation, name: string): Operation =>
  function (this: unknown, ...args) {
    const run = currentRun.getStore();
    if (run === undefined) return original.apply(this, args);
    const operate = () => original.apply(this, args) as Promise<never>;
    if (name === "open") return run.performStep(() => run.adoptHandle(operate()));
    const [bytes, ...others] = args;
    const needsRoom = WRITES.has(name);
    const isWholeWrite = name === "handle.write" && Buffer.isBuffer(bytes) && others.length === 0;
    if (!isWholeWrite) return run.performStep(operate, { needsRoom });
    const part = bytes.subarray(0, Math.ceil(bytes.length / 2));
    return run.performStep(operate, { needsRoom, tear: () => original.call(this, part) as Promise<unknown> });
  };
