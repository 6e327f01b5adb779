import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../../../src/contract/operations/webhooks.ts";
import { RETRY_SCHEDULES } from "../../../../../src/domain/webhooks/retry-schedule.ts";
import { respondWith, startReceiver } from "../../../../support/receiver.ts";
import { GOLDEN_TIME, sandboxForTest } from "../../../../support/sandbox.ts";
import { createCaller } from "../../../../support/webhook-caller.ts";

const DAY = 86_400_000;
const START = Date.parse(GOLDEN_TIME);
const later = (ms: number) => new Date(START + ms).toISOString();
const nextDelayOf = ({ lastAttemptAt, nextAttemptAt }: Delivery) =>
  Date.parse(nextAttemptAt ?? "") - Date.parse(lastAttemptAt ?? "");

/** Starts a frozen sandbox with an endpoint and sends one test event to it. */
async function sendTestEvent(respond: Parameters<typeof startReceiver>[0], options = {}) {
  const { url, requests } = await startReceiver(respond);
  const sandbox = await sandboxForTest(options);
  const caller = createCaller(sandbox);
  const endpoint = await caller.register(url);
  await caller.test(endpoint.id);
  return { sandbox, requests, ...caller, id: endpoint.id };
}

describe("a delivery", () => {
  it("waits before its first attempt if the schedule starts with a delay", async () => {
    const { delivery, sandbox, id, requests } = await sendTestEvent(respondWith(200), {
      webhookRetries: "5s,1m",
    });
    expect(await delivery(id)).toMatchObject({
      ...{ status: "queued", attemptCount: 0, nextAttemptAt: later(5_000) },
      ...{ lastResponseStatus: null, lastError: null, lastAttemptAt: null, deliveredAt: null },
    });
    await sandbox.clock.advance("4s");
    expect(requests).toHaveLength(0);
    await sandbox.clock.advance("1s");
    expect(await delivery(id)).toMatchObject({
      ...{ status: "delivered", attemptCount: 1, nextAttemptAt: null },
      ...{ lastResponseStatus: 200, lastError: null, lastAttemptAt: later(5_000), deliveredAt: later(5_000) },
    });
  });

  it("is retried until it succeeds", async () => {
    const { delivery, endpoint, sandbox, id } = await sendTestEvent(respondWith(500, 429, 404, 200));
    const steps: unknown[] = [];
    for (let step = 0; step < 4; step += 1) {
      if (step > 0) await sandbox.clock.advance("next");
      const { status, attemptCount, lastResponseStatus, lastError } = await delivery(id);
      steps.push([status, attemptCount, lastResponseStatus, lastError]);
    }
    expect(steps).toEqual([
      ["retrying", 1, 500, "http_status: the receiver responded 500"],
      ["retrying", 2, 429, "http_status: the receiver responded 429"],
      ["retrying", 3, 404, "http_status: the receiver responded 404"],
      ["delivered", 4, 200, null],
    ]);
    const now = sandbox.clock.now();
    expect(await delivery(id)).toMatchObject({ lastAttemptAt: now, deliveredAt: now, nextAttemptAt: null });
    expect(await endpoint(id)).toMatchObject({ lastDeliveryAt: now, lastSuccessAt: now, status: "active" });
    expect(sandbox.clock.agenda()).toEqual([]);
  });

  it("fails after the last attempt of the schedule", async () => {
    const { delivery, attempts, sandbox, id, requests } = await sendTestEvent(respondWith(503));
    const { ran, from, to } = await sandbox.clock.advance("idle");
    const record = await delivery(id);
    expect(record).toMatchObject({
      status: "failed",
      attemptCount: 10,
      nextAttemptAt: null,
      deliveredAt: null,
    });
    expect(record.lastError).toBe("http_status: the receiver responded 503");
    expect(requests).toHaveLength(10);
    expect(ran.map(({ kind, subject }) => [kind, subject])).toEqual(
      Array(9).fill(["webhook.attempt", record.id]),
    );
    expect([from, to]).toEqual([later(0), record.lastAttemptAt]);
    const times = (await attempts(record.id)).map(({ at }) => Date.parse(at));
    expect(times[0]).toBe(START);
    times.slice(1).forEach((time, index) => {
      const delay = RETRY_SCHEDULES.standard[index + 1] ?? Number.NaN;
      expect(Math.abs(time - (times[index] ?? 0) - delay)).toBeLessThanOrEqual(0.2 * delay);
    });
  });

  it.each([
    ["3", 5_000],
    ["7", 7_000],
    ["3600", 10_000],
  ])("follows Retry-After of %s s from the scheduled delay to twice that delay", async (seconds, delay) => {
    const { delivery, id } = await sendTestEvent((_delivery, response) => {
      response.writeHead(503, { "Retry-After": seconds }).end();
    });
    expect(nextDelayOf(await delivery(id))).toBe(delay);
  });
});

