import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ApiResponse } from "../../../../src/client/http/response.ts";
import { catchError, clientForTest } from "../../../support/client.ts";
import { type Script, sendJson, startScriptedService } from "../../../support/scripted-service.ts";

const read = { method: "GET", path: "/x" } as const;
const write = { method: "POST", path: "/x" } as const;

const truncated: Script = (_, response) =>
  void response.writeHead(202, { "content-length": "100" }).write("{", () => response.destroy());
const stalled: Script = (_, response) => void response.writeHead(202, { "content-length": "100" }).write("{");
/** A byte every 50 ms without an end. */
const drip =
  (code: number): Script =>
  (_, response) => {
    response.writeHead(code, { "retry-after": "0" });
    const timer = setInterval(() => response.write(" "), 50);
    response.on("close", () => clearInterval(timer));
  };
const hanging: Script = () => {};
const reset: Script = (request) => void request.socket.destroy();
const respond =
  (code: number): Script =>
  (_, response) =>
    sendJson(response, code, { detail: "said" });

describe("a request without a complete response", () => {
  it.each<[string, Script, string, string, number]>([
    ["no response", hanging, "unreachable", "outcome_unknown", 1],
    ["a body that stalls", stalled, "unreachable", "outcome_unknown", 1],
    ["a body that never ends", drip(202), "unreachable", "outcome_unknown", 1],
    ["an error body that never ends", drip(500), "unreachable", "outcome_unknown", 1],
    ["a truncated body", truncated, "response_truncated", "outcome_unknown", 1],
    ["a reset connection", reset, "unreachable", "outcome_unknown", 4],
    ["503", respond(503), "http_503", "outcome_unknown", 4],
    ["500", respond(500), "http_500", "outcome_unknown", 1],
  ])(
    "has the code of its cause for a read and outcome_unknown for a write: %s",
    async (_, script, readCode, writeCode, reads) => {
      const { url, requests } = await startScriptedService(script);
      const client = clientForTest(url, { requestTimeoutMs: 300 });
      expect(await catchError(client.sendRaw(read))).toMatchObject({ kind: "unreachable", code: readCode });
      expect(requests).toHaveLength(reads);
      const lost = await catchError(client.sendRaw(write));
      expect(lost).toMatchObject({ kind: "unreachable", code: writeCode });
      expect((lost as { retryable: boolean }).retryable).toBe(writeCode !== "outcome_unknown");
      expect(requests).toHaveLength(reads + 1);
    },
  );

  it("keeps the status, the request id and the message of the service when the outcome is unknown", async () => {
    const { url } = await startScriptedService((_, response) =>
      sendJson(response, 503, { detail: "busy" }, { "x-request-id": "r-1", "retry-after": "1" }),
    );
    expect(await catchError(clientForTest(url).sendRaw(write))).toMatchObject({
      status: 503,
      requestId: "r-1",
      message: "busy (POST /x → 503); the outcome is unknown",
      hint: "ask the service whether it has it before you send it again",
    });
  });

  const truncatedRefusal: Script = (_, response) =>
    void response.writeHead(422, { "content-length": "100" }).write("{", () => response.destroy());

  it.each([
    ["is truncated", truncatedRefusal],
    ["never ends", drip(422)],
  ])("is rejected by a 422 whose body %s", async (_, script) => {
    const { url } = await startScriptedService(script);
    const client = clientForTest(url, { requestTimeoutMs: 300 });
    for (const request of [read, write])
      expect(await catchError(client.sendRaw(request))).toMatchObject({
        kind: "rejected",
        code: "http_422",
        status: 422,
        message: `the response was truncated (${request.method} /x → 422)`,
        retryable: false,
      });
  });

  it("has an unknown outcome for a write after a redirect, and names the target", async () => {
    const { url, requests } = await startScriptedService((_, response) =>
      sendJson(response, 303, { detail: "See there." }, { location: "/jobs/7" }),
    );
    expect(await catchError(clientForTest(url).sendRaw(write))).toMatchObject({
      code: "outcome_unknown",
      status: 303,
      message: "a redirect to /jobs/7: See there (POST /x → 303); the outcome is unknown",
    });
    expect(await catchError(clientForTest(url).sendRaw(read))).toMatchObject({ code: "http_303" });
    expect(requests).toHaveLength(2);
  });
});

describe("a streamed body that takes longer than the request timeout", () => {
  const sendChunks =
    (chunks: number, chunk: string): Script =>
    async (_, response) => {
      for (let count = 0; count < chunks; count += 1) {
        response.write(chunk);
        await sleep(40);
      }
      response.end("end");
    };

  it("is read completely as long as data arrives", async () => {
    const { url } = await startScriptedService(sendChunks(20, "x".repeat(20_000)));
    const { body } = await clientForTest(url, { requestTimeoutMs: 600 }).streamRaw(read);
    let size = 0;
    for await (const chunk of body) size += chunk.length;
    expect(size).toBe(400_003);
  });
});

describe("an interrupted request", () => {
  /** Aborts a request 20 ms after the service receives it; returns the error. */
  async function interruptRequest(
    script: Script,
    request: Parameters<ReturnType<typeof clientForTest>["sendRaw"]>[0],
  ) {
    const stop = new AbortController();
    const { url, requests } = await startScriptedService((...seen) => {
      script(...seen);
      setTimeout(() => stop.abort(), 20);
    });
    const response: Promise<ApiResponse> = clientForTest(url, {
      signal: stop.signal,
      runtime: { now: Date.now, random: () => 0, sleep: (ms, signal) => sleep(ms, undefined, { signal }) },
    }).sendRaw(request);
    const error = await catchError(response);
    expect(requests).toHaveLength(1);
    return error;
  }

  it.each([
    ["before the response", hanging],
    ["within the response", stalled],
  ])("has an unknown outcome for a write, not for a read: interrupted %s", async (_, script) => {
    expect(await interruptRequest(script, write)).toMatchObject({
      kind: "interrupted",
      code: "interrupted_unknown",
      hint: "ask the service whether it has it before you send it again",
    });
    expect(await interruptRequest(script, read)).toMatchObject({ kind: "interrupted", code: "interrupted" });
  });

  it("has a known outcome while it waits for a retry", async () => {
    const busy: Script = (_, response) => sendJson(response, 429, {}, { "retry-after": "20" });
    expect(await interruptRequest(busy, write)).toMatchObject({ code: "interrupted" });
  });
});
