import { describe, expect, test } from "vitest";
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

const readState = async (sandbox: Sandbox, id: string) => (await readJob(sandbox, "status", id)).body;
const readTotals = async (sandbox: Sandbox, id: string) =>
  (await readJob(sandbox, "report", id)).body.totals as Record<string, number>;
const readRows = async (sandbox: Sandbox, id: string) =>
  ((await readJob(sandbox, "dataset", id)).body.rows as { entryNumber: string }[]).map(
    (row) => row.entryNumber,
  );

const resumeAndSettle = async (sandbox: Sandbox, id: string) => {
  const response = await resume(sandbox, id);
  expect(response.status).toBe(202);
  expect(response.body).toMatchObject({ state: "queued", failure: null, finishedAt: null });
  expect(response.headers.get("location")).toBe(`/v1/diligence/status/${id}`);
  await sandbox.idle();
};

const LAYOUTS: [string, (numbers: string[]) => string][] = [
  ["entry", entriesCsv],
  ["es003", es003Csv],
];

describe.each(LAYOUTS)("scenarios in the %s layout", (layout, csv) => {
  const createFile = (digit: string) =>
    csv([ordinaryEntryNumber(1), scriptedEntryNumber(digit), ordinaryEntryNumber(2)]);

  test("SBX-1 makes a job partial, and complete after a resume", async () => {
    const sandbox = await sandboxForTest();
    const id = await submitAndSettle(sandbox, { file: createFile("1") });
    const first = { state: "partial", runCount: 1, failure: null, progress: { entriesAccepted: 2 } };
    expect(await readState(sandbox, id)).toMatchObject(first);
    const partial = (await readJob(sandbox, "report", id)).body;
    expect(partial).toMatchObject({ complete: false, layout });
    expect(partial.totals).toMatchObject({ entriesAccepted: 2, entriesDeferred: 1, ieepaDutyCents: 20_000 });
    expect(await readRows(sandbox, id)).toEqual([ordinaryEntryNumber(1), ordinaryEntryNumber(2)]);
    await resumeAndSettle(sandbox, id);
    const second = { state: "completed", runCount: 2, progress: { entriesAccepted: 3 } };
    expect(await readState(sandbox, id)).toMatchObject(second);
    expect((await readJob(sandbox, "report", id)).body).toMatchObject({ complete: true });
    expect(await readTotals(sandbox, id)).toMatchObject({
      entriesAccepted: 3,
      entriesDeferred: 0,
      ieepaDutyCents: 30_000,
    });
    expect(await readRows(sandbox, id)).toEqual([
      ordinaryEntryNumber(1),
      scriptedEntryNumber("1"),
      ordinaryEntryNumber(2),
    ]);
  });

  test("SBX-2 makes a job fail, and complete after a resume", async () => {
    const sandbox = await sandboxForTest();
    const id = await submitAndSettle(sandbox, { file: createFile("2") });
    const failed = await readState(sandbox, id);
    expect(failed).toMatchObject({ state: "failed", failure: { code: "scenario_failure" } });
    for (const resource of ["report", "dataset"]) {
      const response = await readJob(sandbox, resource, id);
      expect([response.status, response.body.code]).toEqual([409, "job_failed"]);
    }
    await resumeAndSettle(sandbox, id);
    expect(await readState(sandbox, id)).toMatchObject({ state: "completed", runCount: 2, failure: null });
    expect(await readTotals(sandbox, id)).toMatchObject({ entriesAccepted: 3, ieepaDutyCents: 30_000 });
    expect(await readRows(sandbox, id)).toHaveLength(3);
  });

  test("SBX-3 makes a job fail at its row on every run", async () => {
    const sandbox = await sandboxForTest();
    const id = await submitAndSettle(sandbox, { file: createFile("3") });
    const line = layout === "entry" ? 3 : 4;
    for (const runCount of [1, 2, 3]) {
      const failure = { code: "scenario_failure", line };
      expect(await readState(sandbox, id)).toMatchObject({ state: "failed", runCount, failure });
      await resumeAndSettle(sandbox, id);
    }
  });

  test("SBX-4 makes the first run of a job take 30 s longer on the sandbox clock", async () => {
    const sandbox = await sandboxForTest();
    const id = await submitAndSettle(sandbox, {
      file: csv([scriptedEntryNumber("4"), scriptedEntryNumber("1")]),
    });
    expect(await readState(sandbox, id)).toMatchObject({ state: "processing", finishedAt: null });
    expect(sandbox.clock.agenda()).toEqual([
      { dueAt: "2026-11-20T00:00:30.000Z", kind: "job.finish", subject: id },
    ]);
    const early = await readJob(sandbox, "report", id);
    expect([early.status, early.body.code, early.headers.get("retry-after")]).toEqual([
      409,
      "report_not_ready",
      "1",
    ]);
    await sandbox.clock.advance("29s");
    expect((await readState(sandbox, id)).state).toBe("processing");
    await sandbox.clock.advance("1s");
    expect(await readState(sandbox, id)).toMatchObject({
      state: "partial",
      finishedAt: "2026-11-20T00:00:30.000Z",
    });
    await resumeAndSettle(sandbox, id);
    expect((await readState(sandbox, id)).state).toBe("completed");
  });
});

