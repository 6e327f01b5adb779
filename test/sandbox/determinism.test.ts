import { expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../sandbox/index.ts";
import { sandboxForTest } from "../support/sandbox.ts";
import {
  type call,
  callControl,
  entriesCsv,
  entryNumber,
  readJob,
  resume,
  scriptedEntryNumber,
  submissionForm,
  submit,
} from "../support/sandbox-requests.ts";

const readControl = async (sandbox: Sandbox, path: string) => (await callControl(sandbox, "GET", path)).body;

const createEntries = (count: number, ...more: string[]) =>
  entriesCsv([...Array.from({ length: count }, (_, serial) => entryNumber("ZZ9", serial)), ...more]);

const submitFile = async (sandbox: Sandbox, file: string): Promise<string> => {
  const response = await submit(sandbox, submissionForm({ file }));
  expect(response.status).toBe(202);
  return String(response.body.jobId);
};

test("with a frozen clock a request for a job waits until its due work is done", async () => {
  const sandbox = await sandboxForTest();
  for (const what of ["status", "report", "dataset"]) {
    const id = await submitFile(sandbox, createEntries(2_000));
    const response = await readJob(sandbox, what, id);
    expect(response.status, what).toBe(200);
    if (what === "status") expect(response.body.state).toBe("completed");
  }
  const failing = await submitFile(sandbox, createEntries(2_000, scriptedEntryNumber("2")));
  expect((await resume(sandbox, failing)).status).toBe(202);
  expect((await readJob(sandbox, "status", failing)).body).toMatchObject({ state: "completed", runCount: 2 });
});

test("the second of two concurrent resumes waits for the first and gets 409", async () => {
  const sandbox = await sandboxForTest();
  const id = await submitFile(sandbox, createEntries(2_000, scriptedEntryNumber("2")));
  const responses = await Promise.all([resume(sandbox, id), resume(sandbox, id)]);
  expect(responses.map(({ status }) => status).sort()).toEqual([202, 409]);
  expect(responses.find(({ status }) => status === 409)?.body.detail).toContain("completed");
});

test("with a frozen clock a request waits only for the work of its own job", async () => {
  const sandbox = await sandboxForTest();
  const big = await submitFile(sandbox, createEntries(30_000));
  let bigEnded = false;
  const bigStatus = readJob(sandbox, "status", big).then((response) => {
    bigEnded = true;
    return response;
  });
  const small = await submitFile(sandbox, createEntries(1));
  expect((await readJob(sandbox, "status", small)).body.state).toBe("completed");
  expect(bigEnded).toBe(false);
  expect((await bigStatus).body.state).toBe("completed");
});

test("with a frozen clock /state and /agenda wait for all due work", async () => {
  const sandbox = await sandboxForTest();
  await submitFile(sandbox, createEntries(2_000));
  expect((await readControl(sandbox, "/state")).jobs).toEqual({ completed: 1 });
  await submitFile(sandbox, createEntries(2_000));
  expect((await readControl(sandbox, "/agenda")).data).toEqual([]);
});

test("an advance lists exactly the tasks that fall due during it", async () => {
  const runCalls = async (wait: boolean) => {
    const sandbox = await sandboxForTest();
    await submitFile(sandbox, createEntries(2_000, scriptedEntryNumber("4")));
    if (wait) await sandbox.idle();
    return await sandbox.clock.advance("1m");
  };
  const advance = await runCalls(true);
  expect(advance.ran).toMatchObject([{ kind: "job.finish", dueAt: "2026-11-20T00:00:30.000Z" }]);
  expect(await runCalls(false)).toEqual(advance);
});

test("tasks due at the same time keep the order of their submissions", async () => {
  const sandbox = await sandboxForTest();
  const slow = await submitFile(sandbox, createEntries(5_000, scriptedEntryNumber("4")));
  const quick = await submitFile(sandbox, createEntries(1, scriptedEntryNumber("4")));
  const rows = (await readControl(sandbox, "/agenda")).data as { subject: string }[];
  expect(rows.map(({ subject }) => subject)).toEqual([slow, quick]);
  const { ran } = await sandbox.clock.advance("30s");
  expect(ran.map(({ subject }) => subject)).toEqual([slow, quick]);
});

test("the same calls with different pauses give the same bytes", async () => {
  const runCalls = async (pause: (sandbox: Sandbox) => Promise<void>) => {
    const sandbox = await sandboxForTest({ seed: 3 });
    const log: string[] = [];
    const logResponse = ({ status, text, headers }: Awaited<ReturnType<typeof call>>) =>
      log.push(`${status} ${headers.get("x-request-id")} ${text}`);
    for (const file of [
      createEntries(3_000, scriptedEntryNumber("1")),
      createEntries(10, scriptedEntryNumber("3")),
      createEntries(500, scriptedEntryNumber("4")),
    ]) {
      const id = await submitFile(sandbox, file);
      await pause(sandbox);
      for (const what of ["status", "report", "dataset"]) logResponse(await readJob(sandbox, what, id));
      logResponse(await resume(sandbox, id));
      await pause(sandbox);
      logResponse(await readJob(sandbox, "status", id));
    }
    for (const path of ["/agenda", "/state", "/clock"]) {
      // The start is the only real time, and the instance is random.
      const { startedAt: _, instanceId: __, ...content } = await readControl(sandbox, path);
      log.push(JSON.stringify(content));
    }
    log.push(JSON.stringify(await sandbox.clock.advance("1h")));
    return log;
  };
  expect(await runCalls(async () => undefined)).toEqual(await runCalls((sandbox) => sandbox.idle()));
});

test("with a running clock a job is visible in the state processing", async () => {
  await using sandbox = await startSandbox();
  const id = await submitFile(sandbox, createEntries(20_000));
  const states = new Set<unknown>();
  while (!states.has("completed")) states.add((await readJob(sandbox, "status", id)).body.state);
  expect(states).toContain("processing");
});
