import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchOf, startCountedMachine, submitOf, toEntryFile } from "../support/counted-machine.ts";
import { type Incident, startCrashableRun, useCrashableRuns } from "../support/crashable-run.ts";
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
  const options = { numRuns: count / PARALLEL, interruptAfterTimeLimit: TIMEOUT_MS / 2 };
  await Promise.all(
    Array.from({ length: PARALLEL }, (_, part) =>
      fc.assert(property(), { ...options, seed: seed + part, markInterruptAsFailure: true }),
    ),
  );
}

describe("random histories of submissions", () => {
  it("double nothing, send only what was given, and forget no decision", { timeout: TIMEOUT_MS }, () =>
    playHistories(Number(CLAIMS_TEST_SEED ?? 1), 100),
  );

  it("do so in thousands, from a new seed", { tags: "large", timeout: TIMEOUT_MS }, () =>
    playHistories(Number(CLAIMS_TEST_SEED ?? Date.now() % 2 ** 31), 2_000),
  );
});

const KINDS: readonly Incident["kind"][] = ["before", "torn", "after"];

/** More than the operations of any of the runs. */
const MAX_STEPS = 1_000;

describe.each([true, false])("a run that is killed at any of its operations (keys: %s)", (keepsKeys) => {
  it.each(["submit", "batch"])("leaves nothing that a person cannot end: %s", async (command) => {
    const { env, home, service } = await startCountedMachine({ keepsKeys });
    const run = async (args: readonly string[], incident: Incident | null = null) =>
      startCrashableRun(args, { env, cwd: home, incident }).completion;
    let killed = 0;
    for (let step = 1; step < MAX_STEPS; step += 1) {
      const folder = join(home, String(step));
      mkdirSync(folder);
      const file = join(folder, "a.csv");
      writeFileSync(file, toEntryFile(step));
      const args = command === "batch" ? batchOf(folder, "--json") : submitOf(file, "-q");
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
});
