import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Sandbox } from "../../../sandbox/index.ts";
import { startHostedSandbox } from "../../../sandbox/start.ts";
import { GOLDEN_TIME, sandboxForTest } from "../../support/sandbox.ts";
import {
  call,
  entriesCsv,
  entryNumber,
  readFixture,
  readJob,
  resume,
  submissionForm,
  submit,
  submitAndSettle,
} from "../../support/sandbox-requests.ts";

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

test("the same seed, frozen clock and calls give the same bytes", async () => {
  const runCalls = async (polls: number) => {
    const sandbox = await sandboxForTest({ seed: 7 });
    const log: string[] = [];
    const logResponse = ({ status, text, headers }: Awaited<ReturnType<typeof call>>) =>
      log.push(`${status} ${headers.get("x-request-id")} ${headers.get("location")} ${text}`);
    // The number of readiness polls must not matter.
    for (let count = 0; count < polls; count += 1) {
      await call(sandbox, "/_sandbox/ready", { token: null });
    }
    const id = await submitAndSettle(sandbox, { file: readFixture("boundaries.csv") });
    for (const resource of ["status", "report", "dataset"]) logResponse(await readJob(sandbox, resource, id));
    const failed = await submitAndSettle(sandbox, { file: entriesCsv([entryNumber("SBX", 1, "2")]) });
    logResponse(await resume(sandbox, failed));
    await sandbox.idle();
    logResponse(await readJob(sandbox, "status", failed));
    const { clientId, clientSecret } = sandbox.credentials.sandbox;
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
    });
    logResponse(await call(sandbox, "/v1/oauth/token", { method: "POST", body, token: null }));
    logResponse(await call(sandbox, "/v1/nothing"));
    logResponse(await submit(sandbox, submissionForm({ file: null })));
    return log;
  };
  expect(await runCalls(1)).toEqual(await runCalls(4));
});

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

