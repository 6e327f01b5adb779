import { expect, it } from "vitest";
import { CapturedBody } from "../../../../../sandbox/engine/request-log/captured-body.ts";
import { RequestLog } from "../../../../../sandbox/engine/request-log/request-log.ts";
import { Clock } from "../../../../../sandbox/engine/scheduler/clock.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import { post } from "../../../../support/sandbox-requests.ts";

const KIB = 1024;

it("a captured body is limited in bytes, also for text, and never ends within a character", async () => {
  const sandbox = await sandboxForTest();
  const name = "é".repeat(40_000);
  await post(sandbox, "/v1/clients", { name });
  const { requestBody } = await sandbox.requests.get(1);
  expect(requestBody).toMatchObject({ size: 80_000 + '{"name":""}'.length, truncated: true });
  expect(requestBody?.text).toBe(`{"name":"${"é".repeat(32_763)}`);
});

it("all captured bodies together have at most 32 MiB; the oldest are evicted first and keep their size", () => {
  const requestLog = new RequestLog({
    clock: new Clock(() => 0, "2026-11-20T00:00:00Z"),
    ...{ nextTimelinePosition: () => 1, size: 1_000, monotonicNow: () => 0, onEnd: () => undefined },
  });
  const arrival = {
    ...{ requestId: "r", method: "GET", target: "/", httpVersion: "1.1", headers: [] },
    trace: { operation: null, route: null, problem: null, fault: null, varied: [], events: [] },
  };
  const body = new CapturedBody();
  body.append(new Uint8Array(70 * KIB));
  for (let sent = 0; sent < 600; sent += 1) {
    const request = requestLog.begin(arrival);
    if (!request) throw new Error("the log is off");
    requestLog.end(request, {
      ...{ caller: null, requestBody: body, status: 200, headers: [], body: null, isSent: true },
    });
  }
  const bodies = requestLog.entries().map(({ result }) => result?.requestBody);
  const kept = bodies.filter((each) => each?.capturedBytes !== 0);
  expect([kept.length, bodies[0], bodies.at(-1)?.capturedBytes]).toMatchObject([
    512,
    { size: 70 * KIB, capturedBytes: 0 },
    64 * KIB,
  ]);
});
