import { Buffer } from "node:buffer";
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CountedMachine,
  startCountedMachine,
  toEntryFile,
  WITHOUT_CHECK,
} from "../support/counted-machine.ts";
import { ACCEPT, refuse, sha256 } from "../support/counting-service.ts";
import { type Incident, startCrashableRun, useCrashableRuns } from "../support/crashable-run.ts";
import { batchArgs } from "../support/entry-folder.ts";
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts";
import { describeEachFirst, itEachFirst } from "../support/large.ts";
import { submitArgs } from "../support/sandbox.ts";
import { createHistories, playHistory } from "../support/submission-history.ts";

useCrashableRuns();

const { CLAIMS_TEST_SEED } = process.env;

/** Two minutes of a busy machine, and the search for a shorter history that fails. */
const TIMEOUT_MS = 600_000;

/** Histories at the same time, which wait for one another's files and sockets. */
const PARALLEL = 4;

/** The message of a failure has the seed, the path to the shortest history, and what happened in it. */
async function playHistories(seed: number, count: number): Promise<void> {
  const histories = createHistories({ hasClock: true });
  const property = () => fc.asyncProperty(histories, (history) => playHistory(history, startCrashableRun));
  // A loaded machine plays fewer of them.
  const options = { numRuns: count / PARALLEL, interruptAfterTimeLimit: TIMEOUT_MS / 2 };
  await Promise.all(
    Array.from({ length: PARALLEL }, (_, part) => fc.assert(property(), { ...options, seed: seed + part })),
  );
}

describe("random histories of submissions", () => {
  it("double nothing, send only what was given, and forget no decision", { timeout: TIMEOUT_MS }, () =>
    playHistories(Number(CLAIMS_TEST_SEED ?? 1), 8),
  );

  it("do so in hundreds", { tags: "large", timeout: TIMEOUT_MS }, () =>
    playHistories(Number(CLAIMS_TEST_SEED ?? 777), IS_EXHAUSTIVE ? 2_000 : 200),
  );
});

const MEBIBYTE = 1 << 20;

/** More than a command keeps in memory. */
const LARGE_BYTES = 9 * MEBIBYTE;

const LARGE_FILE = Buffer.alloc(LARGE_BYTES, toEntryFile(1));

/** Each is one step for a reader, so that the file is always whole. `part` of the file, of 1,000. */
const LARGE_CHANGES = {
  overwrite(file: string, part: number) {
    const { atime, mtime, size } = statSync(file);
    const descriptor = openSync(file, "r+");
    writeSync(descriptor, `#${part}`, Math.floor((part / 1_000) * (size - 8)));
    closeSync(descriptor);
    utimesSync(file, atime, mtime);
  },
  append: (file: string, part: number) => appendFileSync(file, "#".repeat(1 + part * 3_000)),
  truncate: (file: string, part: number) => truncateSync(file, Math.floor((part / 1_000) * LARGE_BYTES)),
  replace(file: string, part: number) {
    writeFileSync(`${file}.new`, LARGE_FILE.subarray(part));
    renameSync(`${file}.new`, file);
  },
  delete: (file: string) => rmSync(file),
};

const largeChange = fc.record({
  kind: fc.constantFrom(...(Object.keys(LARGE_CHANGES) as (keyof typeof LARGE_CHANGES)[])),
  part: fc.nat({ max: 999 }),
});

const largeHistory = fc.record({
  isBatch: fc.boolean(),
  atOperation: fc.record({ step: fc.integer({ min: 1, max: 120 }), change: largeChange }),
  atRefusal: fc.option(largeChange, { freq: 3 }),
  duringUpload: fc.option(fc.record({ afterBytes: fc.nat({ max: LARGE_BYTES }), change: largeChange })),
});

type LargeHistory = typeof largeHistory extends fc.Arbitrary<infer Value> ? Value : never;

