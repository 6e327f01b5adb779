import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import type { EventToEmit, Sandbox, WaitCondition } from "../../../../sandbox/index.ts";
import { verify } from "../../../../src/signature.ts";
import { listenOnLoopback } from "../../../support/listen.ts";
import { sandboxForTest } from "../../../support/sandbox.ts";
import { callControl } from "../../../support/sandbox-requests.ts";
import { createCaller } from "../../../support/webhook-caller.ts";

/** Registers an endpoint and returns its id. */
const registerEndpoint = async (sandbox: Sandbox, url: string, more: object = {}) =>
  (await createCaller(sandbox).register(url, { environmentScope: "all", ...more })).id;

describe("webhooks.emit", () => {
  it("delivers to the seeded endpoint, and the sink verifies it", async () => {
    const sandbox = await sandboxForTest();
    const { endpointId, signingSecret } = sandbox.credentials.webhook;
    const emitted = await sandbox.webhooks.emit({ type: "partner.test", data: { n: 1 } });
    expect(emitted.deliveries).toMatchObject([{ endpointId }]);
    const [{ deliveryId } = { deliveryId: "" }] = emitted.deliveries;
    await sandbox.idle();
    const delivery = await sandbox.webhooks.delivery(deliveryId);
    expect(delivery).toMatchObject({
      status: "delivered",
      attemptCount: 1,
      url: expect.stringContaining("/sink/"),
    });
    expect(JSON.parse(delivery.body ?? "")).toMatchObject({ id: emitted.eventId, data: { n: 1 } });
    const [attempt] = delivery.attempts;
    expect(attempt).toMatchObject({ number: 1, trigger: "schedule", responseStatus: 200, error: null });
    expect(attempt?.responseExcerpt).toContain('"verdict":"valid"');
    // A date of the wall clock would differ between runs.
    expect(new Map(attempt?.responseHeaders).get("Date")).toBe(new Date(sandbox.clock.now()).toUTCString());
    const headers = attempt?.headers ?? [];
    const body = Buffer.from(delivery.bodyBase64, "base64");
    expect(verify({ secrets: [signingSecret], headers, body }).verdict).toBe("valid");
    expect(await sandbox.webhooks.sink()).toMatchObject([{ verdict: "valid", responseStatus: 200 }]);
    await expect(sandbox.webhooks.sink("another")).rejects.toMatchObject({ code: "sink_not_found" });
    expect((await callControl(sandbox, "GET", `/deliveries/${deliveryId}`)).body).toEqual(delivery);
    expect(await sandbox.webhooks.deliveries({ status: "failed" })).toEqual([]);
  });

  it.each([
    [{}, "type: is missing"],
    [{ type: "Partner.Test" }, "must be an event name"],
    [{ type: "partner" }, "must be an event name"],
    [{ type: "partner.*" }, "must be an event name"],
    [{ type: "partner.test", environment: "staging" }, "environment: must be one of"],
    [{ type: "partner.test", endpointId: 7 }, "endpointId"],
    [{ type: "partner.test", payload: {} }, "payload: "],
  ])("refuses the event %o", async (event, detail) => {
    const sandbox = await sandboxForTest();
    const response = await callControl(sandbox, "POST", "/emit", event);
    expect([response.status, response.body.code]).toEqual([422, "validation_failed"]);
    expect(response.body.detail).toContain(detail);
    await expect(sandbox.webhooks.emit(event as EventToEmit)).rejects.toMatchObject({ kind: "usage" });
  });

  it.each([
    [{ dataJson: "{" }, "dataJson is not JSON"],
    [{ dataJson: "" }, "dataJson is not JSON"],
    [{ dataJson: "1", data: 1 }, "data and dataJson exclude each other"],
    [{ dataJson: "[".repeat(501) + "]".repeat(501) }, "dataJson is nested more than 500 levels deep"],
  ])("refuses %j", async (fields, message) => {
    const sandbox = await sandboxForTest();
    await expect(sandbox.webhooks.emit({ type: "partner.test", ...fields })).rejects.toMatchObject({
      message,
    });
    expect((await callControl(sandbox, "POST", "/emit", { type: "partner.test", ...fields })).status).toBe(
      422,
    );
    expect(await sandbox.webhooks.deliveries()).toEqual([]);
  });

  it.each<[object, string, string]>([
    [{ enviroment: "production" }, "an event has no field enviroment", "did you mean environment?"],
    [{ environment: "staging" }, 'environment cannot be "staging"', "give sandbox or production"],
    [
      { type: undefined },
      "the event has no type",
      "an event has a type, and data (any JSON) or dataJson (its text)",
    ],
    [{ data: 1n }, "the data is not JSON", "an event has a type, and data (any JSON) or dataJson (its text)"],
  ])("names what is wrong with an event, and what would be right: %o", async (fields, message, hint) => {
    const { webhooks } = await sandboxForTest();
    const refusal = { kind: "usage", code: "validation_failed", message, hint };
    await expect(webhooks.emit({ type: "partner.test", ...fields })).rejects.toMatchObject(refusal);
  });

  it("refuses an endpoint whose scope excludes the environment", async () => {
    const sandbox = await sandboxForTest();
    const url = `${sandbox.url}/_sandbox/sink/live`;
    const endpointId = await registerEndpoint(sandbox, url, { environmentScope: "production" });
    const response = await callControl(sandbox, "POST", "/emit", { type: "partner.test", endpointId });
    expect([response.status, response.body.code]).toEqual([409, "no_subscriber"]);
    const event = { type: "partner.test", environment: "production", endpointId } as const;
    expect((await sandbox.webhooks.emit(event)).deliveries).toHaveLength(1);
  });
});

