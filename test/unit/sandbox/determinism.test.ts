import { expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.ts";
import { openSandbox, sandboxForTest } from "../../support/sandbox.ts";
import {
  call,
  entriesCsv,
  entryNumber,
  readJob,
  resume,
  scriptedEntryNumber,
  submissionForm,
  submit,
} from "../../support/sandbox-requests.ts";

const many = (count: number, ...more: string[]) =>
  entriesCsv([...Array.from({ length: count }, (_, serial) => entryNumber("ZZ9", serial)), ...more]);

const accepted = async (sandbox: Sandbox, file: string): Promise<string> => {
  const answer = await submit(sandbox, submissionForm({ file }));
  expect(answer.status).toBe(202);
  return String(answer.body.jobId);
};

const control = async (sandbox: Sandbox, path: string) =>
  (await call(sandbox, `/_sandbox${path}`, { token: sandbox.controlToken })).body;

test("a frozen clock never shows a due job half-done", async () => {
  const sandbox = await sandboxForTest();
  for (const what of ["status", "report", "dataset"]) {
    const id = await accepted(sandbox, many(5_000));
    const answer = await readJob(sandbox, what, id);
    expect(answer.status, what).toBe(200);
    if (what === "status") expect(answer.body.state).toBe("completed");
  }
  const failing = await accepted(sandbox, many(5_000, scriptedEntryNumber("2")));
  expect((await resume(sandbox, failing)).status).toBe(202);
  expect((await readJob(sandbox, "status", failing)).body).toMatchObject({ state: "completed", runCount: 2 });
});

test("the second of two concurrent resumes sees the end of the first", async () => {
  const sandbox = await sandboxForTest();
  const id = await accepted(sandbox, many(2_000, scriptedEntryNumber("2")));
  const answers = await Promise.all([resume(sandbox, id), resume(sandbox, id)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
  expect(answers.find(({ status }) => status === 409)?.body.detail).toContain("completed");
});

test("a request waits only for the work of its job", async () => {
  const sandbox = await sandboxForTest();
  const big = await accepted(sandbox, many(60_000));
  let bigEnded = false;
  const bigStatus = readJob(sandbox, "status", big).then((answer) => {
    bigEnded = true;
    return answer;
  });
  const small = await accepted(sandbox, many(1));
  expect((await readJob(sandbox, "status", small)).body.state).toBe("completed");
  expect(bigEnded).toBe(false);
  expect((await bigStatus).body.state).toBe("completed");
});

test("the control API waits for all due work", async () => {
  const sandbox = await sandboxForTest();
  await accepted(sandbox, many(5_000));
  expect((await control(sandbox, "/state")).jobs).toEqual({ completed: 1 });
  await accepted(sandbox, many(5_000));
  expect((await control(sandbox, "/agenda")).data).toEqual([]);
});

test("an advance lists exactly the tasks that fell due by it", async () => {
  const story = async (wait: boolean) => {
    const sandbox = await sandboxForTest();
    await accepted(sandbox, many(2_000, scriptedEntryNumber("4")));
    if (wait) await sandbox.idle();
    return await sandbox.clock.advance("1m");
  };
  const ledger = await story(true);
  expect(ledger.ran).toMatchObject([{ kind: "job.finish", dueAt: "2026-11-20T00:00:30.000Z" }]);
  expect(await story(false)).toEqual(ledger);
});

test("tasks due at the same time keep the order of the submissions", async () => {
  const sandbox = await sandboxForTest();
  const slow = await accepted(sandbox, many(20_000, scriptedEntryNumber("4")));
  const quick = await accepted(sandbox, many(1, scriptedEntryNumber("4")));
  const rows = (await control(sandbox, "/agenda")).data as { subject: string }[];
  expect(rows.map(({ subject }) => subject)).toEqual([slow, quick]);
});

test("the same calls with other pauses give the same bytes", async () => {
  const story = async (pause: (sandbox: Sandbox) => Promise<void>) => {
    const sandbox = await sandboxForTest({ seed: 3 });
    const heard: string[] = [];
    const hear = ({ status, text }: Awaited<ReturnType<typeof call>>) => heard.push(`${status} ${text}`);
    for (const file of [
      many(3_000, scriptedEntryNumber("1")),
      many(10, scriptedEntryNumber("3")),
      many(500, scriptedEntryNumber("4")),
    ]) {
      const id = await accepted(sandbox, file);
      await pause(sandbox);
      for (const what of ["status", "report", "dataset"]) hear(await readJob(sandbox, what, id));
      hear(await resume(sandbox, id));
      await pause(sandbox);
      hear(await readJob(sandbox, "status", id));
    }
    for (const path of ["/agenda", "/state", "/clock"])
      heard.push(JSON.stringify(await control(sandbox, path)));
    heard.push(JSON.stringify(await sandbox.clock.advance("1h")));
    return heard;
  };
  expect(await story(async () => undefined)).toEqual(await story((sandbox) => sandbox.idle()));
});

test("with a running clock a job is seen while it is processed", async () => {
  await using sandbox = await startSandbox();
  const id = await accepted(sandbox, many(20_000));
  const states = new Set<unknown>();
  while (!states.has("completed")) states.add((await readJob(sandbox, "status", id)).body.state);
  expect(states).toContain("processing");
});

test("close() during a wait for a job", async () => {
  const errors: unknown[] = [];
  const sandbox = await openSandbox({ onError: (error) => errors.push(error) });
  const id = await accepted(sandbox, many(40_000));
  const waiting = [readJob(sandbox, "status", id), control(sandbox, "/state")].map((answer) =>
    answer.then(
      () => "answered",
      () => "cut off",
    ),
  );
  await sandbox.close();
  expect(await Promise.all(waiting)).toEqual(["cut off", "cut off"]);
  expect(errors).toEqual([]);
});
