import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ApiResponse } from "../../../../src/client/http/response.ts";
import { OPERATIONS } from "../../../../src/contract/operations.ts";
import { catchError, clientForTest } from "../../../support/client.ts";
import { listenOnLoopback } from "../../../support/listen.ts";
import { type Script, sendJson, startScriptedService } from "../../../support/scripted-service.ts";

const read = { method: "GET", path: "/x" } as const;
const write = { method: "POST", path: "/x" } as const;

const half: Script = (_, response) =>
  void response.writeHead(202, { "content-length": "100" }).write("{", () => response.destroy());
const stalled: Script = (_, response) => void response.writeHead(202, { "content-length": "100" }).write("{");
/** A byte every 50 ms, for ever. */
const dripping =
  (code: number): Script =>
  (_, response) => {
    response.writeHead(code, { "retry-after": "0" });
    const drip = setInterval(() => response.write(" "), 50);
    response.on("close", () => clearInterval(drip));
  };
const hanging: Script = () => {};
const broken: Script = (request) => void request.socket.destroy();
const status =
  (code: number): Script =>
  (_, response) =>
    sendJson(response, code, { detail: "said" });

describe("how a request without a whole answer ends", () => {
  it.each<[string, Script, string, string, number]>([
    ["a server that never answers", hanging, "unreachable", "outcome_unknown", 1],
    ["a body that stops half-way", stalled, "unreachable", "outcome_unknown", 1],
    ["a body that drips", dripping(202), "unreachable", "outcome_unknown", 1],
    ["a failure that drips", dripping(500), "unreachable", "outcome_unknown", 1],
    ["a failure for now that drips", dripping(503), "unreachable", "outcome_unknown", 4],
    ["a body that breaks off", half, "response_truncated", "outcome_unknown", 1],
    ["a connection that breaks", broken, "unreachable", "outcome_unknown", 4],
    ["502", status(502), "http_502", "outcome_unknown", 4],
    ["503", status(503), "http_503", "outcome_unknown", 4],
    ["504", status(504), "http_504", "outcome_unknown", 4],
    ["500", status(500), "http_500", "outcome_unknown", 1],
  ])("%s", async (_, script, readCode, writeCode, reads) => {
    const { url, requests } = await startScriptedService(script);
    const client = clientForTest(url, { requestTimeoutMs: 300 });
    expect(await catchError(client.sendRaw(read))).toMatchObject({ kind: "unreachable", code: readCode });
    expect(requests).toHaveLength(reads);
    const lost = await catchError(client.sendRaw(write));
    expect(lost).toMatchObject({ kind: "unreachable", code: writeCode });
    expect((lost as { retryable: boolean }).retryable).toBe(writeCode !== "outcome_unknown");
    expect(requests).toHaveLength(reads + 1);
  });

  it("keeps what the service said with a doubtful outcome", async () => {
    const { url } = await startScriptedService((_, response) =>
      sendJson(response, 503, { detail: "busy" }, { "x-request-id": "r-1", "retry-after": "1" }),
    );
    expect(await catchError(clientForTest(url).sendRaw(write))).toMatchObject({
      status: 503,
      requestId: "r-1",
      message: "busy (POST /x → 503); the outcome is unknown",
      hint: "look for it on the service before you send it again",
    });
  });

  const lost: Script = (_, response) =>
    void response.writeHead(422, { "content-length": "100" }).write("{", () => response.destroy());

  it.each([
    ["breaks off", lost],
    ["drips", dripping(422)],
  ])("is the refusal that it is, also where the explanation %s", async (_, script) => {
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

  it("doubts a write that is said to be done, and shows where to look", async () => {
    const { url, requests } = await startScriptedService((_, response) =>
      sendJson(response, 303, { detail: "See there." }, { location: "/jobs/7" }),
    );
    expect(await catchError(clientForTest(url).sendRaw(write))).toMatchObject({
      code: "outcome_unknown",
      status: 303,
      message: "See there (POST /x → 303 /jobs/7); the outcome is unknown",
    });
    expect(await catchError(clientForTest(url).sendRaw(read))).toMatchObject({ code: "http_303" });
    expect(requests).toHaveLength(2);
  });

  it("tells a stream that breaks off in the same words", async () => {
    const { url } = await startScriptedService(half);
    const reading = async () => {
      const { body } = await clientForTest(url).stream(OPERATIONS.diligence.dataset, {
        params: { jobId: "x" },
      });
      for await (const _ of body);
    };
    expect(await catchError(reading())).toMatchObject({ code: "response_truncated" });
  });
});

describe("a body that takes longer than the request timeout", () => {
  const inPieces =
    (pieces: number, piece: string): Script =>
    async (_, response) => {
      for (let count = 0; count < pieces; count += 1) {
        response.write(piece);
        await sleep(40);
      }
      response.end("end");
    };

  it("is read to its end while it comes on", async () => {
    const { url } = await startScriptedService(inPieces(20, "x".repeat(20_000)));
    const { body } = await clientForTest(url, { requestTimeoutMs: 600 }).sendRaw(read);
    expect(body).toHaveLength(400_003);
  });

  it("is read to its end when it is the reader who takes that long", async () => {
    const { url } = await startScriptedService(inPieces(2, "little"));
    const client = clientForTest(url, { requestTimeoutMs: 600 });
    const { body } = await client.stream(OPERATIONS.diligence.dataset, { params: { jobId: "x" } });
    let size = 0;
    for await (const chunk of body) {
      if (size === 0) await sleep(800);
      size += chunk.length;
    }
    expect(size).toBe(15);
  });
});

describe("an interruption", () => {
  /** Stops a request once the service has seen something. */
  async function interrupted(
    script: Script,
    request: Parameters<ReturnType<typeof clientForTest>["sendRaw"]>[0],
  ) {
    const stop = new AbortController();
    const { url, requests } = await startScriptedService((...seen) => {
      script(...seen);
      setTimeout(() => stop.abort(), 20);
    });
    const sending: Promise<ApiResponse> = clientForTest(url, {
      signal: stop.signal,
      runtime: {
        now: Date.now,
        random: () => 0,
        sleep: (ms, signal) => sleep(ms, undefined, { signal }),
      },
    }).sendRaw(request);
    const error = await catchError(sending);
    expect(requests).toHaveLength(1);
    return error;
  }

  it.each([
    ["before the answer", hanging],
    ["within the answer", stalled],
  ])("%s leaves a write in doubt, and no read", async (_, script) => {
    expect(await interrupted(script, write)).toMatchObject({
      kind: "interrupted",
      code: "interrupted_unknown",
      hint: "look for it on the service before you send it again",
    });
    expect(await interrupted(script, read)).toMatchObject({ kind: "interrupted", code: "interrupted" });
  });

  it("while waiting to try again leaves nothing in doubt", async () => {
    const busy: Script = (_, response) => sendJson(response, 429, {}, { "retry-after": "20" });
    expect(await interrupted(busy, write)).toMatchObject({ code: "interrupted" });
  });

  it("before there is a connection leaves nothing in doubt", async () => {
    // TLS that is never answered: a connection that never stands.
    const stop = new AbortController();
    const url = `https://${await listenOnLoopback(createServer(() => stop.abort()))}`;
    const error = await catchError(clientForTest(url, { signal: stop.signal }).sendRaw(write));
    expect(error).toMatchObject({ kind: "interrupted", code: "interrupted" });
  });
});
