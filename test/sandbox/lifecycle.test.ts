import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { startHostedSandbox } from "../../sandbox/start.ts";
import { GOLDEN_TIME } from "../support/sandbox.ts";
import {
  call,
  entriesCsv,
  entryNumber,
  largeEntriesCsv,
  readJob,
  submissionForm,
  submit,
  submitAndSettle,
} from "../support/sandbox-requests.ts";

let tempDir: string;
const errors: unknown[] = [];
const onError = (error: unknown) => errors.push(error);
beforeEach(() => {
  tempDir = mkdtempSync(join(tmpdir(), "claims-test-"));
});
afterEach(() => {
  expect(existsSync(tempDir) && readdirSync(tempDir)).toEqual([]);
  rmSync(tempDir, { recursive: true });
  expect(errors.splice(0)).toEqual([]);
});

const createEntries = (count: number) =>
  entriesCsv(Array.from({ length: count }, (_, serial) => entryNumber("ZZ9", serial)));

test("a response repeats a valid request id and replaces an invalid one", async () => {
  await using sandbox = await startHostedSandbox({});
  const idFor = async (sent: string) =>
    (await call(sandbox, "/v1/docs/openapi", { headers: { "x-request-id": sent } })).headers.get(
      "x-request-id",
    );
  expect(await idFor("order-17.a_b")).toBe("order-17.a_b");
  for (const odd of ["a b", "x".repeat(129), "<script>"]) {
    expect(await idFor(odd)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  const problem = await call(sandbox, "/v1/nothing", { headers: { "x-request-id": "mine" } });
  expect(problem.body.requestId).toBe("mine");
});

test("several sandboxes run at the same time independently", async () => {
  const sandboxes = await Promise.all(
    [1, 2, 3].map((seed) => startHostedSandbox({ seed, frozenAt: GOLDEN_TIME })),
  );
  const ids = await Promise.all(sandboxes.map((sandbox) => submitAndSettle(sandbox)));
  expect(new Set(ids).size).toBe(3);
  expect(new Set(sandboxes.map(({ port }) => port)).size).toBe(3);
  const [first, second] = sandboxes as [Sandbox, Sandbox];
  expect((await readJob(second, "status", ids[0] as string)).status).toBe(404);
  await first.close();
  expect((await readJob(second, "status", ids[1] as string)).status).toBe(200);
  await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
});

test("close() can be called several times", async () => {
  const sandbox = await startHostedSandbox({}, { tempDir });
  await Promise.all([sandbox.close(), sandbox.close()]);
  await sandbox.close();
  await expect(fetch(sandbox.url)).rejects.toThrow();
});

test("close() works while a job reads its file", async () => {
  const sandbox = await startHostedSandbox({ onError }, { tempDir });
  const id = String((await submit(sandbox, submissionForm({ file: createEntries(40_000) }))).body.jobId);
  for (let rows = 0; rows === 0; ) {
    rows = ((await readJob(sandbox, "status", id)).body.progress as { rowsProcessed: number }).rowsProcessed;
  }
  await sandbox.close();
});

test("close() works during the download of a dataset", async () => {
  const sandbox = await startHostedSandbox({ onError }, { tempDir });
  const id = await submitAndSettle(sandbox, { file: createEntries(15_000) });
  const response = await fetch(`${sandbox.url}/v1/diligence/dataset/${id}`, {
    headers: { authorization: `Bearer ${sandbox.credentials.sandbox.apiKey}` },
  });
  await response.body?.getReader().read();
  await sandbox.close();
});

test("close() works during requests and an advance", async () => {
  const sandbox = await startHostedSandbox({ onError, frozenAt: GOLDEN_TIME, jobSpeed: "real" }, { tempDir });
  await submit(sandbox, submissionForm({ file: createEntries(20_000) }));
  const advance = expect(sandbox.clock.advance("idle")).rejects.toMatchObject({ code: "sandbox_closed" });
  const requests = Array.from({ length: 5 }, () => submit(sandbox, submissionForm()).catch(() => "cut off"));
  await sandbox.close();
  await Promise.all(requests);
  await advance;
  const emitted = sandbox.webhooks.emit({ type: "partner.test" });
  await expect(emitted).rejects.toMatchObject({ code: "sandbox_closed", hint: "start another one" });
});

/** Requests a snapshot of a sandbox that has lost the files it has not read yet, which are in every snapshot. */
async function failSnapshot(report: (error: unknown) => void) {
  await using sandbox = await startHostedSandbox({ jobSpeed: "real", onError: report }, { tempDir });
  await submit(sandbox, submissionForm({ file: largeEntriesCsv() }));
  for (const name of readdirSync(tempDir)) rmSync(join(tempDir, name), { recursive: true });
  const request = { method: "POST", token: sandbox.controlToken };
  const response = await call(sandbox, "/_sandbox/snapshots/one", request);
  expect([response.status, response.body.code]).toEqual([500, "internal_error"]);
  expect(response.text).not.toContain("ENOENT");
}

test("an onError that throws keeps no caller waiting", async () => {
  const warnings: Error[] = [];
  const collect = (warning: Error) => warnings.push(warning);
  process.on("warning", collect);
  onTestFinished(() => void process.off("warning", collect));
  await failSnapshot(() => {
    throw new Error("from onError");
  });
  await setImmediate();
  expect(warnings.map(({ message }) => message)).toEqual([
    expect.stringContaining("ENOENT"),
    expect.stringContaining("from onError"),
  ]);
});

test("an unexpected error goes to onError, not to the client", async () => {
  const unexpectedErrors: unknown[] = [];
  await failSnapshot((error) => unexpectedErrors.push(error));
  expect(unexpectedErrors).toMatchObject([{ message: expect.stringContaining("ENOENT") }]);
});
