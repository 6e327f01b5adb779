import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { addToCorpus, readCorpus } from "./corpus.ts";
import type { Outcome, Session, Target } from "./target.ts";

export interface FuzzOptions {
  readonly targets: readonly Target[];
  readonly seed: number;
  readonly minutes: number;
  /** At most so many inputs of each target. */
  readonly inputs: number;
  /** Gets the input that is being checked, for whoever finds this process hanging. */
  readonly currentInputFile: string;
  /** Writes a line to the terminal. */
  readonly print: (line: string) => void;
  /** Collects garbage. */
  readonly gc: () => void;
}

/** How long a target has its turn. */
const SLICE_MS = 3_000;
/** Checks between two looks at the clock. */
const CHECKS_AT_ONCE = 50;
/** Of one check: so many times the processor time of a fixed work on this machine. */
const MAX_CPU_RATIO = 100;
/** For a check that never ends; far longer than any takes on a loaded machine. */
const MAX_CHECK_MS = 60_000;
/** A session begins again after so many checks: what it keeps is bounded, and a new one starts from another state. */
const CHECKS_OF_SESSION = 4_000;
/** Of live objects and buffers after garbage collection, the harness's own included. */
const MAX_MEMORY_MIB = 300;
const MAX_DRAIN_MS = 10_000;
/** A failure that is slow to repeat is reported as it was found. */
const MAX_SHRINK_MS = 30_000;

interface Progress {
  readonly target: Target;
  readonly seeds: Generator<number>;
  readonly greaseSeeds: Generator<number | null, never>;
  checksOfSession: number;
  greaseSeed: number | null;
  inputs: number;
  responses: number;
  accepted: number;
  session: Session<unknown> | null;
  failure: string | null;
}

const FIXED_WORK_RUNS = 5;
const FIXED_WORK_HMACS = 6_000;

