import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { CapturedBody } from "../../../../../sandbox/engine/request-log/captured-body.ts";
import {
  createRequestLog,
  type RecordedRequest,
  type RequestLog,
} from "../../../../../sandbox/engine/request-log/request-log.ts";
import { Clock } from "../../../../../sandbox/engine/scheduler/clock.ts";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import { call, post } from "../../../../support/sandbox-requests.ts";

const KIB = 1024;

const journalOf = (size: number) =>
  createRequestLog({ clock: new Clock(() => 0, "2026-11-20T00:00:00Z"), size, stopwatch: () => 0 });

const arrival = {
  ...{ requestId: "r", method: "GET", target: "/", httpVersion: "1.1", headers: [], port: 1 },
  notes: { operation: null, route: null, fault: null, varied: [], events: [] },
};

function begun(journal: RequestLog): RecordedRequest {
  const exchange = journal.begin(arrival);
  if (!exchange) throw new Error("nothing is kept");
  return exchange;
}

const departure = (body: CapturedBody | string | null, requestBody: CapturedBody | null = null) => ({
  ...{ caller: null, requestBody, status: 200, headers: [], body, isSent: true },
});

const headOf = (size: number): CapturedBody => {
  const head = new CapturedBody();
  head.append(new Uint8Array(size));
  return head;
};

const keptOf = ({ result: ended }: RecordedRequest): number => {
  const { requestBody = null, body = null } = ended ?? {};
  return (
    (requestBody?.capturedBytes ?? 0) + (typeof body === "string" ? body.length : (body?.capturedBytes ?? 0))
  );
};

/** The same request again and again over one connection, without waiting for the answers. */
async function inOneGo({ port }: Sandbox, count: number, head: string, body = ""): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  const one = `${head}\r\n${body}`;
  for (let sent = 1; sent < count; sent += 1) socket.write(one);
  socket.write(`${head}Connection: close\r\n\r\n${body}`);
  await once(socket.resume(), "close");
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

describe("the ring", () => {
  it("keeps the last 1,000 of 1,001 requests with their numbers", async () => {
    const sandbox = await sandboxForTest();
    await inOneGo(sandbox, 1_001, "GET /v1/nothing HTTP/1.1\r\nHost: x\r\n");
    const entries = await sandbox.requests.list();
    expect(entries.map(({ number }) => number)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => index + 2),
    );
    expect(new Set(entries.map(({ requestId }) => requestId)).size).toBe(1_000);
    expect(entries.every(({ outcome, status }) => outcome === "answered" && status === 404)).toBe(true);
    await expect(sandbox.requests.get(1)).rejects.toMatchObject({
      code: "request_not_found",
      hint: expect.stringContaining("starts at 2"),
    });
  });

  it("takes no more memory after 20,000 requests than after 1,000", () => {
    const journal = journalOf(1_000);
    const held = () => [journal.entries().length, sum(journal.entries().map(keptOf))];
    const take = (count: number) => {
      for (let taken = 0; taken < count; taken += 1)
        journal.end(begun(journal), departure("x".repeat(100), headOf(50)));
    };
    take(1_000);
    const before = held();
    take(19_000);
    expect(held()).toEqual(before);
    expect(before).toEqual([1_000, 150_000]);
    expect(journal.entries()[0]?.number).toBe(19_001);
  });

  it("has the requested size", async () => {
    const sandbox = await sandboxForTest({ requestLogSize: 2 });
    for (let sent = 0; sent < 5; sent += 1) await call(sandbox, "/v1/clients");
    expect((await sandbox.requests.list()).map(({ number }) => number)).toEqual([4, 5]);
  });
});