test("only partial and failed jobs can be resumed", async () => {
  const sandbox = await sandboxForTest({ jobSpeed: "real" });
  const id = String((await submit(sandbox, submissionForm())).body.jobId);
  for (const expected of ["queued", "processing", "completed"]) {
    expect((await readState(sandbox, id)).state).toBe(expected);
    const response = await resume(sandbox, id);
    expect([response.status, response.body.code]).toEqual([409, "job_not_resumable"]);
    expect(response.body.detail).toContain(expected);
    await sandbox.clock.advance("next");
  }
});

test("with jobSpeed real, each step of a job waits for the clock", async () => {
  const sandbox = await sandboxForTest({ jobSpeed: "real" });
  const id = String((await submit(sandbox, submissionForm())).body.jobId);
  const advance = await sandbox.clock.advance("idle");
  expect(advance).toEqual({
    from: "2026-11-20T00:00:00.000Z",
    to: "2026-11-20T00:00:04.000Z",
    ran: [
      { dueAt: "2026-11-20T00:00:01.000Z", kind: "job.start", subject: id },
      { dueAt: "2026-11-20T00:00:04.000Z", kind: "job.finish", subject: id },
    ],
  });
  expect(await readState(sandbox, id)).toMatchObject({
    state: "completed",
    createdAt: "2026-11-20T00:00:00.000Z",
    startedAt: "2026-11-20T00:00:01.000Z",
    finishedAt: "2026-11-20T00:00:04.000Z",
  });
});

test("a job fails with the first problem of its file, a scripted row or a file error", async () => {
  const sandbox = await sandboxForTest();
  const ragged = "ZZ9,1\n";
  const always = await submitAndSettle(sandbox, {
    file: entriesCsv([ordinaryEntryNumber(1), scriptedEntryNumber("3")]) + ragged,
  });
  for (const runCount of [1, 2]) {
    expect(await readState(sandbox, always)).toMatchObject({
      runCount,
      failure: { code: "scenario_failure", line: 3 },
    });
    await resume(sandbox, always);
  }
  const once = await submitAndSettle(sandbox, {
    file: entriesCsv([ordinaryEntryNumber(1), scriptedEntryNumber("2")]) + ragged,
  });
  expect(await readState(sandbox, once)).toMatchObject({ failure: { code: "scenario_failure", line: 3 } });
  await resume(sandbox, once);
  expect(await readState(sandbox, once)).toMatchObject({ failure: { code: "ROW_WIDTH", line: 4 } });
});

test("asOf is the day of the sandbox clock at submission", async () => {
  await using sandbox = await startSandbox({ frozenAt: "2026-11-20T23:59:59Z", jobSpeed: "real" });
  const id = String((await submit(sandbox, submissionForm())).body.jobId);
  await sandbox.clock.advance("idle");
  expect((await readState(sandbox, id)).asOf).toBe("2026-11-20");
  expect((await readJob(sandbox, "report", id)).body.asOf).toBe("2026-11-20");
});
