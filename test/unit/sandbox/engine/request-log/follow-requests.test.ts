import { describe, expect, it } from "vitest";
import type { Engine } from "../../../../../sandbox/engine/engine.ts";
import { createRequestLog } from "../../../../../sandbox/engine/request-log/request-log.ts";
import { followRequests } from "../../../../../sandbox/engine/requests-api.ts";
import { Clock } from "../../../../../sandbox/engine/scheduler/clock.ts";
import type { LoggedRequest, RequestStreamLine, Sandbox } from "../../../../../sandbox/index.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import { bearer, call, waitUntil } from "../../../../support/sandbox-requests.ts";

/** Follows the requests to a sandbox; resolves when nothing that comes from here on is missed. */
async function following(sandbox: Sandbox, query = "") {
  const stop = new AbortController();
  const answer = await fetch(`${sandbox.url}/_sandbox/requests?follow${query}`, {
    headers: bearer(sandbox.controlToken),
    signal: stop.signal,
  });
  const lines: RequestStreamLine[] = [];
  const ended = (async () => {
    let rest = "";
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = (rest + chunk).split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts.map((part) => JSON.parse(part) as RequestStreamLine));
    }
  })().catch(() => undefined);
  return { answer, lines, ended, stop: () => stop.abort() };
}

const numbers = (lines: readonly RequestStreamLine[]) => lines.map((line) => (line as LoggedRequest).number);

describe("the stream of requests", () => {
  it("has each request as it ends, and none of the earlier ones", async () => {
    const sandbox = await sandboxForTest();
    await call(sandbox, "/v1/clients");
    const { answer, lines, stop } = await following(sandbox);
    expect(answer.headers.get("content-type")).toContain("application/x-ndjson");
    for (const path of ["/v1/claims", "/v1/nothing", "/_sandbox/state"]) await call(sandbox, path);
    await waitUntil(() => lines.length === 2);
    expect(lines).toEqual(await sandbox.requests.list({ since: 1 }));
    stop();
  });

  it("starts with as many earlier requests as the limit, and filters", async () => {
    const sandbox = await sandboxForTest();
    for (const path of ["/v1/claims", "/v1/nothing", "/v1/unknown"]) await call(sandbox, path);
    const { lines, stop } = await following(sandbox, "&limit=1&status=404");
    await call(sandbox, "/v1/claims");
    await call(sandbox, "/v1/none");
    await waitUntil(() => lines.length === 2);
    expect(numbers(lines)).toEqual([3, 5]);
    stop();
  });

  it("ends with its caller, and with the sandbox", async () => {
    const sandbox = await sandboxForTest();
    const [one, other] = [await following(sandbox), await following(sandbox)];
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
    const { answer } = await following(sandbox, "&colour=red");
    expect(answer.status).toBe(422);
  });
});

describe("a slow reader", () => {
  it("gets the first thousand, and then the number of dropped requests", async () => {
    const journal = createRequestLog({
      clock: new Clock(() => 0, undefined),
      size: 2_000,
      stopwatch: () => 0,
    });
    const engine = {
      requestLog: journal,
      store: null,
      closeSignal: new AbortController().signal,
    } as unknown as Engine;
    const stop = new AbortController();
    const lines = followRequests(engine, {}, stop.signal)[Symbol.asyncIterator]();
    const notes = { operation: null, route: null, fault: null, varied: [], events: [] };
    const asked = {
      requestId: "r",
      method: "GET",
      target: "/",
      httpVersion: "1.1",
      headers: [],
      notes,
      port: 1,
    };
    const answered = { caller: null, requestBody: null, status: 200, headers: [], body: null, isSent: true };
    for (let sent = 0; sent < 1_500; sent += 1) {
      const exchange = journal.begin(asked);
      if (exchange) journal.end(exchange, answered);
    }
    const read = async () => JSON.parse(String((await lines.next()).value));
    for (let number = 1; number <= 1_000; number += 1) expect((await read()).number).toBe(number);
    expect(await read()).toEqual({ dropped: 500 });
    const last = lines.next();
    stop.abort();
    expect(await last).toEqual({ value: undefined, done: true });
  });
});