describe("the jitter of retries", () => {
  /** Returns the delay before the second attempt of four deliveries; the `slow` receivers fail after 30 ms. */
  async function listDelays(slow: readonly number[], seed = 1) {
    const { register, test, delivery } = createCaller(await sandboxForTest({ seed }));
    const ids: string[] = [];
    for (let at = 0; at < 4; at += 1) {
      const { url } = await startReceiver(async (_delivery, response) => {
        if (slow.includes(at)) await sleep(30);
        response.writeHead(500).end();
      });
      ids.push((await register(url)).id);
    }
    await Promise.all(ids.map((id) => test(id)));
    return Promise.all(ids.map(async (id) => nextDelayOf(await delivery(id))));
  }

  it("depends on the seed, not on the order of responses", async () => {
    const times = await listDelays([]);
    expect(await listDelays([0, 1])).toEqual(times);
    expect(await listDelays([2, 3])).toEqual(times);
    expect(await listDelays([], 2)).not.toEqual(times);
    expect(new Set(times).size).toBe(4);
  });
});

describe("an endpoint", () => {
  it("is disabled after five days without a success, and its deliveries fail", async () => {
    const { deliveries, endpoint, setStatus, test, id, sandbox } = await sendTestEvent(respondWith(500));
    await sandbox.clock.advance("4d");
    expect(await endpoint(id)).toMatchObject({ status: "active" });
    // It is active, so that its failures count on.
    await setStatus(id, "active");
    await test(id);
    await sandbox.clock.advance("idle");
    const [second, first] = await deliveries(`?endpointId=${id}`);
    expect(first).toMatchObject({ status: "failed", attemptCount: 10 });
    expect(second).toMatchObject({ status: "failed", nextAttemptAt: null });
    expect(second?.lastError).toBe("endpoint_not_active: the endpoint is disabled, no attempt was made");
    const { status, lastFailureAt } = await endpoint(id);
    expect(status).toBe("disabled");
    expect(Date.parse(lastFailureAt ?? "")).toBeGreaterThanOrEqual(START + 5 * DAY);
    // An endpoint that is reactivated counts failures from the next one.
    await setStatus(id, "active");
    await test(id);
    expect(await endpoint(id)).toMatchObject({ status: "active" });
  });

  it("stays active if a delivery succeeds within five days", async () => {
    const { endpoint, test, id, sandbox } = await sendTestEvent((_delivery, response, count) => {
      response.writeHead(count === 11 ? 200 : 500).end();
    });
    for (const wait of ["4d", "4d", "4d"]) {
      await sandbox.clock.advance(wait);
      await test(id);
    }
    expect(await endpoint(id)).toMatchObject({ status: "active" });
  });

  it.each(["disabled", "revoked"])(
    "gets no more requests if it is %s while a delivery waits",
    async (status) => {
      const { delivery, setStatus, id, sandbox, requests } = await sendTestEvent(respondWith(500));
      await setStatus(id, status);
      await sandbox.clock.advance("idle");
      expect(await delivery(id)).toMatchObject({
        ...{ status: "failed", attemptCount: 1, lastResponseStatus: 500 },
        lastError: `endpoint_not_active: the endpoint is ${status}, no attempt was made`,
      });
      expect(requests).toHaveLength(1);
    },
  );
});

describe("a resend", () => {
  it("ends the schedule when it succeeds", async () => {
    const { delivery, attempts, resend, id, sandbox, requests } = await sendTestEvent(respondWith(500, 200));
    const { id: deliveryId } = await delivery(id);
    expect(await resend(deliveryId)).toMatchObject({
      status: "delivered",
      attemptCount: 2,
      nextAttemptAt: null,
    });
    expect((await sandbox.clock.advance("idle")).ran).toEqual([]);
    expect((await attempts(deliveryId)).map(({ trigger }) => trigger)).toEqual(["schedule", "resend"]);
    expect(requests).toHaveLength(2);
  });

  it("keeps the schedule when it fails", async () => {
    const { delivery, resend, id, sandbox } = await sendTestEvent(respondWith(500, 502, 503, 200));
    const before = await delivery(id);
    expect(await resend(before.id)).toMatchObject({
      ...{ status: "retrying", attemptCount: 2, lastResponseStatus: 502 },
      nextAttemptAt: before.nextAttemptAt,
    });
    await sandbox.clock.advance("next");
    // After the second attempt of the schedule comes the delay of the third one.
    expect(nextDelayOf(await delivery(id))).toBeGreaterThan(200_000);
    await sandbox.clock.advance("next");
    expect(await delivery(id)).toMatchObject({ status: "delivered", attemptCount: 4 });
  });

  it.each(["disabled", "revoked"])("is refused if the endpoint is %s", async (status) => {
    const { delivery, resend, setStatus, id, requests } = await sendTestEvent(respondWith(500));
    await setStatus(id, status);
    await expect(resend((await delivery(id)).id)).rejects.toThrow(/409 .*endpoint_not_active/);
    expect(requests).toHaveLength(1);
  });
});
