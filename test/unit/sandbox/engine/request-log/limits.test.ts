import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { CapturedBody } from "../../../../../sandbox/engine/request-log/captured-body.ts";
import { type RecordedRequest, RequestLog } from "../../../../../sandbox/engine/request-log/request-log.ts";
import { Clock } from "../../../../../sandbox/engine/scheduler/clock.ts";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import { call, post } from "../../../../support/sandbox-requests.ts";

const KIB = 1024;

const createLog = (size: number) =>
  new RequestLog({
    clock: new Clock(() => 0, "2026-11-20T00:00:00Z"),
    nextOrdinal: () => 1,
    size,
    monotonicNow: () => 0,
  });

const arrival = {
  ...{ requestId: "r", method: "GET", target: "/", httpVersion: "1.1", headers: [] },
  notes: { operation: null, route: null, problem: null, fault: null, varied: [], events: [] },
};

function beginExchange(requestLog: RequestLog): RecordedRequest {
  const exchange = requestLog.begin(arrival);
  if (!exchange) throw new Error("the log is off");
  return exchange;
}

const createResult = (body: CapturedBody | string | null, requestBody: CapturedBody | null = null) => ({
  ...{ caller: null, requestBody, status: 200, headers: [], body, isSent: true },
});

const captureBytes = (size: number): CapturedBody => {
  const captured = new CapturedBody();
  captured.append(new Uint8Array(size));
  return captured;
};

const capturedBytesOf = ({ result: ended }: RecordedRequest): number => {
  const { requestBody = null, body = null } = ended ?? {};
  return (
    (requestBody?.capturedBytes ?? 0) + (typeof body === "string" ? body.length : (body?.capturedBytes ?? 0))
  );
};

/** Sends the same request repeatedly over one connection without waiting for responses. */
async function sendPipelined({ port }: Sandbox, count: number, head: string, body = ""): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  const one = `${head}\r\n${body}`;
  for (let sent = 1; sent < count; sent += 1) socket.write(one);
  socket.write(`${head}Connection: close\r\n\r\n${body}`);
  await once(socket.resume(), "close");
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

describe("the ring buffer of the request log", () => {
  it("keeps the last 1,000 of 1,001 requests with their numbers", { tags: "large" }, async () => {
    const sandbox = await sandboxForTest();
    await sendPipelined(sandbox, 1_001, "GET /v1/clients HTTP/1.1\r\nHost: localhost\r\n");
    const entries = await sandbox.requests.list();
    expect(entries.map(({ number }) => number)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => index + 2),
    );
    expect(new Set(entries.map(({ requestId }) => requestId)).size).toBe(1_000);
    expect(entries.every(({ outcome, status }) => outcome === "answered" && status === 401)).toBe(true);
    await expect(sandbox.requests.get(1)).rejects.toMatchObject({
      code: "request_not_found",
      hint: expect.stringContaining("starts at 2"),
    });
  });

  it("holds no more bytes after 20,000 requests than after 1,000", () => {
    const requestLog = createLog(1_000);
    const measure = () => [requestLog.entries().length, sum(requestLog.entries().map(capturedBytesOf))];
    const logRequests = (count: number) => {
      for (let logged = 0; logged < count; logged += 1)
        requestLog.end(beginExchange(requestLog), createResult("x".repeat(100), captureBytes(50)));
    };
    logRequests(1_000);
    const before = measure();
    logRequests(19_000);
    expect(measure()).toEqual(before);
    expect(before).toEqual([1_000, 150_000]);
    expect(requestLog.entries()[0]?.number).toBe(19_001);
  });

  it("has the size of requestLogSize", async () => {
    const sandbox = await sandboxForTest({ requestLogSize: 2 });
    for (let sent = 0; sent < 5; sent += 1) await call(sandbox, "/v1/clients");
    expect((await sandbox.requests.list()).map(({ number }) => number)).toEqual([4, 5]);
  });
});

describe("a captured body", () => {
  it("has at most 64 KiB, without a reference to the rest", () => {
    const captured = new CapturedBody();
    const large = new Uint8Array(1_000 * KIB);
    for (const size of [10 * KIB, 53 * KIB]) captured.append(large.subarray(0, size));
    captured.append(large);
    expect(captured).toMatchObject({ size: 1_063 * KIB, capturedBytes: 64 * KIB, isWhole: false });
    expect(captured.bytes().length).toBe(64 * KIB);
  });

  it("is limited in bytes, also for text, and never ends within a character", async () => {
    const sandbox = await sandboxForTest();
    const name = "é".repeat(40_000);
    await post(sandbox, "/v1/clients", { name });
    const { requestBody } = await sandbox.requests.get(1);
    expect(requestBody).toMatchObject({ size: 80_000 + '{"name":""}'.length, truncated: true });
    expect(requestBody?.text).toBe(`{"name":"${"é".repeat(32_763)}`);
    const captured = new CapturedBody();
    for (const chunk of [name, name]) captured.append(chunk);
    expect(captured).toMatchObject({ size: 160_000, capturedBytes: 64 * KIB });
  });

  it("limits the fields of a form like bytes", () => {
    const captured = new CapturedBody();
    captured.setFields([
      ["a", ["x".repeat(40 * KIB)]],
      ["b", ["x".repeat(40 * KIB)]],
    ]);
    expect(captured.fields?.map(([name]) => name)).toEqual(["a"]);
  });
});

describe("all captured bodies together", () => {
  const MAX_TOTAL_BYTES = 32 * KIB * KIB;

  it("have at most 32 MiB; the oldest are evicted first and keep their size", () => {
    const requestLog = createLog(1_000);
    for (let sent = 0; sent < 600; sent += 1)
      requestLog.end(beginExchange(requestLog), createResult(captureBytes(64 * KIB), captureBytes(70 * KIB)));
    const entries = requestLog.entries();
    expect(sum(entries.map(capturedBytesOf))).toBe(MAX_TOTAL_BYTES);
    expect(entries.map((each) => capturedBytesOf(each) > 0)).toEqual([
      ...Array.from({ length: 344 }, () => false),
      ...Array.from({ length: 256 }, () => true),
    ]);
    expect(entries[0]?.result?.requestBody).toMatchObject({
      size: 70 * KIB,
      capturedBytes: 0,
      isWhole: false,
    });
  });
});
