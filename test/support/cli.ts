import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, type Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import type { Child, ChildRequest, Context } from "../../src/cli/context.ts";
import type { Launcher } from "../../src/cli/main.ts";
import { readMonotonic } from "../../src/client/runtime.ts";
import type { ProcessIdentity, ProcessStatus } from "../../src/process/identity.ts";
import { checkChildArguments, checkRun } from "./cli-invariants.ts";

export const BIN = fileURLToPath(new URL("../../bin/claims.js", import.meta.url));
/** The command line in a process of its own: on this Node, or the one file without Node that `CLAIMS_TEST_PROGRAM` names. */
export const PROGRAM: Launcher = {
  runtime: `Node ${process.versions.node}`,
  // V8's flags apply to the whole test process.
  tuneForShortRun: () => {},
  self: process.env.CLAIMS_TEST_PROGRAM ? [process.env.CLAIMS_TEST_PROGRAM] : [process.execPath, BIN],
};
/** False for the one file: docs/guides/install.md says what its runtime does otherwise. */
export const RUNS_ON_NODE = PROGRAM.self.length > 1;
/** The command for a line of a shell. */
export const SHELL_COMMAND = PROGRAM.self.map((word) => `'${word}'`).join(" ");
/** A script that is the command. */
export const SHELL_SCRIPT = `#!/bin/sh\nexec ${SHELL_COMMAND} "$@"\n`;
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const fixture = (name: string): string => join(ROOT, "fixtures", name);

/** The command line as it is shipped: `npm test` builds it first. */
export const built: typeof import("../../src/cli/main.ts") = createRequire(import.meta.url)(
  "../../dist/cli.cjs",
);

export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
}

interface SpawnOptions extends Omit<CliOptions, "input"> {
  /** Another command that runs it, such as unshare(1). */
  readonly wrapper?: readonly string[];
}

type StopSignal = "SIGINT" | "SIGTERM";

/** A run of the command line that may still be in progress. */
export interface StartedCli {
  readonly completion: Promise<CliResult>;
  readonly stdin: Writable;
  /** Stops the run as Ctrl-C (SIGINT) or a supervisor (SIGTERM) does. */
  stop(signal: StopSignal): void;
  /** Stops reading stdout, as `| head -1` does. */
  closeStdout(): void;
  /** Resolves with the first match in the stream's text; rejects if the run ends without one. */
  waitForOutput(pattern: RegExp, stream?: "stdout" | "stderr"): Promise<RegExpExecArray>;
}

/** Creates a folder and removes it after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "claims-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a file into a folder of its own, which is removed after the test, and returns its path. */
export function temporaryFile(name: string, content: string | Uint8Array, mode = 0o644): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content, { mode });
  return path;
}

/** The environment of a user who has configured nothing. */
export function bareEnvironment(folder = temporaryFolder()): Record<string, string> {
  const { PATH = "" } = process.env;
  return { PATH, HOME: folder, TMPDIR: folder, CLAIMS_CONFIG_DIR: join(folder, "config") };
}

/**
 * Starts the command line in the test's own process: the shipped `run(argv, context)` with its own streams, environment,
 * folder, signal and clock. `CLAIMS_TEST_SPAWN=1` and `CLAIMS_TEST_PROGRAM` start a separate process instead.
 */
export const startCli: (args: readonly string[], options?: Omit<CliOptions, "input">) => StartedCli =
  process.env.CLAIMS_TEST_SPAWN === "1" || process.env.CLAIMS_TEST_PROGRAM
    ? spawnUntilFinished
    : startInProcess;

/** Runs the command line until it ends, as {@link startCli} does. */
export const runCli = (args: readonly string[], options: CliOptions = {}): Promise<CliResult> =>
  runToCompletion(startCli(args, options), options);

/** Runs the command line until it ends in a separate process, for a test whose subject is the process. */
export const runProcess = (args: readonly string[], options: CliOptions = {}): Promise<CliResult> =>
  runToCompletion(spawnCli(args, options), options);

