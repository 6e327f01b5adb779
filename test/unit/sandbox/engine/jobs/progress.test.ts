import { expect, test } from "vitest";
import { resolveOutcome } from "../../../../../sandbox/engine/jobs/outcome.ts";
import { type Sandbox, startSandbox } from "../../../../../sandbox/index.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import {
  entriesCsv,
  es003Csv,
  ordinaryEntryNumber,
  readJob,
  resume,
  scriptedEntryNumber,
  submissionForm,
  submit,
  submitAndSettle,
} from "../../../../support/sandbox-requests.ts";

const readStatus = async (sandbox: Sandbox, id: string) => (await readJob(sandbox, "status", id)).body;

test.each([
  ["entry", entriesCsv],
  ["es003", es003Csv],
])("the progress does not count a deferred entry as accepted (%s)", async (_layout, csv) => {
  const sandbox = await sandboxForTest();
  const id = await submitAndSettle(sandbox, {
    file: csv([ordinaryEntryNumber(1), scriptedEntryNumber("1"), ordinaryEntryNumber(2)]),
  });
  expect(await readStatus(sandbox, id)).toMatchObject({ state: "partial", progress: { entriesAccepted: 2 } });
  await resume(sandbox, id);
  expect(await readStatus(sandbox, id)).toMatchObject({
    state: "completed",
    progress: { entriesAccepted: 3 },
  });
});

test.each([
  ["1", "partial"],
  ["2", "failed"],
  ["3", "failed"],
])("a job with SBX-%s has its final progress while it waits for its end", async (digit, state) => {
  const sandbox = await sandboxForTest({ jobSpeed: "real" });
  const file = entriesCsv([ordinaryEntryNumber(1), scriptedEntryNumber(digit), ordinaryEntryNumber(2)]);
  const id = String((await submit(sandbox, submissionForm({ file }))).body.jobId);
  for (const _run of [1, 2]) {
    await sandbox.clock.advance("1s");
    const before = await readStatus(sandbox, id);
    expect(before.state).toBe("processing");
    await sandbox.clock.advance("3s");
    const after = await readStatus(sandbox, id);
    expect(before.progress).toEqual(after.progress);
    if (after.runCount === 1) expect(after.state).toBe(state);
    await resume(sandbox, id);
  }
});

test("a job fails with the first problem of its file, a scripted row or a file error", async () => {
  const sandbox = await sandboxForTest();
  const ragged = "ZZ9,1\n";
  const always = await submitAndSettle(sandbox, {
    file: entriesCsv([ordinaryEntryNumber(1), scriptedEntryNumber("3")]) + ragged,
  });
  for (const runCount of [1, 2]) {
    expect(await readStatus(sandbox, always)).toMatchObject({
      runCount,
      failure: { code: "scenario_failure", line: 3 },
      progress: { entriesAccepted: 1 },
    });
    await resume(sandbox, always);
  }
  const once = await submitAndSettle(sandbox, {
    file: entriesCsv([ordinaryEntryNumber(1), scriptedEntryNumber("2")]) + ragged,
  });
  expect(await readStatus(sandbox, once)).toMatchObject({ failure: { code: "scenario_failure", line: 3 } });
  await resume(sandbox, once);
  expect(await readStatus(sandbox, once)).toMatchObject({ failure: { code: "ROW_WIDTH", line: 4 } });
});

test("an error of the whole file takes precedence over errors of rows", () => {
  const progress = { rowsTotal: null, rowsProcessed: 0, entriesAccepted: 0, entriesRejected: 0 };
  const scriptedFailure = { line: 2, progress };
  const findings = { failsOnce: null, failsAlways: scriptedFailure, deferred: 0, slow: false, progress };
  const fault = { code: "internal_error", detail: "It failed.", line: null };
  expect(resolveOutcome({ ...findings, fileError: fault }, 1).failure).toEqual(fault);
  expect(resolveOutcome({ ...findings, fileError: { ...fault, line: 2 } }, 1).failure?.code).toBe(
    "internal_error",
  );
});

test("the progress of a failing run never exceeds the failing row while the file is read", async () => {
  await using sandbox = await startSandbox();
  const rest = Array.from({ length: 12_000 }, (_, serial) => ordinaryEntryNumber(serial + 10));
  const file = entriesCsv([ordinaryEntryNumber(1), scriptedEntryNumber("2"), ...rest]);
  const id = String((await submit(sandbox, submissionForm({ file }))).body.jobId);
  const seen: unknown[] = [];
  for (let state: unknown = "queued"; state !== "failed"; ) {
    const job = await readStatus(sandbox, id);
    state = job.state;
    seen.push(job.progress);
  }
  const counts = seen.map((progress) => (progress as { rowsProcessed: number }).rowsProcessed);
  expect(Math.max(...counts)).toBe(1);
});
