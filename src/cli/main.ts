import type { StdioOptions } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import process from "node:process";
import { clearTimeout, setTimeout } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import { isatty } from "node:tty";
import manifest from "../../package.json" with { type: "json" };
import { usageError } from "../domain/errors.ts";
import { isInForeground } from "../process/foreground.ts";
import { localProcesses, type Processes } from "../process/identity.ts";
import type { Child, ChildEnd, ChildRequest, Context, OutputStream, StopReason } from "./context.ts";
import { toStdoutError } from "./files/file-errors.ts";
import { giveFilesToHomeOwner } from "./files/home-owner.ts";
import { printMessage } from "./output/stderr.ts";
import { chooseStreamForms, reportError, run } from "./program.ts";

export { run };

/** What bin/claims.js and the one file without Node give to `main`. */
export type Launcher = Pick<Context, "runtime" | "self" | "tuneForShortRun">;

/** Runs the command line of this process and resolves to its exit code. Only this module uses the global process. */
export async function main(launcher: Launcher): Promise<number> {
  const stop = new AbortController();
  const argv = process.argv.slice(2);
  const cwd = readCurrentFolder();
  const created = createContext({ ...launcher, cwd: cwd ?? "", signal: stop.signal });
  const context = chooseStreamForms(created, argv);
  if (cwd === null) return reportError(context, CURRENT_FOLDER_MISSING);
  // A package of conf asks for the home folder at its import, which throws for a user with neither HOME nor an account.
  process.env.HOME ??= context.homeDirectory;
  abortOnSignals(stop);
  process.on("uncaughtException", (error) => process.exit(reportError(context, error)));
  const startedAt = context.now();
  const exitCode = await run(argv, context);
  const warning = process.geteuid?.() === 0 ? await giveFilesToHomeOwner(context, startedAt) : null;
  if (warning !== null) printMessage(context, warning);
  return exitCode;
}

export function createContext(given: Launcher & Pick<Context, "cwd" | "signal">): Context {
  let stderrStream: NodeJS.WriteStream | null = null;
  let processes: Processes | null = null;
  return {
    ...given,
    // Creating a stream takes time, so each is created on first use.
    stdin: {
      get readable() {
        return process.stdin;
      },
      isTerminal: isatty(0),
      get canReadKeys() {
        return isatty(0) && isInForeground();
      },
    },
    stdout: createOutputStream(1, () => process.stdout),
    // A message that cannot be written must not stop the command.
    stderr: createOutputStream(2, () => (stderrStream ??= process.stderr.on("error", () => {}))),
    env: process.env,
    get homeDirectory() {
      return readHomeFolder();
    },
    get temporaryDirectory() {
      return tmpdir();
    },
    platform: process.platform,
    version: manifest.version,
    get processes() {
      processes ??= localProcesses(process, Date.now);
      return processes;
    },
    start: startChild,
    run,
    now: Date.now,
    monotonic: () => Math.round(performance.now()),
    random: Math.random,
    sleep: (milliseconds, abort) =>
      sleep(Math.min(milliseconds, MAX_TIMER_MS), undefined, abort && { signal: abort }),
  };
}

/** The longest delay of a timer in Node, 24 days. A longer one would end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function readCurrentFolder(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

const CURRENT_FOLDER_MISSING = usageError("cannot_read", "the working directory does not exist", {
  hint: "change to an existing folder and run the command again",
});

/** An unknown user, as in a container, gets the root folder, as in Docker. */
function readHomeFolder(): string {
  try {
    const folder = homedir();
    // A relative HOME, or an empty one, would be another folder in each working folder.
    return isAbsolute(folder) ? folder : userInfo().homedir;
  } catch {
    return "/";
  }
}

const createOutputStream = (descriptor: number, stream: () => NodeJS.WriteStream): OutputStream => ({
  get writable() {
    return stream();
  },
  isTerminal: isatty(descriptor),
  get columns() {
    return stream().columns ?? 80;
  },
});

/** npx, npm and timeout forward a signal that the whole process group has received already. */
const DUPLICATE_SIGNAL_MS = 250;

/** The first signal aborts the command, the second one exits at once. */
function abortOnSignals(stop: AbortController): void {
  let firstSignalAt = Number.NEGATIVE_INFINITY;
  // A closed terminal sends SIGHUP.
  const codes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
  for (const [reason, code] of Object.entries(codes)) {
    process.on(reason, () => {
      const now = performance.now();
      if (now - firstSignalAt < DUPLICATE_SIGNAL_MS) return;
      if (stop.signal.aborted) process.exit(code);
      firstSignalAt = now;
      stop.abort(reason);
    });
  }
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") stop.abort("EPIPE" satisfies StopReason);
    // print() listens while it writes, and reports the error.
    else if (process.stdout.listenerCount("error") === 1) throw toStdoutError(error);
  });
}

function startChild({ command, args, env, cwd, mode }: ChildRequest): Child {
  const log = mode.kind === "detached" ? openSync(mode.logFile, "w", 0o600) : null;
  const hasOwnGroup = mode.kind === "captured" && process.platform !== "win32";
  // Few commands start another program, and the module takes 3 ms to load.
  const { spawn } = process.getBuiltinModule("node:child_process");
  const child = spawn(command, args, {
    cwd,
    env,
    detached: hasOwnGroup || ["detached", "silent"].includes(mode.kind),
    stdio: chooseStdio(mode.kind, log),
  });
  if (log !== null) closeSync(log);
  const kill = (signal: string) => {
    if (hasOwnGroup) killGroup(child.pid, signal);
    else child.kill(signal as NodeJS.Signals);
  };
  const ended = new Promise<ChildEnd>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      const end = code === null ? { signal: signal ?? "SIGKILL" } : { code };
      if (mode.kind !== "captured") return resolve(end);
      // What it left behind would keep its output open.
      kill("SIGKILL");
      const timer = setTimeout(() => resolve(end), MAX_DRAIN_MS);
      child.once("close", () => {
        clearTimeout(timer);
        resolve(end);
      });
    });
  });
  if (mode.kind === "captured") {
    child.stdout?.on("data", mode.onOutput);
    child.stderr?.on("data", mode.onOutput);
  }
  return {
    pid: child.pid ?? 0,
    ended,
    kill,
    unref: () => child.unref(),
  };
}

/** For output that a process outside the group keeps open. */
const MAX_DRAIN_MS = 500;

function killGroup(pid: number | undefined, signal: string): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // All of it has ended.
  }
}

function chooseStdio(kind: ChildRequest["mode"]["kind"], log: number | null): StdioOptions {
  if (kind === "inherit") return "inherit";
  if (kind === "silent") return "ignore";
  if (kind === "captured") return ["ignore", "pipe", "pipe"];
  return ["ignore", log === null ? process.stderr : "ignore", log ?? process.stderr];
}
