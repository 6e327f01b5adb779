import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { FaultSpec, Sandbox } from "../../../../../sandbox/index.ts";
import { openSandbox, sandboxForTest } from "../../../../support/sandbox.ts";
import {
  call,
  callControl,
  countJobs,
  submissionForm,
  submit,
  waitUntil,
} from "../../../../support/sandbox-requests.ts";

const CLIENTS = "/v1/clients";

/** Sends a GET over a socket and returns the raw response and how the connection ended. */
async function readRaw(sandbox: Sandbox, { path = CLIENTS, header = "" } = {}) {
  const socket = connect(sandbox.port, "127.0.0.1");
  const chunks: Buffer[] = [];
  let code = "end";
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", (error: NodeJS.ErrnoException) => {
    code = error.code ?? "error";
  });
  const key = sandbox.credentials.sandbox.apiKey;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n${header}\r\n`);
  await new Promise((ended) => socket.once("close", ended));
  const [head = "", ...rest] = Buffer.concat(chunks).toString("latin1").split("\r\n\r\n");
  return { code, head, body: rest.join("\r\n\r\n") };
}

/** Sends reads one after the other and returns their statuses. */
async function listStatuses(sandbox: Sandbox, count: number, path = CLIENTS): Promise<number[]> {
  const all: number[] = [];
  for (let done = 0; done < count; done += 1) all.push((await call(sandbox, path)).status);
  return all;
}

describe("fault effects", () => {
  test("status responds with a problem that names the rule before the credential is checked", async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ then: { status: 503, retryAfter: 2 } });
    const refused = await call(sandbox, CLIENTS, { token: "nobody" });
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("2");
    expect(refused.headers.get("x-sandbox-fault")).toBe("rule 1");
    expect(refused.headers.get("content-type")).toBe("application/problem+json");
    expect(refused.body).toMatchObject({
      ...{ type: "about:blank", status: 503, code: "fault_injected" },
      requestId: refused.headers.get("x-request-id"),
      detail: "The sandbox injected a fault: rule 1: 503, Retry-After 2 before the work.",
    });
    sandbox.faults.clear();
    expect((await call(sandbox, CLIENTS, { token: "nobody" })).status).toBe(401);
  });

  test("status on the token route has the shape of OAuth", async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add("outage");
    const response = await call(sandbox, "/v1/oauth/token", { method: "POST", token: null });
    expect(response.status).toBe(503);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    expect(response.body).toEqual({
      error: "temporarily_unavailable",
      error_description: expect.stringContaining("rule 1 (outage)"),
    });
  });

  test("reset resets the connection before a response begins", async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ then: { reset: true } });
    expect(await readRaw(sandbox)).toEqual({ code: "ECONNRESET", head: "", body: "" });
  });

  test("truncate sends half a body with the full Content-Length", async () => {
    const sandbox = await sandboxForTest();
    const complete = await call(sandbox, CLIENTS);
    sandbox.faults.add({ then: { truncate: true } });
    const { code, head, body } = await readRaw(sandbox);
    expect(code).toBe("end");
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(head).toContain(`Content-Length: ${complete.text.length}`);
    expect(body).toBe(complete.text.slice(0, Math.ceil(complete.text.length / 2)));
  });

  test("truncate halves a streamed body, an error and a status fault", async () => {
    const sandbox = await sandboxForTest();
    const jobId = String((await submit(sandbox, submissionForm())).body.jobId);
    await sandbox.idle();
    sandbox.faults.add("half-response", { times: 2 });
    const stream = await readRaw(sandbox, { path: `/v1/diligence/dataset/${jobId}` });
    expect(stream.head).toMatch(/Transfer-Encoding: chunked/i);
    expect(stream.body).not.toMatch(/0\r\n\r\n$/);
    expect(stream.body.length).toBeGreaterThan(0);
    const refused = await readRaw(sandbox, { path: "/v1/diligence/status/nothing" });
    expect(refused.head).toMatch(/^HTTP\/1\.1 404 /);
    expect(() => JSON.parse(refused.body)).toThrow(SyntaxError);
    sandbox.faults.add({ then: { status: 502, truncate: true } });
    const status = await readRaw(sandbox);
    expect(status.head).toMatch(/^HTTP\/1\.1 502 /);
    expect(() => JSON.parse(status.body)).toThrow(SyntaxError);
  });
});

describe("the phase of a fault", () => {
  test("before: the write is not executed, and its idempotency key stays unused", async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ match: { method: "POST" }, times: 1, then: { status: 503 } });
    const headers = { "idempotency-key": "one" };
    expect((await submit(sandbox, submissionForm(), { headers })).status).toBe(503);
    const repeated = await submit(sandbox, submissionForm(), { headers });
    expect(repeated.status).toBe(202);
    expect(repeated.headers.get("idempotent-replayed")).toBeNull();
  });

  test("after: the write is executed and stored for its idempotency key, and the client gets half a body", async () => {
    const sandbox = await sandboxForTest();
    const then = { truncate: true };
    sandbox.faults.add({ match: { operation: "diligence.submit" }, phase: "after", times: 1, then });
    const headers = { "idempotency-key": "one" };
    await expect(submit(sandbox, submissionForm(), { headers })).rejects.toThrow();
    const repeated = await submit(sandbox, submissionForm(), { headers });
    expect(repeated.status).toBe(202);
    expect(repeated.headers.get("idempotent-replayed")).toBe("true");
    expect(await countJobs(sandbox)).toBe(1);
  });

  test("after: a status replaces the whole response, also the headers that name the job", async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ phase: "after", then: { status: 503 } });
    const { status, headers } = await submit(sandbox, submissionForm());
    expect([status, headers.get("location"), headers.get("retry-after")]).toEqual([503, null, null]);
  });

  test.each(["before", "after"] as const)("a delay %s the work ends with the response", async (phase) => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ match: { method: "POST" }, phase, then: { delay: "50ms" } });
    expect((await submit(sandbox, submissionForm())).status).toBe(202);
    expect(sandbox.faults.list()[0]).toMatchObject({ applied: 1 });
  });
});

describe("the match of a fault rule", () => {
  test.each<[string, FaultSpec["match"], string, number]>([
    ["an operation", { operation: "clients.list" }, CLIENTS, 503],
    ["another operation", { operation: "clients.create" }, CLIENTS, 200],
    ["a method", { method: "GET" }, CLIENTS, 503],
    ["another method", { method: "POST" }, CLIENTS, 200],
  ])("by %s", async (_name, match = {}, path, status) => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ match, then: { status: 503 } });
    expect((await call(sandbox, path)).status).toBe(status);
    expect(sandbox.faults.list()[0]).toMatchObject({ applied: status === 503 ? 1 : 0 });
  });

  test("never includes the control API", async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ then: { status: 503 } });
    expect((await callControl(sandbox, "GET", "/state")).status).toBe(200);
    expect((await call(sandbox, CLIENTS)).status).toBe(503);
  });

  test("applies the first matching rule, and each rule counts its requests", async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ skip: 1, times: 2, then: { status: 500 } });
    sandbox.faults.add({ skip: 1, times: 1, then: { status: 502 } });
    sandbox.faults.add({ match: { operation: "claims.list" }, then: { status: 504 } });
    expect(await listStatuses(sandbox, 5)).toEqual([200, 500, 500, 502, 200]);
    expect(sandbox.faults.list().map(({ id, matched, applied }) => [id, matched, applied])).toEqual([
      [1, 5, 2],
      [2, 3, 1],
      [3, 0, 0],
    ]);
  });
});

describe("the probability of a fault rule", () => {
  const flaky = { probability: 0.5, then: { status: 503 } } as const;

  test("depends on the seed, not on other requests", async () => {
    const runs: number[][] = [];
    for (const noise of [0, 3]) {
      const sandbox = await sandboxForTest({ seed: 7 });
      sandbox.faults.add({ ...flaky, match: { operation: "clients.list" } });
      const run: number[] = [];
      for (let round = 0; round < 10; round += 1) {
        await listStatuses(sandbox, noise, "/v1/offers");
        run.push(...(await listStatuses(sandbox, 1)));
      }
      runs.push(run);
    }
    expect(runs[0]).toEqual(runs[1]);
    expect(new Set(runs[0])).toEqual(new Set([200, 503]));
  });
});

describe("a fault that delays or hangs", () => {
  test.each<[string, FaultSpec]>([
    ["a hang", { then: { hang: true } }],
    ["a hang after the work", { phase: "after", then: { hang: true } }],
    ["a delay", { then: { delay: "10m" } }],
    ["a delay after the work", { phase: "after", then: { delay: "10m" } }],
  ])("does not delay close(): %s", async (_name, rule) => {
    const sandbox = await openSandbox();
    sandbox.faults.add(rule);
    const lost = readRaw(sandbox);
    await waitUntil(() => sandbox.faults.list()[0]?.applied === 1);
    await sandbox.close();
    expect(await lost).toMatchObject({ head: "" });
  });

  test("ends when the client disconnects, and the work is not done", async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ match: { method: "POST" }, then: { delay: "1s" } });
    const disconnect = new AbortController();
    const aborted = submit(sandbox, submissionForm(), { signal: disconnect.signal });
    await waitUntil(() => sandbox.faults.list()[0]?.applied === 1);
    disconnect.abort();
    await expect(aborted).rejects.toThrow();
    await sleep(1_200);
    const state = await callControl(sandbox, "GET", "/state");
    expect(state.body.jobs).toEqual({});
  });
});

describe("POST /faults", () => {
  test.each<[unknown, string]>([
    [{}, "then is empty"],
    [{ then: { reset: false } }, "then is empty"],
    [{ then: 5 }, "then cannot be 5"],
    [{ thn: { status: 503 } }, "a fault rule has no field thn"],
    [{ then: { status: 503, statuss: 1 } }, "a fault rule has no field then.statuss"],
    [{ then: { status: 200 } }, "then.status cannot be 200"],
    [{ then: { delay: "11m" } }, 'then.delay cannot be "11m"'],
    [{ then: { status: 503, retryAfter: "soon" } }, 'then.retryAfter cannot be "soon"'],
    [{ then: { retryAfter: 1 } }, "then.retryAfter needs then.status"],
    [{ then: { status: 503, reset: true } }, "then.status and then.reset exclude each other"],
    [{ then: { hang: true, reset: true } }, "then.reset and then.hang exclude each other"],
    [{ then: { reset: true, truncate: true } }, "then.reset and then.truncate exclude each other"],
    [{ phase: "before", then: { truncate: true } }, "then.truncate needs a response"],
    [{ phase: "during", then: { reset: true } }, "phase cannot be"],
    [{ times: 0, then: { reset: true } }, "times cannot be 0"],
    [{ skip: -1, then: { reset: true } }, "skip cannot be -1"],
    [{ probability: 2, then: { reset: true } }, "probability cannot be 2"],
    [{ match: 5, then: { reset: true } }, "match cannot be 5"],
    [{ match: { operation: "diligence.submitt" }, then: { reset: true } }, "match.operation cannot be"],
    [{ match: { path: "/v1" }, then: { reset: true } }, "has no field match.path"],
    [{ match: { method: "get" }, then: { reset: true } }, "match.method cannot be"],
    [{ preset: "shaky" }, 'no preset "shaky"'],
    [{ preset: { toString: 1 } }, "preset: must be text"],
    [
      { match: { operation: { toString: 1 } }, then: { reset: true } },
      'match.operation cannot be {"toString":1}',
    ],
    [{ preset: "flaky", match: 5 }, "match cannot be 5"],
    [{ preset: "flaky", then: null }, "then cannot be null"],
    [{ preset: "ghost-commit", then: { hang: true } }, "then.reset and then.hang exclude each other"],
  ])("refuses %j", async (rule, detail) => {
    const sandbox = await sandboxForTest();
    const refused = await callControl(sandbox, "POST", "/faults", rule);
    expect(refused).toMatchObject({ status: 422, body: { code: "validation_failed" } });
    expect(refused.body.detail).toContain(detail);
    expect(sandbox.faults.list()).toEqual([]);
  });

  test("suggests the closest operation for a misspelt one", async () => {
    const sandbox = await sandboxForTest();
    const rule = { match: { operation: "diligence.sumbit" }, then: { reset: true } };
    expect(() => sandbox.faults.add(rule as FaultSpec)).toThrow(
      expect.objectContaining({
        kind: "usage",
        code: "fault_invalid",
        hint: expect.stringContaining("the closest one is diligence.submit"),
      }),
    );
  });
});