function runToCompletion({ stdin, completion }: StartedCli, { input }: CliOptions): Promise<CliResult> {
  stdin.end(input);
  return completion;
}

/** Starts the built command line in a separate process, for a test whose subject is the process. */
export function spawnCli(
  args: readonly string[],
  { env = bareEnvironment(), cwd, wrapper = [] }: SpawnOptions = {},
): StartedCli & { readonly child: ReturnType<typeof spawn>; kill(): void } {
  const [program = "", ...first] = [...wrapper, ...PROGRAM.self];
  const child = spawn(program, [...first, ...args], { env, ...(cwd !== undefined && { cwd }) });
  const stopChecking = checkChildArguments(child);
  const captured = new CapturedOutput();
  child.stdout.setEncoding("utf8").on("data", (text: string) => captured.add("stdout", text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => captured.add("stderr", text));
  // A command may end without reading its stdin.
  child.stdin.on("error", () => {});
  const completion = new Promise<CliResult>((resolve) => {
    child.once("close", (code, signal) => {
      stopChecking();
      const result = { code, signal, ...captured.text };
      checkRun(args, env, result, { wasStdoutClosed: !child.stdout.readableEnded });
      resolve(result);
    });
  });
  return {
    child,
    completion,
    stdin: child.stdin,
    stop: (signal) => void child.kill(signal),
    kill: () => void child.kill("SIGKILL"),
    closeStdout: () => child.stdout.destroy(),
    waitForOutput: captured.watch(completion),
  };
}

function spawnUntilFinished(args: readonly string[], options?: Omit<CliOptions, "input">): StartedCli {
  const started = spawnCli(args, options);
  onTestFinished(async () => {
    started.kill();
    await started.completion;
  });
  return started;
}

let clockSpeed = 1;

/** Makes the clock of the runs in this process faster, for a file whose tests mostly wait for retries and polls. */
export const useFastClock = (): void => useClockSpeed(10);

/** The real clock for the tests of a `describe` in such a file. */
export const useRealClock = (): void => useClockSpeed(1);

function useClockSpeed(speed: number): void {
  let outer = clockSpeed;
  beforeAll(() => {
    outer = clockSpeed;
    clockSpeed = speed;
  });
  afterAll(() => {
    clockSpeed = outer;
  });
}

/** Pids above the system's largest pid (2^22 on Linux) identify runs in this process: locks and the write log need one each. */
const FIRST_RUN_PID = 2 ** 23 + process.pid * 2 ** 16;
const activeRuns = new Set<number>();
let runCount = 0;

/** Of all runs in this process: what it reads of /proc takes time. */
let systemContext: Context | null = null;
const getSystemContext = (): Context =>
  (systemContext ??= {
    ...built.createContext({ ...PROGRAM, cwd: "", signal: new AbortController().signal }),
  });

function startInProcess(
  args: readonly string[],
  { env = bareEnvironment(), cwd = process.cwd() }: Omit<CliOptions, "input"> = {},
): StartedCli {
  const stop = new AbortController();
  const stdin = new PassThrough();
  const captured = new CapturedOutput();
  let isStdoutClosed = false;
  const stdout = captured.stream("stdout", () => {
    // As with EPIPE (src/cli/main.ts), the run detects the closed pipe at its next write.
    if (isStdoutClosed) stop.abort("EPIPE");
    return !isStdoutClosed;
  });
  const system = getSystemContext();
  const speed = clockSpeed;
  const startedAt = Date.now();
  const pid = FIRST_RUN_PID + runCount++;
  const context = {
    ...system,
    cwd,
    signal: stop.signal,
    stdin: { readable: stdin as Readable, isTerminal: false },
    stdout: { writable: stdout, isTerminal: false, columns: 80 },
    stderr: { writable: captured.stream("stderr"), isTerminal: false, columns: 80 },
    env,
    homeDirectory: env.HOME ?? system.homeDirectory,
    temporaryDirectory: env.TMPDIR ?? system.temporaryDirectory,
    processes: {
      ...system.processes,
      own: { ...system.processes.own, pid },
      statusOf(identity: ProcessIdentity): ProcessStatus {
        if (identity.pid < FIRST_RUN_PID) return system.processes.statusOf(identity);
        return activeRuns.has(identity.pid) ? "alive" : "dead";
      },
    },
    now: () => startedAt + speed * (Date.now() - startedAt),
    monotonic: () => speed * readMonotonic(system),
    sleep: (milliseconds: number, signal?: AbortSignal) => system.sleep(milliseconds / speed, signal),
    start: (request: ChildRequest) =>
      startChild({ ...request, cwd: request.cwd ?? cwd }, system.start, captured),
  };
  activeRuns.add(pid);
  const completion = built.run(args, context).then((code): CliResult => {
    activeRuns.delete(pid);
    const result = { code, signal: null, ...captured.text };
    checkRun(args, env, result, { wasStdoutClosed: isStdoutClosed });
    return result;
  });
  // The test may end before the run; a failure then belongs to no test.
  completion.catch(() => {});
  onTestFinished(async () => {
    stop.abort("SIGTERM");
    await completion.catch(() => {});
  });
  return {
    completion,
    stdin,
    stop: (signal) => stop.abort(signal),
    closeStdout: () => {
      isStdoutClosed = true;
    },
    waitForOutput: captured.watch(completion),
  };
}

/** Starts a child of a run in this process. What would inherit the terminal prints to the run's own streams, and has no stdin. */
function startChild(request: ChildRequest, start: Context["start"], captured: CapturedOutput): Child {
  const { mode } = request;
  const onOutput = (chunk: Uint8Array) =>
    captured.add(mode.kind === "aside" ? "stderr" : "stdout", Buffer.from(chunk).toString());
  const isInherited = mode.kind === "inherit" || mode.kind === "aside";
  const child = start({ ...request, ...(isInherited && { mode: { kind: "captured", onOutput } }) });
  const stopChecking = checkChildArguments(child);
  child.ended.then(stopChecking, stopChecking);
  return child;
}

/** The output of a run so far, and the callbacks that wait for more. */
export class CapturedOutput {
  readonly text = { stdout: "", stderr: "" };
  readonly #watchers = new Set<() => void>();

  add(stream: "stdout" | "stderr", text: string): void {
    this.text[stream] += text;
    for (const check of this.#watchers) check();
  }

  stream(name: "stdout" | "stderr", isOpen = () => true): Writable {
    const decoder = new StringDecoder("utf8");
    return new Writable({
      write: (chunk: Buffer, _, done) => {
        if (isOpen()) this.add(name, decoder.write(chunk));
        done();
      },
    });
  }

  watch(completion: Promise<CliResult>): StartedCli["waitForOutput"] {
    return (pattern, stream = "stdout") =>
      new Promise((resolve, reject) => {
        const check = () => {
          const match = pattern.exec(this.text[stream]);
          if (!match) return;
          this.#watchers.delete(check);
          resolve(match);
        };
        this.#watchers.add(check);
        check();
        const fail = () => reject(new Error(`ended without ${pattern}: ${JSON.stringify(this.text)}`));
        completion.then(fail, reject);
      });
  }
}

/** The error document that `--json` prints on stderr when a command fails. */
export function errorOf({ stderr }: CliResult): {
  code: string;
  message: string;
  hint: string | null;
  jobId: string | null;
  retryable: boolean;
  exitCode: number;
  errors?: { line: number | null; column: string | null; code: string; message: string }[];
} {
  const line = stderr.split("\n").find((text) => text.startsWith('{"error"'));
  if (line === undefined) throw new Error(`no error document on stderr: ${stderr}`);
  return JSON.parse(line).error;
}
