import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.ts";
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

const many = (count: number) =>
  entriesCsv(Array.from({ length: count }, (_, serial) => entryNumber("ZZ9", serial)));

test("same seed, frozen clock, same calls: the same bytes", async () => {
  const story = async (polls: number) => {
    const sandbox = await sandboxForTest({ seed: 7 });
    const heard: string[] = [];
    const hear = ({ status, text, headers }: Awaited<ReturnType<typeof call>>) =>
      heard.push(`${status} ${headers.get("x-request-id")} ${headers.get("location")} ${text}`);
    // How often a caller polls for readiness changes nothing.
    for (let count = 0; count < polls; count += 1) {
      await call(sandbox, "/_sandbox/ready", { token: null });
    }
    const id = await submitAndSettle(sandbox, { file: readFixture("boundaries.csv") });
    for (const what of ["status", "report", "dataset"]) hear(await readJob(sandbox, what, id));
    const failed = await submitAndSettle(sandbox, { file: entriesCsv([entryNumber("SBX", 1, "2")]) });
    hear(await resume(sandbox, failed));
    await sandbox.idle();
    hear(await readJob(sandbox, "status", failed));
    const { clientId, clientSecret } = sandbox.credentials.sandbox;
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
    });
    hear(await call(sandbox, "/v1/oauth/token", { method: "POST", body, token: null }));
    hear(await call(sandbox, "/v1/nothing"));
    hear(await submit(sandbox, submissionForm({ file: null })));
    return heard;
  };
  expect(await story(1)).toEqual(await story(4));
});

test("a valid request id is echoed, an invalid one replaced", async () => {
  await using sandbox = await startSandbox();
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

test("an unknown path names the closest route, a wrong method the right ones", async () => {
  await using sandbox = await startSandbox();
  const closest = async (path: string) => String((await call(sandbox, path)).body.detail);
  expect(await closest("/v1/diligence/submits")).toContain("POST /v1/diligence/submit.");
  expect(await closest("/v1/diligence/stats/4cbb")).toContain("GET /v1/diligence/status/{jobId}.");
  expect(await closest("/api/diligence/report")).toContain("/api/diligence/report/{jobId}.");
  expect(await closest("/v1/diligence/submit/")).toContain("POST /v1/diligence/submit.");
  const below = "/v1/webhooks/endpoints/11f15612-2b82-445e-9d9e-716f82393587";
  expect(await closest(below)).toContain(" /v1/webhooks/endpoints.");
  for (const path of ["/", "/favicon.ico", "/wp-admin/install.php", `/${"x".repeat(300)}`]) {
    const far = await closest(path);
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

test("several sandboxes run at the same time", async () => {
  const sandboxes = await Promise.all([1, 2, 3].map((seed) => startSandbox({ seed, frozenAt: GOLDEN_TIME })));
  const ids = await Promise.all(sandboxes.map((sandbox) => submitAndSettle(sandbox)));
  expect(new Set(ids).size).toBe(3);
  expect(new Set(sandboxes.map(({ port }) => port)).size).toBe(3);
  const [first, second] = sandboxes as [Sandbox, Sandbox];
  expect((await readJob(second, "status", ids[0] as string)).status).toBe(404);
  await first.close();
  expect((await readJob(second, "status", ids[1] as string)).status).toBe(200);
  await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
});

test("a port in use is a usage error with a hint", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  await expect(startSandbox({ port })).rejects.toMatchObject({
    name: "ClaimsError",
    kind: "usage",
    code: "port_in_use",
    hint: expect.stringContaining("--port 0"),
  });
  other.close();
});

test("close() twice is one close", async () => {
  const sandbox = await startSandbox({ tempDir });
  await Promise.all([sandbox.close(), sandbox.close()]);
  await sandbox.close();
  await expect(fetch(sandbox.url)).rejects.toThrow();
});

test("close() while a file is read", async () => {
  const sandbox = await startSandbox({ tempDir, onError });
  const id = String((await submit(sandbox, submissionForm({ file: many(40_000) }))).body.jobId);
  for (let rows = 0; rows === 0; ) {
    rows = ((await readJob(sandbox, "status", id)).body.progress as { rowsProcessed: number }).rowsProcessed;
  }
  await sandbox.close();
});

test("close() while jobs wait for the clock and for their turn", async () => {
  const waiting = await startSandbox({ tempDir, onError, jobSpeed: "real" });
  await submit(waiting, submissionForm());
  await waiting.close();
  const busy = await startSandbox({ tempDir, onError });
  const file = many(5_000);
  await Promise.all(Array.from({ length: 8 }, () => submit(busy, submissionForm({ file }))));
  await busy.close();
});

test("close() in the middle of a dataset", async () => {
  const sandbox = await startSandbox({ tempDir, onError });
  const id = await submitAndSettle(sandbox, { file: many(30_000) });
  const answer = await fetch(`${sandbox.url}/v1/diligence/dataset/${id}`, {
    headers: { authorization: `Bearer ${sandbox.credentials.sandbox.apiKey}` },
  });
  await answer.body?.getReader().read();
  await sandbox.close();
});

test("close() while requests and an advance are under way", async () => {
  const sandbox = await startSandbox({ tempDir, onError, frozenAt: GOLDEN_TIME, jobSpeed: "real" });
  await submit(sandbox, submissionForm({ file: many(20_000) }));
  const advance = sandbox.clock.advance("idle");
  const requests = Array.from({ length: 5 }, () => submit(sandbox, submissionForm()).catch(() => "cut off"));
  await sandbox.close();
  await Promise.all(requests);
  await advance;
});

test("fake timers of the host do not stop it", async () => {
  vi.useFakeTimers({ now: 0 });
  try {
    await using sandbox = await startSandbox({ tempDir });
    const id = await submitAndSettle(sandbox);
    const job = (await readJob(sandbox, "status", id)).body;
    expect(job.state).toBe("completed");
    expect(String(job.createdAt)).not.toMatch(/^1970/);
  } finally {
    vi.useRealTimers();
  }
});

test("an unexpected error goes to onError, not to the caller", async () => {
  const unexpectedErrors: unknown[] = [];
  await using sandbox = await startSandbox({
    tempDir,
    jobSpeed: "real",
    onError: (error) => unexpectedErrors.push(error),
  });
  await submit(sandbox, submissionForm());
  // A snapshot contains the files that are not read yet.
  for (const name of readdirSync(tempDir)) rmSync(join(tempDir, name), { recursive: true });
  const answer = await call(sandbox, "/_sandbox/snapshots/one", {
    method: "POST",
    token: sandbox.controlToken,
  });
  expect([answer.status, answer.body.code]).toEqual([500, "internal_error"]);
  expect(answer.text).not.toContain("ENOENT");
  expect(unexpectedErrors).toMatchObject([{ code: "ENOENT" }]);
});