describe("a body", () => {
  it("is captured up to 64 KiB, without a reference to the rest", () => {
    const head = new CapturedBody();
    const large = new Uint8Array(1_000 * KIB);
    for (const size of [10 * KIB, 53 * KIB]) head.append(large.subarray(0, size));
    head.append(large);
    expect(head).toMatchObject({ size: 1_063 * KIB, capturedBytes: 64 * KIB, isWhole: false });
    expect(head.bytes().length).toBe(64 * KIB);
  });

  it("counts in bytes, also for text, and never ends in half a character", async () => {
    const sandbox = await sandboxForTest();
    const name = "é".repeat(40_000);
    await post(sandbox, "/v1/clients", { name });
    const { requestBody } = await sandbox.requests.get(1);
    expect(requestBody).toMatchObject({ size: 80_000 + '{"name":""}'.length, truncated: true });
    expect(requestBody?.text).toBe(`{"name":"${"é".repeat(32_763)}`);
    const head = new CapturedBody();
    for (const piece of [name, name]) head.append(piece);
    expect(head).toMatchObject({ size: 160_000, capturedBytes: 64 * KIB });
  });

  it("limits the fields of a form like the bytes of a body", () => {
    const head = new CapturedBody();
    head.setFields([
      ["a", ["x".repeat(40 * KIB)]],
      ["b", ["x".repeat(40 * KIB)]],
    ]);
    expect(head.fields?.map(([name]) => name)).toEqual(["a"]);
  });
});

describe("all bodies together", () => {
  const MOST = 32 * KIB * KIB;

  it("take 32 MiB; the oldest are evicted first and keep their size", () => {
    const journal = journalOf(1_000);
    for (let sent = 0; sent < 600; sent += 1)
      journal.end(begun(journal), departure(headOf(64 * KIB), headOf(70 * KIB)));
    const kept = journal.entries();
    expect(sum(kept.map(keptOf))).toBe(MOST);
    expect(kept.map((each) => keptOf(each) > 0)).toEqual([
      ...Array.from({ length: 344 }, () => false),
      ...Array.from({ length: 256 }, () => true),
    ]);
    expect(kept[0]?.result?.requestBody).toMatchObject({ size: 70 * KIB, capturedBytes: 0, isWhole: false });
  });

  it("take no more if requests end in another order, or after they left the ring", () => {
    const journal = journalOf(700);
    const late = Array.from({ length: 10 }, () => begun(journal));
    for (let sent = 0; sent < 600; sent += 1) journal.end(begun(journal), departure(headOf(64 * KIB)));
    for (const each of late) journal.end(each, departure(headOf(64 * KIB)));
    expect(sum(journal.entries().map(keptOf))).toBeLessThanOrEqual(MOST);
    const forgotten = begun(journal);
    for (let sent = 0; sent < 700; sent += 1) journal.end(begun(journal), departure("x"));
    journal.end(forgotten, departure(headOf(64 * KIB)));
    expect(journal.entries()).not.toContain(forgotten);
    expect(sum(journal.entries().map(keptOf))).toBe(700);
    journal.clear();
    for (let sent = 0; sent < 600; sent += 1) journal.end(begun(journal), departure(headOf(64 * KIB)));
    expect(sum(journal.entries().map(keptOf))).toBe(MOST);
  });

  it("show that they were evicted, and such a request cannot be replayed", async () => {
    const sandbox = await sandboxForTest();
    const name = "x".repeat(64 * KIB - 50);
    const body = JSON.stringify({ name });
    const head = `Host: x\r\nAuthorization: Bearer ${sandbox.credentials.sandbox.apiKey}\r\nContent-Type: application/json`;
    await inOneGo(
      sandbox,
      600,
      `POST /v1/clients HTTP/1.1\r\n${head}\r\nContent-Length: ${body.length}\r\n`,
      body,
    );
    const { requestBody } = await sandbox.requests.get(1);
    expect(requestBody).toEqual({
      ...{ size: name.length + 11, text: null, base64: null, truncated: true, fields: null },
    });
    await expect(sandbox.requests.replay(1)).rejects.toMatchObject({
      kind: "rejected",
      code: "request_not_kept",
      message: expect.stringContaining(`0 of its ${name.length + 11} bytes`),
    });
  });
});
