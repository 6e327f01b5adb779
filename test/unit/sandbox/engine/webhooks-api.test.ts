import { getEventListeners } from "node:events";
import { createServer } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { EventToEmit, Sandbox, WaitCondition } from "../../../../sandbox/index.ts";
import { verify } from "../../../../src/signature.ts";
import { listenOnLoopback } from "../../../support/listen.ts";
import { sandboxForTest } from "../../../support/sandbox.ts";
import { call, entriesCsv, scriptedEntryNumber, submitAndSettle } from "../../../support/sandbox-requests.ts";

const control = (
  sandbox: Sandbox,
  path: string,
  body?: unknown,
  method = body === undefined ? "GET" : "POST",
) =>
  call(sandbox, `/_sandbox${path}`, {
    method,
    token: sandbox.controlToken,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

/** Registers an endpoint and answers its id. */
async function registered(sandbox: Sandbox, url: string, more: object = {}): Promise<string> {
  const body = { label: "test", url, subscribedEvents: ["partner.test"], environmentScope: "all", ...more };
  const answer = await call(sandbox, "/v1/webhooks/endpoints", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status, answer.text).toBe(201);
  return String(answer.body.id);
}

describe("emit", () => {
  it("delivers to the seeded endpoint, and the sink verifies it", async () => {
    const sandbox = await sandboxForTest();
    const { endpointId, signingSecret } = sandbox.credentials.webhook;
    const emitted = await sandbox.webhooks.emit({ type: "partner.test", data: { n: 1 } });
    expect(emitted.deliveries).toMatchObject([{ endpointId }]);
    const [{ deliveryId } = { deliveryId: "" }] = emitted.deliveries;
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
    // The wall clock would tell one run from the next.
    expect(new Map(attempt?.responseHeaders).get("Date")).toBe(new Date(sandbox.clock.now()).toUTCString());
    const headers = attempt?.headers ?? [];
    const body = Buffer.from(delivery.bodyBase64, "base64");
    expect(verify({ secrets: [signingSecret], headers, body }).verdict).toBe("valid");
    expect(await sandbox.webhooks.sink()).toMatchObject([{ verdict: "valid", responseStatus: 200 }]);
    expect(await sandbox.webhooks.sink("another")).toEqual([]);
    const raw = await control(sandbox, `/deliveries/${deliveryId}/body`);
    expect([raw.text, raw.headers.get("content-type")]).toEqual([delivery.body, "application/octet-stream"]);
    expect((await control(sandbox, `/deliveries/${deliveryId}`)).body).toEqual(delivery);
  });

  it("takes any dotted name, and delivers to a single endpoint", async () => {
    const sandbox = await sandboxForTest();
    const one = await registered(sandbox, `${sandbox.url}/_sandbox/sink/one`);
    const answer = await control(sandbox, "/emit", { type: "claim.updated", endpointId: one });
    expect(answer.body).toMatchObject({ type: "claim.updated", deliveries: [{ endpointId: one }] });
    await sandbox.idle();
    expect(await sandbox.webhooks.sink("one")).toMatchObject([{ verdict: "valid" }]);
    expect((await sandbox.webhooks.emit({ type: "claim.updated" })).deliveries).toEqual([]);
    expect(await sandbox.webhooks.deliveries({ endpointId: one })).toHaveLength(1);
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
  ])("is refused as %o", async (event, words) => {
    const sandbox = await sandboxForTest();
    const answer = await control(sandbox, "/emit", event);
    expect([answer.status, answer.body.code]).toEqual([422, "validation_failed"]);
    expect(answer.body.detail).toContain(words);
    await expect(sandbox.webhooks.emit(event as EventToEmit)).rejects.toMatchObject({ kind: "usage" });
  });

  it.each([
    ["a big integer", 10n],
    ["a function", () => {}],
    ["a symbol", Symbol("data")],
  ])("the handle refuses %s as data", async (_, data) => {
    const sandbox = await sandboxForTest();
    await expect(sandbox.webhooks.emit({ type: "partner.test", data })).rejects.toMatchObject({
      ...{ kind: "usage", code: "validation_failed" },
      message: "the data is not JSON",
    });
    expect(await sandbox.webhooks.deliveries()).toEqual([]);
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
    expect((await control(sandbox, "/emit", { type: "partner.test", ...fields })).status).toBe(422);
    expect(await sandbox.webhooks.deliveries()).toEqual([]);
  });

  it("refuses an endpoint with the scope of the other environment", async () => {
    const sandbox = await sandboxForTest();
    const url = `${sandbox.url}/_sandbox/sink/live`;
    const endpointId = await registered(sandbox, url, { environmentScope: "production" });
    const answer = await control(sandbox, "/emit", { type: "partner.test", endpointId });
    expect([answer.status, answer.body.code]).toEqual([409, "endpoint_out_of_scope"]);
    const event = { type: "partner.test", environment: "production", endpointId } as const;
    expect((await sandbox.webhooks.emit(event)).deliveries).toHaveLength(1);
  });

  it("needs an existing, active endpoint", async () => {
    const sandbox = await sandboxForTest();
    const { endpointId } = sandbox.credentials.webhook;
    const unknown = await control(sandbox, "/emit", { type: "partner.test", endpointId: "unknown" });
    expect([unknown.status, unknown.body.code]).toEqual([404, "endpoint_not_found"]);
    await sandbox.webhooks.setStatus(endpointId, "disabled");
    const disabled = await control(sandbox, "/emit", { type: "partner.test", endpointId });
    expect([disabled.status, disabled.body.code]).toEqual([409, "endpoint_not_active"]);
    expect((await sandbox.webhooks.emit({ type: "partner.test" })).deliveries).toEqual([]);
  });
});

describe("endpoints", () => {
  it("are listed with their partner, change their status, and stay revoked", async () => {
    const sandbox = await sandboxForTest();
    const id = await registered(sandbox, `${sandbox.url}/_sandbox/sink/one`);
    const listed = (await control(sandbox, "/endpoints")).body.data as { id: string; partner: number }[];
    expect(listed.map((each) => [each.id, each.partner])).toEqual([
      [id, 1],
      [sandbox.credentials.webhook.endpointId, 1],
    ]);
    expect(JSON.stringify(listed)).not.toMatch(/whsec_[\w-]{10}/);
    expect(await sandbox.webhooks.endpoints()).toEqual(listed);
    const set = (status: unknown) => control(sandbox, `/endpoints/${id}/status`, { status });
    expect((await set("disabled")).body).toMatchObject({ id, status: "disabled" });
    expect((await set("active")).body).toMatchObject({ status: "active" });
    expect((await set("gone")).body).toMatchObject({
      status: 422,
      detail: expect.stringContaining("revoked"),
    });
    expect((await set("revoked")).status).toBe(200);
    expect((await set("revoked")).status).toBe(200);
    expect((await set("active")).body).toMatchObject({ status: 409, code: "endpoint_revoked" });
    expect((await control(sandbox, "/endpoints/unknown/status", { status: "active" })).status).toBe(404);
  });

  it("and deliveries are counted in the state", async () => {
    const sandbox = await sandboxForTest();
    await sandbox.webhooks.emit({ type: "partner.test" });
    expect((await control(sandbox, "/state")).body).toMatchObject({
      endpoints: { active: 1 },
      deliveries: { delivered: 1 },
    });
  });
});

describe("a sandbox that closes", () => {
  it("rejects pending resends and later calls", async () => {
    const hanging = createServer(() => {});
    const sandbox = await sandboxForTest();
    const id = await registered(sandbox, `http://${await listenOnLoopback(hanging)}/`);
    const [{ deliveryId } = { deliveryId: "" }] = (
      await sandbox.webhooks.emit({ type: "partner.test", endpointId: id })
    ).deliveries;
    const resent = sandbox.webhooks.resend(deliveryId).catch((error) => error);
    await sandbox.close();
    expect(await resent).toMatchObject({ code: "sandbox_closed" });
    const { webhooks } = sandbox;
    const asked = [
      webhooks.emit({ type: "partner.test" }),
      webhooks.endpoints(),
      webhooks.delivery(deliveryId),
      webhooks.resend(deliveryId),
    ];
    for (const answer of asked) await expect(answer).rejects.toMatchObject({ code: "sandbox_closed" });
  });
});

describe("a resend", () => {
  it("makes one attempt outside the schedule: failure keeps the schedule, success ends it", async () => {
    const sandbox = await sandboxForTest();
    const id = await registered(sandbox, `${sandbox.url}/_sandbox/sink/shaky?times=2`);
    await sandbox.webhooks.emit({ type: "partner.test", endpointId: id });
    const [{ id: delivery, nextAttemptAt } = { id: "", nextAttemptAt: "" }] =
      await sandbox.webhooks.deliveries();
    expect(await sandbox.webhooks.delivery(delivery)).toMatchObject({ status: "retrying", attemptCount: 1 });
    const failed = await control(sandbox, `/deliveries/${delivery}/resend`, {});
    expect(failed.body).toMatchObject({ status: "retrying", attemptCount: 2, nextAttemptAt });
    const sent = await sandbox.webhooks.resend(delivery);
    expect(sent).toMatchObject({ status: "delivered", attemptCount: 3, nextAttemptAt: null });
    expect(sent.attempts.map(({ trigger }) => trigger)).toEqual(["schedule", "resend", "resend"]);
    expect(sandbox.clock.agenda()).toEqual([]);
    expect((await control(sandbox, "/deliveries/nothing/resend", {})).body.code).toBe("delivery_not_found");
    expect((await control(sandbox, "/deliveries/nothing")).status).toBe(404);
    await sandbox.webhooks.setStatus(id, "revoked");
    expect((await control(sandbox, `/deliveries/${delivery}/resend`, {})).body.code).toBe(
      "endpoint_not_active",
    );
  });
});

describe("waitFor", () => {
  it("resolves when the condition is met, at once if it already is", async () => {
    const sandbox = await sandboxForTest();
    const id = await registered(sandbox, `${sandbox.url}/_sandbox/sink/late?times=1`);
    await sandbox.webhooks.emit({ type: "partner.test", endpointId: id });
    const waiting = sandbox.waitFor({ delivery: { endpointId: id } }, { timeoutMs: 10_000 });
    await sandbox.idle();
    await sandbox.clock.advance("next");
    expect(await waiting).toMatchObject({ status: "delivered", endpointId: id });
    const again = await control(sandbox, "/wait", {
      delivery: { eventType: "partner.test", status: "delivered" },
      timeoutMs: 0,
    });
    expect(again.body).toMatchObject({ endpointId: id, status: "delivered" });
  });

  it("waits for jobs", async () => {
    const sandbox = await sandboxForTest();
    const job = await submitAndSettle(sandbox, { file: entriesCsv([scriptedEntryNumber("4")]) });
    const waiting = control(sandbox, "/wait", { job: { id: job, state: "completed" } });
    await sandbox.clock.advance("30s");
    expect((await waiting).body).toMatchObject({ jobId: job, state: "completed" });
    expect((await control(sandbox, "/wait", { job: { id: "none" } })).body.code).toBe("job_not_found");
  });

  it("refuses an unknown endpoint at once", async () => {
    const sandbox = await sandboxForTest();
    const answer = await control(sandbox, "/wait", { delivery: { endpointId: "unknown" } });
    expect([answer.status, answer.body.code]).toEqual([404, "endpoint_not_found"]);
  });

  it("times out, and describes the present state", async () => {
    const sandbox = await sandboxForTest();
    const id = await registered(sandbox, "http://127.0.0.1:1/");
    await sandbox.webhooks.emit({ type: "partner.test", endpointId: id });
    const answer = await control(sandbox, "/wait", { delivery: { endpointId: id }, timeoutMs: 30 });
    expect([answer.status, answer.body.code]).toEqual([408, "wait_timed_out"]);
    expect(answer.body.detail).toMatch(/is retrying after 0\.03 s$/);
    expect(answer.body.hint).toMatch(/^the clock is frozen/);
    const nothing = sandbox.waitFor({ delivery: { eventType: "claim.updated" } }, { timeoutMs: 1 });
    await expect(nothing).rejects.toMatchObject({ code: "wait_timed_out", kind: "pending" });
  });

  it("ends with the sandbox and with the caller", async () => {
    const errors: unknown[] = [];
    const sandbox = await sandboxForTest({ onError: (error) => errors.push(error) });
    const waiting = sandbox.waitFor({ delivery: {} }).catch((error: unknown) => error);
    const asking = control(sandbox, "/wait", { delivery: {} }).catch((error: unknown) => error);
    const leaving = fetch(`${sandbox.url}/_sandbox/wait`, {
      method: "POST",
      headers: { authorization: `Bearer ${sandbox.controlToken}` },
      body: JSON.stringify({ delivery: {} }),
      signal: AbortSignal.timeout(50),
    });
    await expect(leaving).rejects.toThrow();
    await sandbox.close();
    expect(await waiting).toMatchObject({ code: "sandbox_closed" });
    expect(await asking).toBeInstanceOf(Error);
    expect(errors).toEqual([]);
  });

  it("the handle refuses input that is not JSON", async () => {
    const sandbox = await sandboxForTest();
    const circular: Record<string, unknown> = {};
    circular.job = circular;
    for (const wish of [circular, { job: { id: 1n } }])
      await expect(sandbox.waitFor(wish as unknown as WaitCondition)).rejects.toMatchObject({
        kind: "usage",
        code: "validation_failed",
      });
  });

  it("leaves no listener on a signal that outlives it", async () => {
    // Node keeps each of its results at every source, for as long as the source lives.
    const any = vi.spyOn(AbortSignal, "any");
    onTestFinished(() => any.mockRestore());
    const sandbox = await sandboxForTest();
    const { signal } = new AbortController();
    for (let count = 0; count < 3; count += 1) {
      const waiting = sandbox.waitFor({ delivery: {} }, { timeoutMs: 0, signal });
      await expect(waiting).rejects.toMatchObject({ code: "wait_timed_out" });
    }
    expect(any).not.toHaveBeenCalled();
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it.each([
    {},
    { delivery: 1 },
    { delivery: { id: 1 } },
    { delivery: { ids: "a" } },
    { delivery: { status: "done" } },
    { delivery: {}, job: { id: "a" } },
    { job: {} },
    { job: { id: "a", state: "done" } },
    { event: {} },
    { delivery: {}, timeoutMs: -1 },
    { delivery: {}, timeoutMs: "soon" },
    { delivery: { eventType: "Partner.*" } },
    { delivery: { eventType: { toString: 1 } } },
  ])("refuses %o", async (wish) => {
    const sandbox = await sandboxForTest();
    const answer = await control(sandbox, "/wait", wish);
    expect([answer.status, answer.body.code]).toEqual([422, "validation_failed"]);
    if (!("timeoutMs" in wish))
      await expect(sandbox.waitFor(wish as WaitCondition)).rejects.toMatchObject({ kind: "usage" });
  });
});

describe("rotating a credential", () => {
  it("refuses the old key from then on, and emits the event", async () => {
    const sandbox = await sandboxForTest();
    const old = sandbox.credentials.sandbox.apiKey;
    const { body } = await control(sandbox, "/credentials/rotate", { environment: "sandbox" });
    expect(body).toEqual({ environment: "sandbox", apiKey: sandbox.credentials.sandbox.apiKey });
    expect(body.apiKey).not.toBe(old);
    const ask = (token: string) => call(sandbox, "/v1/webhooks/endpoints", { token });
    expect((await ask(old)).status).toBe(401);
    expect((await ask(String(body.apiKey))).status).toBe(200);
    const [delivery] = await sandbox.webhooks.deliveries();
    expect(delivery).toMatchObject({ eventType: "partner.credential.rotated", environment: "sandbox" });
    const { body: payload } = await sandbox.webhooks.delivery(delivery?.id ?? "");
    expect(payload).not.toContain(String(body.apiKey));
    expect(sandbox.credentials.production.apiKey).toMatch(/^sk_production_/);
    await control(sandbox, "/credentials/rotate", { environment: "production" });
    expect(await sandbox.webhooks.deliveries()).toMatchObject([{ environment: "production" }, {}]);
    expect((await control(sandbox, "/credentials/rotate", { environment: "all" })).status).toBe(422);
  });
});

it("a receiver may call the sandbox during its own delivery", async () => {
  const sandbox = await sandboxForTest();
  const seen: number[] = [];
  const server = createServer(async (request, response) => {
    request.resume();
    for (const path of ["/endpoints", "/state", "/agenda"]) seen.push((await control(sandbox, path)).status);
    response.end();
  });
  const id = await registered(sandbox, `http://${await listenOnLoopback(server)}/hook`);
  await sandbox.webhooks.emit({ type: "partner.test", endpointId: id });
  expect(await sandbox.waitFor({ delivery: { endpointId: id } })).toMatchObject({
    status: "delivered",
  });
  expect(seen).toEqual([200, 200, 200]);
});
