import { describe, expect, it } from "vitest";
import type { Engine } from "../../../../../sandbox/engine/engine.ts";
import { RequestLog } from "../../../../../sandbox/engine/request-log/request-log.ts";
import { followRequests } from "../../../../../sandbox/engine/requests-api.ts";
import { Clock } from "../../../../../sandbox/engine/scheduler/clock.ts";
import type { LoggedRequest, RequestStreamLine, Sandbox } from "../../../../../sandbox/index.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import { bearer, call, waitUntil } from "../../../../support/sandbox-requests.ts";

/** Follows the requests to a sandbox; resolves when the stream has begun. */
async function followLog(sandbox: Sandbox, query = "") {
  const stop = new AbortController();
  const response = await fetch(`${sandbox.url}/_sandbox/requests?follow${query}`, {
    headers: bearer(sandbox.controlToken),
    signal: stop.signal,
  });
  const lines: RequestStreamLine[] = [];
  const ended = (async () => {
    let rest = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = (rest + chunk).split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts.map((part) => JSON.parse(part) as RequestStreamLine));
    }
  })().catch(() => undefined);
  return { response, lines, ended, stop: () => stop.abort() };
}

const listNumbers = (lines: readonly RequestStreamLine[]) =>
  lines.map((line) => (line as LoggedRequest).number);

describe("GET /requests?follow", () => {
  it("streams each request when it ends, without earlier ones", async () => {
    const sandbox = await sandboxForTest();
    await call(sandbox, "/v1/clients");
    const { response, lines, stop } = await followLog(sandbox);
    expect(response.headers.get("content-type")).toContain("application/x-ndjson");
    for (const path of ["/v1/claims", "/v1/nothing", "/_sandbox/state"]) await call(sandbox, path);
    await waitUntil(() => lines.length === 2);
    expect(lines).toEqual(await sandbox.requests.list({ since: 1 }));
    stop();
  });

  it("starts with up to limit earlier requests, and applies the filter", async () => {
    const sandbox = await sandboxForTest();
    for (const path of ["/v1/claims", "/v1/nothing", "/v1/unknown"]) await call(sandbox, path);
    const { lines, stop } = await followLog(sandbox, "&limit=1&status=404");
    await call(sandbox, "/v1/claims");
    await call(sandbox, "/v1/none");
    await waitUntil(() => lines.length === 2);
    expect(listNumbers(lines)).toEqual([3, 5]);
    stop();
  });

  it("ends when the client disconnects or the sandbox closes", async () => {
    const sandbox = await sandboxForTest();
    const [one, other] = [await followLog(sandbox), await followLog(sandbox)];
    one.stop();
    await one.ended;
    await call(sandbox, "/v1/claims");
    await waitUntil(() => other.lines.length === 1);
    await sandbox.close();
    await other.ended;
    expect(one.lines).toEqual([]);
  });

  it("refuses an invalid filter before the first line", async () => {
    const sandbox = await sandboxForTest();
    const { response } = await followLog(sandbox, "&colour=red");
    expect(response.status).toBe(422);
  });
});

describe("a slow reader of followRequests", () => {
  it("gets a thousand requests, then the number of dropped ones", async () => {
    const requestLog = new RequestLog({
      clock: new Clock(() => 0, undefined),
      nextOrdinal: () => 1,
      size: 2_000,
      stopwatch: () => 0,
    });
    const engine = {
      requestLog: requestLog,
      store: null,
      closeSignal: new AbortController().signal,
    } as unknown as Engine;
    const stop = new AbortController();
    const lines = followRequests(engine, {}, stop.signal)[Symbol.asyncIterator]();
    const notes = { operation: null, route: null, problem: null, fault: null, varied: [], events: [] };
    const request = {
      requestId: "r",
      method: "GET",
      target: "/",
      httpVersion: "1.1",
      headers: [],
      notes,
    };
    const result = { caller: null, requestBody: null, status: 200, headers: [], body: null, isSent: true };
    for (let sent = 0; sent < 1_500; sent += 1) {
      const exchange = requestLog.begin(request);
      if (exchange) requestLog.end(exchange, result);
    }
    const read = async () => JSON.parse(String((await lines.next()).value));
    for (let number = 1; number <= 1_000; number += 1) expect((await read()).number).toBe(number);
    expect(await read()).toEqual({ dropped: 500 });
    const last = lines.next();
    stop.abort();
    expect(await last).toEqual({ value: undefined, done: true });
  });
});
