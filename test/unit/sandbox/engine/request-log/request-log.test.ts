import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import type { LoggedRequest, Sandbox } from "../../../../../sandbox/index.ts";
import { ORGANIZATION } from "../../../../support/sample-claims.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import {
  call,
  callControl,
  entriesCsv,
  ordinaryEntryNumber,
  partnerRequest,
  post,
  submissionForm,
  submit,
  waitUntil,
} from "../../../../support/sandbox-requests.ts";

const readLatest = async (sandbox: Sandbox): Promise<LoggedRequest> => {
  const entry = (await sandbox.requests.list({ limit: 1 }))[0];
  if (!entry) throw new Error("no logged request");
  return entry;
};

describe("a logged request", () => {
  it("has the request, its caller and the response", async () => {
    const sandbox = await sandboxForTest();
    const { text } = await call(sandbox, "/v1/clients?limit=1", { headers: { "X-Request-Id": "mine-1" } });
    const entry = await readLatest(sandbox);
    expect(entry).toMatchObject({
      number: 1,
      requestId: "mine-1",
      at: "2026-11-20T00:00:00.000Z",
      method: "GET",
      target: "/v1/clients?limit=1",
      httpVersion: "1.1",
      route: "/v1/clients",
      operation: "clients.list",
      basis: "documented",
      alias: null,
      caller: { partner: 1, environment: "sandbox" },
      requestBody: null,
      status: 200,
      outcome: "answered",
      fault: null,
      varied: [],
      idempotentReplay: false,
      webhooks: [],
    });
    expect(entry.durationMs).toBeGreaterThan(0);
    expect(entry.responseBody).toEqual({
      ...{ size: text.length, text, base64: null, truncated: false, fields: null },
    });
    const { apiKey } = sandbox.credentials.sandbox;
    expect(entry.requestHeaders).toContainEqual(["authorization", `Bearer [redacted]…${apiKey.slice(-4)}`]);
    expect(entry.requestHeaders).toContainEqual(["X-Request-Id", "mine-1"]);
    expect(entry.responseHeaders).toContainEqual(["Content-Type", "application/json; charset=utf-8"]);
    expect(entry.responseHeaders.map(([name]) => name)).not.toContain("Date");
    expect(await sandbox.requests.get("mine-1")).toEqual(entry);
    expect(await sandbox.requests.get(1)).toEqual(entry);
    expect((await callControl(sandbox, "GET", "/requests/mine-1")).body).toEqual(entry);
  });

  it("has the partner and environment of the caller, or none for an unknown credential", async () => {
    const sandbox = await sandboxForTest();
    const { otherPartner, production } = sandbox.credentials;
    const callers = [];
    for (const token of [otherPartner.apiKey, production.apiKey, "sk_sandbox_wrong_one"]) {
      await call(sandbox, "/v1/clients", { token });
      callers.push((await readLatest(sandbox)).caller);
    }
    expect(callers).toEqual([
      { partner: 2, environment: "sandbox" },
      { partner: 1, environment: "production" },
      null,
    ]);
    expect(await readLatest(sandbox)).toMatchObject({ status: 401, operation: "clients.list" });
  });

  it("has the request body as received, and marks an idempotent replay", async () => {
    const sandbox = await sandboxForTest();
    const body = JSON.stringify(ORGANIZATION, null, 3);
    const headers = { "idempotency-key": "k-1" };
    const put = () => post(sandbox, "/v1/partner-organizations/acme", null, { method: "PUT", headers, body });
    await put();
    await put();
    const [first, second] = await sandbox.requests.list();
    expect(first?.requestBody).toEqual({
      ...{ size: body.length, text: body, base64: null, truncated: false, fields: null },
    });
    expect(first?.requestHeaders).toContainEqual(["idempotency-key", "k-1"]);
    expect([first?.idempotentReplay, second?.idempotentReplay]).toEqual([false, true]);
  });

  it("has the fields of a form and the first 64 KiB of its file", async () => {
    const sandbox = await sandboxForTest();
    await submit(sandbox, submissionForm());
    const { requestBody, operation, status } = await readLatest(sandbox);
    expect({ operation, status }).toEqual({ operation: "diligence.submit", status: 202 });
    expect(requestBody?.fields).toEqual([
      ["seller_name", "Harbor & Pine Trading, LLC"],
      ["requires_protest_documentation", "true"],
    ]);
    expect(requestBody?.truncated).toBe(false);
    expect(requestBody?.text).toContain(ordinaryEntryNumber(1));

    const file = entriesCsv(Array.from({ length: 2_000 }, (_, serial) => ordinaryEntryNumber(serial)));
    const late = new FormData();
    late.set("file", new Blob([file], { type: "text/csv" }), "entries.csv");
    late.set("requires_protest_documentation", "false");
    late.set("seller_name", "Behind the file");
    await submit(sandbox, late);
    const large = (await readLatest(sandbox)).requestBody;
    expect(large).toMatchObject({ truncated: true, base64: null });
    expect(large?.size).toBeGreaterThan(file.length);
    expect(large?.text?.length).toBe(64 * 1024);
    expect(large?.fields).toContainEqual(["seller_name", "Behind the file"]);
  });

  it("marks a body that was announced but not read", async () => {
    const sandbox = await sandboxForTest();
    await post(sandbox, "/v1/clients", { name: "x" }, { token: "sk_sandbox_wrong_one" });
    expect(await readLatest(sandbox)).toMatchObject({
      status: 401,
      requestBody: { size: 12, text: null, base64: null, truncated: true },
    });
  });

  it("has binary bodies as base64", async () => {
    const sandbox = await sandboxForTest();
    const bytes = Uint8Array.from([0x7b, 0xff, 0xfe, 0x7d]);
    await post(sandbox, "/v1/clients", null, { body: bytes });
    expect(await readLatest(sandbox)).toMatchObject({
      status: 400,
      requestBody: { size: 4, text: null, base64: Buffer.from(bytes).toString("base64"), truncated: false },
    });
  });

  it("has the current state of its deliveries", async () => {
    const sandbox = await sandboxForTest();
    const created = await post(sandbox, "/v1/sandbox/webhooks/test", {
      eventType: "partner.test",
      environment: "sandbox",
    });
    expect(created.status).toBe(200);
    await sandbox.idle();
    const { webhooks } = await readLatest(sandbox);
    expect(webhooks).toMatchObject([{ eventId: created.body.eventId, status: "delivered", attemptCount: 1 }]);
  });

  it("has the outcome running, and aborted after the client disconnects", async () => {
    const sandbox = await sandboxForTest();
    const headers = { "content-type": "application/json", "content-length": "100" };
    const request = partnerRequest(sandbox, "POST /v1/clients", headers);
    request.on("error", () => undefined);
    request.write('{"name":');
    await waitUntil(async () => (await sandbox.requests.list()).length === 1);
    expect(await readLatest(sandbox)).toMatchObject({ outcome: "running", status: null, durationMs: null });
    request.destroy();
    await waitUntil(async () => (await readLatest(sandbox)).outcome !== "running");
    expect(await readLatest(sandbox)).toMatchObject({
      ...{ outcome: "aborted", status: null, responseBody: null, operation: "clients.create" },
      requestBody: { text: '{"name":', size: 8, truncated: true },
    });
  });

  it("is not created for the control API, the sinks, or bytes that are not HTTP", async () => {
    const sandbox = await sandboxForTest();
    await callControl(sandbox, "GET", "/state");
    await call(sandbox, "/_sandbox/sink/x", { method: "POST", body: "1", token: null });
    const socket = connect(sandbox.port, "127.0.0.1");
    socket.end("no HTTP at all\r\n\r\n");
    await once(socket.resume(), "close");
    expect(await sandbox.requests.list()).toEqual([]);
  });
});