/** Changes a large file while it is sent. What arrived is a version of the file, and the log agrees with the service. */
async function playLargeHistory(machine: CountedMachine, history: LargeHistory): Promise<void> {
  const { home, service } = machine;
  const { atOperation, atRefusal, duringUpload, isBatch } = history;
  const folder = mkdtempSync(join(home, "large-"));
  const file = join(folder, "a.csv");
  writeFileSync(file, LARGE_FILE);
  const original = sha256(LARGE_FILE);
  const versions = new Map([[original, LARGE_FILE]]);
  const apply = ({ kind, part }: typeof atOperation.change) => {
    if (!existsSync(file)) return;
    LARGE_CHANGES[kind](file, part);
    if (!existsSync(file)) return;
    const bytes = readFileSync(file);
    versions.set(sha256(bytes), bytes);
  };
  // Each history has a machine and submissions of its own.
  const env = { ...machine.env, CLAIMS_CONFIG_DIR: `${folder}-config` };
  const seller = folder;
  const sellerArgs = ["--seller-name", seller, "--on-duplicate", "skip", WITHOUT_CHECK, "--json"];
  const args = isBatch
    ? ["diligence", "batch", folder, ...sellerArgs, "--yes"]
    : ["diligence", "submit", file, ...sellerArgs];
  const before = { jobs: service.jobs.length, uploads: service.uploads.length };
  if (atRefusal !== null)
    service.react({ ...refuse(429, { "retry-after": "0" }), beforeResponse: () => apply(atRefusal) });
  if (duringUpload !== null) {
    const { afterBytes, change } = duringUpload;
    service.react({ ...ACCEPT, pause: { afterBytes, meanwhile: async () => apply(change) } });
  }
  const { step, change } = atOperation;
  const { completion } = startCrashableRun(args, {
    ...{ env, cwd: home, incident: { step, kind: "change" } },
    onChange: () => apply(change),
  });
  const result = await completion;
  service.reactions.length = 0;
  const jobs = service.jobs.slice(before.jobs);
  const refusals = service.uploads.length - before.uploads - jobs.length;
  expect(jobs.filter((job) => !versions.has(job.sha256))).toEqual([]);
  // A batch leaves a file that changed after its start to the next run.
  const isLeft = isBatch && result.stderr.includes("file_being_written");
  expect(isLeft ? [6] : [0, 2, 5], result.stderr).toContain(result.code);
  expect([result.code === 0 ? 1 : 0, refusals <= 1]).toEqual([jobs.length, true]);
  const unknown = await startCrashableRun(["history", "--unknown"], { env, cwd: home }).completion;
  expect(unknown.code, unknown.stderr).toBe(0);
  // The version that was sent is known, and no other one.
  writeFileSync(file, versions.get(jobs[0]?.sha256 ?? original) ?? "");
  const again = await startCrashableRun(args, { env, cwd: home }).completion;
  expect([again.code, service.jobs.length - before.jobs], again.stderr).toEqual([0, 1]);
  rmSync(folder, { recursive: true });
}

async function playLargeHistories(seed: number, numRuns: number): Promise<void> {
  const machine = await startCountedMachine({ keepsKeys: seed % 2 === 0 });
  await fc.assert(
    fc.asyncProperty(largeHistory, (history) => playLargeHistory(machine, history)),
    { seed, numRuns },
  );
}

describe("random changes of a large file while it is sent", () => {
  it("never make a job of bytes that nobody gave, nor a wrong record", { timeout: TIMEOUT_MS }, () =>
    playLargeHistories(Number(CLAIMS_TEST_SEED ?? 1), 2),
  );

  it("do so in many", { tags: "large", timeout: TIMEOUT_MS }, () =>
    playLargeHistories(Number(CLAIMS_TEST_SEED ?? 777), IS_EXHAUSTIVE ? 150 : 20),
  );
});

const KINDS: readonly Incident["kind"][] = ["before", "torn", "after"];

/** More than the operations of any of the runs. */
const MAX_STEPS = 1_000;

describeEachFirst([[false], [true]])(
  "a run that is killed at any of its operations (keys: %s)",
  (keepsKeys) => {
    itEachFirst([["batch"], ["submit"]])("leaves nothing that a person cannot end: %s", async (command) => {
      const { env, home, service } = await startCountedMachine({ keepsKeys });
      const run = async (args: readonly string[], incident: Incident | null = null) =>
        startCrashableRun(args, { env, cwd: home, incident }).completion;
      let killed = 0;
      for (let step = 1; step < MAX_STEPS; step += 1) {
        const folder = join(home, String(step));
        mkdirSync(folder);
        const file = join(folder, "a.csv");
        writeFileSync(file, toEntryFile(step));
        const args = command === "batch" ? batchArgs(folder, "--json") : submitArgs(file, "-q");
        const kind = KINDS[step % KINDS.length] ?? "before";
        if ((await run(args, { step, kind })).code !== null) break;
        killed += 1;
        const where = `killed ${kind} operation ${step}`;
        let next = await run([...args, "--on-duplicate", "skip"]);
        if (next.code === 10 && !keepsKeys) {
          expect(service.jobsOf(toEntryFile(step)).length, where).toBeLessThanOrEqual(1);
          const list = await run(["history", "--unknown", "-q"]);
          const keys = list.stdout.split("\n").filter(Boolean);
          expect(keys, where).toHaveLength(1);
          const [job] = service.jobsOf(toEntryFile(step));
          const decided = job === undefined ? ["--refused"] : ["--job-id", job.id];
          const resolved = await run(["history", "resolve", keys[0] ?? "", ...decided]);
          expect(resolved.code, `${where}: ${resolved.stderr}`).toBe(0);
          next = await run([...args, "--on-duplicate", "skip"]);
        }
        expect([next.code, where], next.stderr).toEqual([0, where]);
        const jobs = service.jobsOf(toEntryFile(step));
        expect([jobs.length, where]).toEqual([1, where]);
        expect(next.stdout).toContain(jobs[0]?.id);
      }
      expect(killed).toBeGreaterThan(20);
      expect(killed).toBeLessThan(MAX_STEPS - 1);
    });
  },
);