/** Milliseconds of processor time: 10 on a fast machine. The shortest of a few runs, as compiling falls into the first. */
function measureFixedWork(): number {
  const body = Buffer.alloc(1_024, "x");
  const runs = Array.from({ length: FIXED_WORK_RUNS }, () => {
    const before = process.cpuUsage();
    for (let count = 0; count < FIXED_WORK_HMACS; count += 1)
      createHmac("sha256", "key").update(body).digest("hex");
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...runs);
}

/** Checks targets in turns until the time or the count is over. Returns whether every invariant held. */
export async function fuzz(options: FuzzOptions): Promise<boolean> {
  const { targets, seed, minutes, inputs, print } = options;
  const errors = collectErrors();
  const file = openSync(options.currentInputFile, "w");
  const noteInput = ({ target: { name }, greaseSeed }: Progress, input: unknown) => {
    ftruncateSync(file);
    writeSync(file, JSON.stringify({ target: name, greaseSeed, input }), 0);
  };
  const maxCpuMs = MAX_CPU_RATIO * measureFixedWork();
  const all = targets.map((target, index) => createProgress(target, seed + index));
  const end = Date.now() + minutes * 60_000;
  const isOpen = (progress: Progress) => progress.failure === null && progress.inputs < inputs;
  print(`seed ${seed}`);
  try {
    for (const progress of all) await replayCorpus(progress);
    let hasWork = true;
    while (Date.now() < end && hasWork) {
      hasWork = false;
      for (const progress of all) {
        if (!isOpen(progress) || Date.now() >= end) continue;
        hasWork = true;
        await takeTurn(progress, Math.min(end, Date.now() + SLICE_MS));
      }
    }
  } finally {
    for (const progress of all)
      await endSession(progress).catch((error: unknown) =>
        reportFailure(progress, error, "the end of its session"),
      );
    closeSync(file);
    errors.stop();
  }
  for (const progress of all) print(describeProgress(progress));
  const total = all.reduce((sum, progress) => sum + progress.inputs, 0);
  const failures = all.filter(({ failure }) => failure !== null);
  print(`${total} inputs, ${failures.length} failures, seed ${seed}`);
  return failures.length === 0;

  async function checkInput(progress: Progress, input: unknown): Promise<Outcome> {
    const { target } = progress;
    noteInput(progress, input);
    progress.session ??= await target.open(errors.add, progress.greaseSeed);
    const { session } = progress;
    const measure = async () => {
      // Of this process, so that others of the machine do not count.
      const before = process.cpuUsage();
      // After an uncaught exception, a response may never come.
      const outcome = await errors.orFirst(session.check(input), MAX_CHECK_MS);
      const { user, system } = process.cpuUsage(before);
      // An unhandled rejection is reported after the promises of this turn.
      await setImmediate();
      errors.throwFirst();
      return { outcome, cpuMs: (user + system) / 1_000 };
    };
    const { outcome, cpuMs } = await measure();
    // Compiling and collecting garbage may fall into any check, but not into the same one twice.
    const isDoubtful = cpuMs > maxCpuMs && cpuMs < 5 * maxCpuMs;
    const least = isDoubtful ? Math.min(cpuMs, (await measure()).cpuMs) : cpuMs;
    if (least > maxCpuMs)
      throw new Error(`took ${Math.round(least)} ms of processor time, more than ${Math.round(maxCpuMs)}`);
    return outcome;
  }

  /** Ends the session; the next check opens another one. */
  async function endSession(progress: Progress): Promise<void> {
    const { session } = progress;
    progress.session = null;
    progress.checksOfSession = 0;
    if (session) await errors.orFirst(session.close(), MAX_CHECK_MS);
  }

  async function replayCorpus(progress: Progress): Promise<void> {
    for (const { name, greaseSeed, input } of readCorpus(progress.target.name)) {
      progress.greaseSeed = greaseSeed;
      try {
        await checkInput(progress, input);
      } catch (error) {
        reportFailure(progress, error, `corpus ${progress.target.name}/${name}`);
      }
      await endSession(progress);
    }
    progress.greaseSeed = progress.greaseSeeds.next().value;
  }

  async function takeTurn(progress: Progress, until: number): Promise<void> {
    while (isOpen(progress) && Date.now() < until) await checkSome(progress, until);
    await requireBoundedMemory(progress);
  }

  async function checkSome(progress: Progress, until: number): Promise<void> {
    const runSeed = progress.seeds.next().value as number;
    let failedAt: number | null = null;
    const check = async (input: unknown): Promise<void> => {
      if (failedAt === null && (Date.now() > until || progress.inputs >= inputs)) return;
      if (failedAt !== null && Date.now() > failedAt + MAX_SHRINK_MS) return;
      if (progress.checksOfSession >= CHECKS_OF_SESSION) {
        await endSession(progress);
        progress.greaseSeed = progress.greaseSeeds.next().value;
      }
      try {
        const { inputs: count, responses = 0, accepted = 0 } = await checkInput(progress, input);
        progress.checksOfSession += 1;
        progress.inputs += count;
        progress.responses += responses;
        progress.accepted += accepted;
      } catch (error) {
        if (failedAt === null)
          print(
            `${progress.target.name}: an invariant is broken, looking for a smaller input: ${String(error)}`,
          );
        failedAt ??= Date.now();
        // The failure may have changed what the next inputs find.
        await endSession(progress);
        throw error;
      }
    };
    const { failed, counterexample, errorInstance, counterexamplePath } = await fc.check(
      fc.asyncProperty(progress.target.arbitrary, check),
      { seed: runSeed, numRuns: CHECKS_AT_ONCE },
    );
    if (!failed) return;
    const path = addToCorpus(progress.target.name, {
      greaseSeed: progress.greaseSeed,
      input: counterexample?.[0],
    });
    reportFailure(progress, errorInstance, `${path} (seed ${runSeed}, path ${counterexamplePath})`);
  }

  async function requireBoundedMemory(progress: Progress): Promise<void> {
    const until = Date.now() + MAX_DRAIN_MS;
    let mebibytes = readMemoryInUse();
    // A response may come before the end of a large request, whose rest is still in the socket.
    for (; mebibytes > MAX_MEMORY_MIB && Date.now() < until; mebibytes = readMemoryInUse())
      await setImmediate();
    if (mebibytes > MAX_MEMORY_MIB && progress.failure === null)
      reportFailure(progress, new Error(`${mebibytes} MiB are in use`), "memory after its turn");
  }

  function readMemoryInUse(): number {
    options.gc();
    const { heapUsed, external } = process.memoryUsage();
    return Math.round((heapUsed + external) / 2 ** 20);
  }

  function reportFailure(progress: Progress, error: unknown, where: string): void {
    progress.failure = where;
    print(
      `FAILURE ${progress.target.name}: ${where}\n${error instanceof Error ? error.stack : String(error)}`,
    );
  }
}

function createProgress(target: Target, seed: number): Progress {
  const counts = { checksOfSession: 0, inputs: 0, responses: 0, accepted: 0 };
  const seeds = { seeds: listSeeds(seed), greaseSeeds: listGreaseSeeds(seed), greaseSeed: null };
  return { target, ...seeds, session: null, failure: null, ...counts };
}

/** A generator of its own for each target: how far it comes depends on the machine, what it tries does not. */
function* listSeeds(seed: number): Generator<number> {
  for (let state = seed | 0; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    yield state;
  }
}

/** Every other session has a service that varies what is assumed. */
function* listGreaseSeeds(seed: number): Generator<number | null, never> {
  for (let next = Math.abs(seed); ; next += 1) yield next % 2 === 0 ? null : next;
}

function describeProgress({ target, inputs, responses, accepted, failure }: Progress): string {
  const share =
    responses === 0 ? "" : `, ${((100 * accepted) / responses).toFixed(1)} % of the responses are 2xx`;
  return `${target.name}: ${inputs} inputs${share}${failure === null ? "" : "; FAILED"}`;
}

/** Errors that no check sees: they would end the process. */
function collectErrors() {
  const errors: unknown[] = [];
  let reject: (error: unknown) => void = () => {};
  const add = (error: unknown) => {
    errors.push(error);
    reject(error);
  };
  process.on("uncaughtException", add);
  process.on("unhandledRejection", add);
  return {
    add,
    /** The result, unless an error or the time limit comes first. */
    orFirst<T>(result: Promise<T>, limitMs: number): Promise<T> {
      const failed = new Promise<never>((_, fail) => {
        reject = fail;
      });
      const timer = setTimeout(() => reject(new Error(`no result after ${limitMs} ms`)), limitMs);
      return Promise.race([result, failed]).finally(() => clearTimeout(timer));
    },
    throwFirst(): void {
      const [first] = errors.splice(0);
      if (first !== undefined) throw first;
    },
    stop(): void {
      process.off("uncaughtException", add);
      process.off("unhandledRejection", add);
    },
  };
}