it.each([
  [{ staus: "failed" }, "a filter of deliveries has no field staus", "did you mean status?"],
  [{ status: "succeeded" }, 'status cannot be "succeeded"', "give queued, delivered, retrying, failed"],
  [{ endpointId: { id: "a" } }, 'endpointId cannot be {"id":"a"}', "give the id of an endpoint"],
  [{ eventType: 7 }, "eventType cannot be 7", "give an event type, such as partner.test"],
  [
    { constructor: "a" },
    "a filter of deliveries has no field constructor",
    "its fields are endpointId, eventType, status",
  ],
  ["nope", 'a filter of deliveries takes fields, not "nope"', "its fields are endpointId, eventType, status"],
  [null, "a filter of deliveries takes fields, not null", "its fields are endpointId, eventType, status"],
])("webhooks.deliveries refuses the filter %j", async (filter, message, hint) => {
  const { webhooks } = await sandboxForTest();
  const refusal = { kind: "usage", code: "validation_failed", message, hint };
  await expect(webhooks.deliveries(filter as object)).rejects.toMatchObject(refusal);
});

it("webhooks.endpoints and setStatus list endpoints with their partner, change the status, and keep a revoked endpoint revoked", async () => {
  const sandbox = await sandboxForTest();
  const id = await registerEndpoint(sandbox, `${sandbox.url}/_sandbox/sink/one`);
  const endpoints = (await callControl(sandbox, "GET", "/endpoints")).body.data as {
    id: string;
    partner: number;
  }[];
  expect(endpoints.map((each) => [each.id, each.partner])).toEqual([
    [id, 1],
    [sandbox.credentials.webhook.endpointId, 1],
  ]);
  expect(JSON.stringify(endpoints)).not.toMatch(/whsec_[\w-]{10}/);
  expect(await sandbox.webhooks.endpoints()).toEqual(endpoints);
  const set = (status: unknown) => callControl(sandbox, "POST", `/endpoints/${id}/status`, { status });
  expect((await set("disabled")).body).toMatchObject({ id, status: "disabled" });
  expect((await set("active")).body).toMatchObject({ status: "active" });
  expect((await set("gone")).body).toMatchObject({ status: 422, detail: expect.stringContaining("revoked") });
  expect((await set("revoked")).status).toBe(200);
  expect((await set("revoked")).status).toBe(200);
  expect((await set("active")).body).toMatchObject({ status: 409, code: "endpoint_revoked" });
  expect((await callControl(sandbox, "POST", "/endpoints/unknown/status", { status: "active" })).status).toBe(
    404,
  );
});

