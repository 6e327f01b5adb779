import { afterAll, expect, test } from "vitest";
import type { SinkRequest } from "../../../../sandbox/api/webhooks.ts";
import { sign } from "../../../../src/signature.ts";
import { openSandbox } from "../../../support/sandbox.ts";
import { call, callControl } from "../../../support/sandbox-requests.ts";

const sandbox = await openSandbox();
afterAll(() => sandbox.close());

const send = (sink: string, init: RequestInit = {}) =>
  call(sandbox, `/_sandbox/sink/${sink}`, { method: "POST", token: null, ...init });

const historyOf = async (sink: string) =>
  (await callControl(sandbox, "GET", `/sinks/${sink}`)).body.data as SinkRequest[];

function signRequest(body: string, secret = sandbox.credentials.webhook.signingSecret) {
  const timestamp = "1795132800";
  const signature = sign({ secret, timestamp, body });
  return { body, headers: { "X-Service-Timestamp": timestamp, "X-Service-Signature": signature } };
}

test("a sink keeps any request without a token", async () => {
  const body = Uint8Array.from([0, 255, 13, 10, 123]);
  const response = await send("plain?status=202", { method: "PUT", body, headers: { "X-Thing": "a" } });
  expect([response.status, response.body]).toEqual([
    202,
    { sink: "plain", number: 1, verdict: "missing_header" },
  ]);
  const [entry] = await historyOf("plain");
  expect(entry).toMatchObject({
    ...{ sink: "plain", number: 1, at: "2026-11-20T00:00:00.000Z", method: "PUT" },
    ...{ size: 5, responseStatus: 202 },
    target: "/_sandbox/sink/plain?status=202",
    bodyBase64: Buffer.from(body).toString("base64"),
  });
  expect(entry?.headers).toContainEqual(["X-Thing", "a"]);
});

test("a sink verifies with the secrets of the endpoints that point at it", async () => {
  const verdictOf = async (sink: string, init: RequestInit) => (await send(sink, init)).body.verdict;
  const good = signRequest('{"a":1}');
  expect(await verdictOf("default", good)).toBe("valid");
  expect(await verdictOf("default", { ...good, body: '{"a":2}' })).toBe("mismatch");
  expect(await verdictOf("default", signRequest("x", "whsec_another"))).toBe("mismatch");
  expect(await verdictOf("default", { body: "x" })).toBe("missing_header");
  const upper = { ...good.headers, "X-Service-Signature": "A".repeat(64) };
  expect(await verdictOf("default", { body: "x", headers: upper })).toBe("malformed");
  expect(await verdictOf("unknown", good)).toBe("unknown_endpoint");
});

test("a sink responds as the parameters of its URL say", async () => {
  const failing = await send("a?status=503&retryAfter=5");
  expect([failing.status, failing.headers.get("retry-after")]).toEqual([503, "5"]);
  expect((await send("a?status=200&retryAfter=5")).headers.get("retry-after")).toBeNull();
  expect(await send("a?status=204")).toMatchObject({ status: 204, text: "" });
  const first = [await send("b?times=2"), await send("b?times=2"), await send("b?times=2")];
  expect(first.map(({ status }) => status)).toEqual([503, 503, 200]);
});

test("a sink delays a response, and drops it when the client disconnects", async () => {
  const aborted = send("slow?delay=60s", { signal: AbortSignal.timeout(100) });
  await expect(aborted).rejects.toThrow();
  expect(await historyOf("slow")).toMatchObject([{ number: 1, responseStatus: null }]);
  expect((await send("slow?delay=20ms")).status).toBe(200);
});

test.each([
  "status=199",
  "status=abc",
  "times=0",
  "delay=2h",
  "retryAfter=soon",
  "statuss=500",
  "status=500&status=200",
])("a sink refuses ?%s and names the parameter", async (query) => {
  const response = await send(`bad?${query}`);
  expect([response.status, response.body.code]).toEqual([422, "validation_failed"]);
  expect(response.body.detail).toContain(`${query.split("=")[0]}: `);
  expect(await historyOf("bad")).toEqual([]);
});

test("a sink verifies a whole body, keeps 64 KiB of it, and refuses more than 1 MiB", async () => {
  const big = signRequest("x".repeat(200_000));
  expect((await send("default", big)).body.verdict).toBe("valid");
  const last = (await historyOf("default")).at(-1);
  expect(last?.size).toBe(200_000);
  expect(Buffer.from(last?.bodyBase64 ?? "", "base64").length).toBe(65_536);
  expect((await send("default", { body: "x".repeat(1_048_577) })).status).toBe(413);
});
