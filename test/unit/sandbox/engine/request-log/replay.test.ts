import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import {
  call,
  entriesCsv,
  ordinaryEntryNumber,
  post,
  submissionForm,
  submit,
} from "../../../../support/sandbox-requests.ts";

const client = { name: "Pier 9, Inc.", importerNumber: "98-7654321", contactEmail: "a@pier9.example" };

describe("requests.replay", () => {
  it("sends the same bytes with the same credential, and compares the responses", async () => {
    const sandbox = await sandboxForTest();
    await call(sandbox, "/v1/clients?limit=1", { headers: { "X-Mine": "1" } });
    const { request: entry, same } = await sandbox.requests.replay(1);
    expect(same).toBe(true);
    const first = await sandbox.requests.get(1);
    expect(entry).toMatchObject({ number: 2, replayOf: 1, status: 200, caller: first.caller });
    const withoutConnectionHeaders = (headers: typeof first.requestHeaders) =>
      headers.filter(([name]) => !/^(connection|x-request-id)$/i.test(name));
    expect(withoutConnectionHeaders(entry.requestHeaders)).toEqual(
      withoutConnectionHeaders(first.requestHeaders),
    );
    expect(entry.responseBody).toEqual(first.responseBody);
    expect(await sandbox.requests.list()).toHaveLength(2);
  });

  it("returns the stored response of the idempotency key, and executes the request again with newKey", async () => {
    const sandbox = await sandboxForTest();
    const { body } = await post(sandbox, "/v1/clients", client, { headers: { "idempotency-key": "one" } });
    const repeated = await sandbox.requests.replay(1);
    expect(repeated).toMatchObject({ same: true, request: { idempotentReplay: true, status: 201 } });
    const rerun = await sandbox.requests.replay(1, { newKey: true });
    expect(rerun.request.idempotentReplay).toBe(false);
    expect(rerun.request.requestHeaders.filter(([name]) => /^idempotency-key$/i.test(name))).toEqual([
      ["Idempotency-Key", expect.stringMatching(/^[0-9a-f-]{36}$/)],
    ]);
    expect(rerun.same).toBe(false);
    expect(rerun.request.responseBody?.text).not.toContain(String(body.id));
  });

  it("sends a form with its file if all of it was captured", async () => {
    const sandbox = await sandboxForTest();
    await submit(sandbox, submissionForm());
    expect((await sandbox.requests.replay(1)).request).toMatchObject({ status: 202, replayOf: 1 });
    const numbers = Array.from({ length: 2_000 }, (_, serial) => ordinaryEntryNumber(serial));
    await submit(sandbox, submissionForm({ file: entriesCsv(numbers) }));
    await expect(sandbox.requests.replay(3)).rejects.toMatchObject({
      code: "request_not_kept",
      message: expect.stringContaining("65536 of its"),
    });
  });

  it("ignores request ids when it compares responses", async () => {
    const sandbox = await sandboxForTest();
    await call(sandbox, "/v1/nothing");
    await post(sandbox, "/v1/clients", {});
    for (const number of [1, 2]) expect((await sandbox.requests.replay(number)).same).toBe(true);
  });

  it("reports a different response", async () => {
    const sandbox = await sandboxForTest();
    await call(sandbox, "/v1/clients");
    await post(sandbox, "/v1/clients", client);
    expect((await sandbox.requests.replay(1)).same).toBe(false);
  });

  it("sends an HTTP/1.0 request without Host, and a chunked body", async () => {
    const sandbox = await sandboxForTest();
    const { apiKey } = sandbox.credentials.sandbox;
    const send = async (text: string) => {
      const socket = connect(sandbox.port, "127.0.0.1");
      socket.end(text);
      await once(socket.resume(), "close");
    };
    await send(`GET /v1/clients HTTP/1.0\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`);
    const json = JSON.stringify(client);
    const chunk = `${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n`;
    await send(
      `POST /v1/clients HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
    );
    const statuses = [];
    for (const number of [1, 2]) statuses.push((await sandbox.requests.replay(number)).request.status);
    expect(statuses).toEqual([200, 201]);
  });

  it("refuses a request without its whole body, and an unknown request", async () => {
    const sandbox = await sandboxForTest();
    await post(sandbox, "/v1/clients", client, { token: "sk_sandbox_wrong_one" });
    await expect(sandbox.requests.replay(1)).rejects.toMatchObject({
      code: "request_not_kept",
      message: expect.stringContaining("was not read"),
    });
    await expect(sandbox.requests.replay(9)).rejects.toMatchObject({ kind: "not_found" });
    const viaControlApi = await call(sandbox, "/_sandbox/requests/1/replay", {
      method: "POST",
      token: sandbox.controlToken,
      body: "{}",
    });
    expect(viaControlApi).toMatchObject({ status: 409, body: { code: "request_not_kept" } });
  });

  it("works over the control API and validates its input", async () => {
    const sandbox = await sandboxForTest();
    await call(sandbox, "/v1/clients");
    const replay = (body: string) =>
      call(sandbox, "/_sandbox/requests/1/replay", { method: "POST", token: sandbox.controlToken, body });
    expect((await replay('{"newKey":1}')).status).toBe(422);
    expect((await replay("null")).status).toBe(422);
    expect(await replay("{}")).toMatchObject({ status: 200, body: { same: true, request: { replayOf: 1 } } });
  });
});