describe("requests.list", () => {
  it("applies each filter, from the handle and over the control API", async () => {
    const sandbox = await sandboxForTest();
    await call(sandbox, "/v1/clients");
    await call(sandbox, "/v1/claims");
    await post(sandbox, "/v1/clients", {});
    await call(sandbox, "/v1/nothing");
    const listNumbers = async (filter: Parameters<Sandbox["requests"]["list"]>[0]) => {
      const entries = await sandbox.requests.list(filter);
      const query = new URLSearchParams(
        Object.entries(filter ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
      );
      expect((await callControl(sandbox, "GET", `/requests?${query}`)).body.data).toEqual(entries);
      return entries.map(({ number }) => number);
    };
    expect(await listNumbers({})).toEqual([1, 2, 3, 4]);
    expect(await listNumbers({ operation: "clients.list" })).toEqual([1]);
    expect(await listNumbers({ status: "4xx" })).toEqual([3, 4]);
    expect(await listNumbers({ status: 422 })).toEqual([3]);
    expect(await listNumbers({ method: "post" })).toEqual([3]);
    expect(await listNumbers({ path: "/v1/cl" })).toEqual([1, 2, 3]);
    expect(await listNumbers({ since: 2 })).toEqual([3, 4]);
    expect(await listNumbers({ limit: 2 })).toEqual([3, 4]);
    expect(await listNumbers({ fault: true })).toEqual([]);
    expect(await listNumbers({ fault: false, limit: 1, status: "2XX" })).toEqual([2]);
  });

  it("refuses an invalid filter and names the filters", async () => {
    const sandbox = await sandboxForTest();
    for (const filter of [
      { operation: "clients.lost" },
      { status: "9xx" },
      { method: "G T" },
      { path: "v1" },
      { since: -1 },
      { limit: 0 },
      { limit: 1.5 },
      { fault: "maybe" },
      { colour: "red" },
      [],
      null,
    ])
      await expect(sandbox.requests.list(filter as never), JSON.stringify(filter)).rejects.toMatchObject({
        kind: "usage",
        code: "validation_failed",
      });
    for (const query of ["limit=x", "limit=1&limit=2", "fault=1", "colour=red", "since=1e3"])
      expect((await callControl(sandbox, "GET", `/requests?${query}`)).status, query).toBe(422);
  });

  it("starts at number 1 again after the log is cleared", async () => {
    const sandbox = await sandboxForTest();
    await call(sandbox, "/v1/clients");
    expect((await callControl(sandbox, "DELETE", "/requests")).body).toEqual({ data: [] });
    expect(await sandbox.requests.list()).toEqual([]);
    await expect(sandbox.requests.get(1)).rejects.toMatchObject({ code: "request_not_found" });
    await call(sandbox, "/v1/claims");
    expect(await readLatest(sandbox)).toMatchObject({ number: 1, operation: "claims.list" });
    expect((await callControl(sandbox, "GET", "/requests/7")).status).toBe(404);
  });
});