it("close() rejects pending resends and later calls", async () => {
  const hanging = createServer(() => {});
  const sandbox = await sandboxForTest();
  const id = await registerEndpoint(sandbox, `http://${await listenOnLoopback(hanging)}/`);
  const [{ deliveryId } = { deliveryId: "" }] = (
    await sandbox.webhooks.emit({ type: "partner.test", endpointId: id })
  ).deliveries;
  const resend = sandbox.webhooks.resend(deliveryId).catch((error) => error);
  await sandbox.close();
  expect(await resend).toMatchObject({ code: "sandbox_closed" });
  const { webhooks } = sandbox;
  const calls = [
    webhooks.emit({ type: "partner.test" }),
    webhooks.endpoints(),
    webhooks.delivery(deliveryId),
    webhooks.resend(deliveryId),
  ];
  for (const response of calls) await expect(response).rejects.toMatchObject({ code: "sandbox_closed" });
});

describe("waitFor", () => {
  it("resolves when the condition is met, or at once if it is met already", async () => {
    const sandbox = await sandboxForTest();
    const id = await registerEndpoint(sandbox, `${sandbox.url}/_sandbox/sink/late?times=1`);
    await sandbox.webhooks.emit({ type: "partner.test", endpointId: id });
    const result = sandbox.waitFor({ delivery: { endpointId: id } }, { timeoutMs: 10_000 });
    await sandbox.idle();
    await sandbox.clock.advance("next");
    expect(await result).toMatchObject({ status: "delivered", endpointId: id });
    const again = await callControl(sandbox, "POST", "/wait", {
      delivery: { eventType: "partner.test", status: "delivered" },
      timeoutMs: 0,
    });
    expect(again.body).toMatchObject({ endpointId: id, status: "delivered" });
  });

  it("refuses an unknown endpoint at once", async () => {
    const sandbox = await sandboxForTest();
    const response = await callControl(sandbox, "POST", "/wait", { delivery: { endpointId: "unknown" } });
    expect([response.status, response.body.code]).toEqual([404, "endpoint_not_found"]);
  });

  it("rejects at the timeout and describes the current state", async () => {
    const sandbox = await sandboxForTest();
    const id = await registerEndpoint(sandbox, "http://127.0.0.1:1/");
    await sandbox.webhooks.emit({ type: "partner.test", endpointId: id });
    const response = await callControl(sandbox, "POST", "/wait", {
      delivery: { endpointId: id },
      timeoutMs: 30,
    });
    expect([response.status, response.body.code]).toEqual([408, "wait_timed_out"]);
    expect(response.body.detail).toMatch(/is retrying after 0\.03 s$/);
    expect(response.body.hint).toMatch(/^the clock is frozen/);
    const nothing = sandbox.waitFor({ delivery: { eventType: "claim.updated" } }, { timeoutMs: 1 });
    await expect(nothing).rejects.toMatchObject({ code: "wait_timed_out", kind: "pending" });
  });

  it("ends when the sandbox closes or the client disconnects", async () => {
    const errors: unknown[] = [];
    const sandbox = await sandboxForTest({ onError: (error) => errors.push(error) });
    const result = sandbox.waitFor({ delivery: {} }).catch((error: unknown) => error);
    const request = callControl(sandbox, "POST", "/wait", { delivery: {} }).catch((error: unknown) => error);
    const abortedRequest = fetch(`${sandbox.url}/_sandbox/wait`, {
      method: "POST",
      headers: { authorization: `Bearer ${sandbox.controlToken}` },
      body: JSON.stringify({ delivery: {} }),
      signal: AbortSignal.timeout(50),
    });
    await expect(abortedRequest).rejects.toThrow();
    await sandbox.close();
    expect(await result).toMatchObject({ code: "sandbox_closed" });
    expect(await request).toBeInstanceOf(Error);
    expect(errors).toEqual([]);
  });

  it.each([
    {},
    { delivery: 1 },
    { delivery: { ids: "a" } },
    { delivery: { status: "done" } },
    { delivery: {}, job: { id: "a" } },
    { job: { id: "a", state: "done" } },
    { delivery: {}, timeoutMs: "soon" },
    { delivery: { eventType: "Partner.*" } },
    { delivery: { eventType: { toString: 1 } } },
  ])("refuses the condition %o", async (condition) => {
    const sandbox = await sandboxForTest();
    const response = await callControl(sandbox, "POST", "/wait", condition);
    expect([response.status, response.body.code]).toEqual([422, "validation_failed"]);
    if (!("timeoutMs" in condition))
      await expect(sandbox.waitFor(condition as WaitCondition)).rejects.toMatchObject({ kind: "usage" });
  });
});