test("a 404 names the closest route, and a 405 the allowed methods", async () => {
  await using sandbox = await startHostedSandbox({});
  const readDetail = async (path: string) => String((await call(sandbox, path)).body.detail);
  expect(await readDetail("/v1/diligence/submits")).toContain("POST /v1/diligence/submit.");
  expect(await readDetail("/v1/diligence/stats/4cbb")).toContain("GET /v1/diligence/status/{jobId}.");
  expect(await readDetail("/api/diligence/report")).toContain("/api/diligence/report/{jobId}.");
  expect(await readDetail("/v1/diligence/submit/")).toContain("POST /v1/diligence/submit.");
  const below = "/v1/webhooks/endpoints/11f15612-2b82-445e-9d9e-716f82393587";
  expect(await readDetail(below)).toContain(" /v1/webhooks/endpoints.");
  for (const path of ["/", "/favicon.ico", "/wp-admin/install.php", `/${"x".repeat(300)}`]) {
    const far = await readDetail(path);
    expect(far).not.toContain("closest");
    expect(far).toContain("GET /v1/docs/openapi");
  }
  const unknown = await call(sandbox, "/v1/oauth/tokens");
  expect([unknown.status, unknown.body.code]).toEqual([404, "route_not_found"]);
  const get = await call(sandbox, "/v1/diligence/submit");
  expect([get.status, get.body.code, get.headers.get("allow")]).toEqual([
    405,
    "method_not_allowed",
    "OPTIONS, POST",
  ]);
  const post = await call(sandbox, "/v1/diligence/status/x", { method: "DELETE" });
  expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
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

test("startSandbox rejects a port in use with a usage error and a hint", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  await expect(startHostedSandbox({ port })).rejects.toMatchObject({
    name: "ClaimsError",
    kind: "usage",
    code: "port_in_use",
    hint: "choose another port; port 0 takes a free one",
  });
  other.close();
});

test("close() can be called several times", async () => {
  const sandbox = await startHostedSandbox({ tempDir });
  await Promise.all([sandbox.close(), sandbox.close()]);
  await sandbox.close();
  await expect(fetch(sandbox.url)).rejects.toThrow();
});

test("close() works while a job reads its file", async () => {
  const sandbox = await startHostedSandbox({ tempDir, onError });
  const id = String((await submit(sandbox, submissionForm({ file: createEntries(40_000) }))).body.jobId);
  for (let rows = 0; rows === 0; ) {
    rows = ((await readJob(sandbox, "status", id)).body.progress as { rowsProcessed: number }).rowsProcessed;
  }
  await sandbox.close();
});

test("close() works while jobs are scheduled or queued", async () => {
  const slow = await startHostedSandbox({ tempDir, onError, jobSpeed: "real" });
  await submit(slow, submissionForm());
  await slow.close();
  const busy = await startHostedSandbox({ tempDir, onError });
  const file = createEntries(5_000);
  await Promise.all(Array.from({ length: 8 }, () => submit(busy, submissionForm({ file }))));
  await busy.close();
});

test("close() works during the download of a dataset", async () => {
  const sandbox = await startHostedSandbox({ tempDir, onError });
  const id = await submitAndSettle(sandbox, { file: createEntries(30_000) });
  const response = await fetch(`${sandbox.url}/v1/diligence/dataset/${id}`, {
    headers: { authorization: `Bearer ${sandbox.credentials.sandbox.apiKey}` },
  });
  await response.body?.getReader().read();
  await sandbox.close();
});

test("close() works during requests and an advance", async () => {
  const sandbox = await startHostedSandbox({ tempDir, onError, frozenAt: GOLDEN_TIME, jobSpeed: "real" });
  await submit(sandbox, submissionForm({ file: createEntries(20_000) }));
  const advance = expect(sandbox.clock.advance("idle")).rejects.toMatchObject({ code: "sandbox_closed" });
  const requests = Array.from({ length: 5 }, () => submit(sandbox, submissionForm()).catch(() => "cut off"));
  await sandbox.close();
  await Promise.all(requests);
  await advance;
});

test("a sandbox works while the host uses fake timers", async () => {
  vi.useFakeTimers({ now: 0 });
  try {
    await using sandbox = await startHostedSandbox({ tempDir });
    const id = await submitAndSettle(sandbox);
    const job = (await readJob(sandbox, "status", id)).body;
    expect(job.state).toBe("completed");
    expect(String(job.createdAt)).not.toMatch(/^1970/);
  } finally {
    vi.useRealTimers();
  }
});

test("an onError that throws keeps no caller waiting", async () => {
  const warnings: Error[] = [];
  const collect = (warning: Error) => warnings.push(warning);
  process.on("warning", collect);
  onTestFinished(() => void process.off("warning", collect));
  await using sandbox = await startHostedSandbox({
    tempDir,
    jobSpeed: "real",
    onError() {
      throw new Error("from onError");
    },
  });
  await submit(sandbox, submissionForm());
  for (const name of readdirSync(tempDir)) rmSync(join(tempDir, name), { recursive: true });
  const request = { method: "POST", token: sandbox.controlToken };
  expect((await call(sandbox, "/_sandbox/snapshots/one", request)).status).toBe(500);
  await setImmediate();
  expect(warnings.map(({ message }) => message)).toEqual([
    expect.stringContaining("ENOENT"),
    expect.stringContaining("from onError"),
  ]);
});

test("an unexpected error goes to onError, not to the client", async () => {
  const unexpectedErrors: unknown[] = [];
  await using sandbox = await startHostedSandbox({
    tempDir,
    jobSpeed: "real",
    onError: (error) => unexpectedErrors.push(error),
  });
  await submit(sandbox, submissionForm());
  // A snapshot contains the files that are not read yet.
  for (const name of readdirSync(tempDir)) rmSync(join(tempDir, name), { recursive: true });
  const response = await call(sandbox, "/_sandbox/snapshots/one", {
    method: "POST",
    token: sandbox.controlToken,
  });
  expect([response.status, response.body.code]).toEqual([500, "internal_error"]);
  expect(response.text).not.toContain("ENOENT");
  expect(unexpectedErrors).toMatchObject([{ code: "ENOENT" }]);
});
