import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../../../sandbox/index.ts";
import { GREASE_DIMENSIONS } from "../../../../../src/contract/grease.ts";
import { IS_EXHAUSTIVE } from "../../../../support/exhaustive.ts";
import { respondWith, startReceiver } from "../../../../support/receiver.ts";
import { GOLDEN_TIME, sandboxForTest } from "../../../../support/sandbox.ts";
import {
  bearer,
  call,
  callControl,
  entriesCsv,
  ordinaryEntryNumber,
  post,
  rawRequest,
  readFixture,
  readJob,
  scriptedEntryNumber,
  submissionForm,
  submit,
  submitAndSettle,
  waitUntil,
} from "../../../../support/sandbox-requests.ts";
import { createCaller } from "../../../../support/webhook-caller.ts";

const exportText = async (sandbox: Sandbox) => [...(await sandbox.snapshots.export("now"))].join("");

/** Starts a sandbox that records its unexpected errors. */
async function startRecordingErrors(options: Parameters<typeof sandboxForTest>[0] = {}) {
  const failures: unknown[] = [];
  const sandbox = await sandboxForTest({ ...options, onError: (error) => failures.push(error) });
  return { sandbox, failures };
}

const createEntries = (count: number, from = 0) =>
  entriesCsv(Array.from({ length: count }, (_, serial) => ordinaryEntryNumber(from + serial)));

describe("a reset", () => {
  it.each(["application/json", "text/csv"])(
    "ends the download of a dataset as %s, also if a new job has the same number",
    { tags: "large" },
    async (accept) => {
      const { sandbox, failures } = await startRecordingErrors();
      const job = await submitAndSettle(sandbox, { file: createEntries(60_000) });
      const request = rawRequest(sandbox, {
        ...{ method: "GET", path: `/v1/diligence/dataset/${job}` },
        headers: { ...bearer(sandbox.credentials.sandbox.apiKey), accept },
      });
      request.end();
      const [response] = (await once(request, "response")) as [IncomingMessage];
      await once(response, "readable");
      await sandbox.reset();
      // The next job gets the store number of the first one.
      await submitAndSettle(sandbox, { file: createEntries(1_000, 500_000) });
      const text: string[] = [];
      const all = (async () => {
        for await (const chunk of response.setEncoding("utf8")) text.push(chunk);
      })();
      await expect(all).rejects.toMatchObject({ code: "ECONNRESET" });
      expect(text.join("")).not.toContain(ordinaryEntryNumber(500_001));
      expect(failures).toEqual([]);
    },
  );

  it("during an upload lets the upload become a job of the new state", async () => {
    const { sandbox, failures } = await startRecordingErrors();
    await submitAndSettle(sandbox);
    const form = new Response(submissionForm());
    const bytes = Buffer.from(await form.arrayBuffer());
    const request = rawRequest(sandbox, {
      ...{ method: "POST", path: "/v1/diligence/submit" },
      headers: {
        ...bearer(sandbox.credentials.sandbox.apiKey),
        "content-type": form.headers.get("content-type") ?? "",
        "content-length": String(bytes.length),
      },
    });
    request.write(bytes.subarray(0, 300));
    await setTimeout(20);
    await sandbox.reset();
    request.end(bytes.subarray(300));
    const [response] = (await once(request, "response")) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(202);
    await sandbox.idle();
    expect((await callControl(sandbox, "GET", "/state")).body).toMatchObject({ jobs: { completed: 1 } });
    expect(failures).toEqual([]);
  });

  it("does not end hang and wait requests", async () => {
    const { sandbox, failures } = await startRecordingErrors();
    const disconnect = new AbortController();
    sandbox.faults.add({ times: 1, then: { hang: true } });
    const hanging = call(sandbox, "/v1/clients", { signal: disconnect.signal }).catch(() => "hung");
    await waitUntil(async () => (await sandbox.requests.list()).length === 1);
    const delivery = sandbox.waitFor({ delivery: { eventType: "partner.test" } });
    const job = await submitAndSettle(sandbox);
    const ended = expect(sandbox.waitFor({ job: { id: job, state: "failed" } })).rejects.toMatchObject({
      code: "job_not_found",
    });
    await sandbox.reset();
    await ended;
    await sandbox.webhooks.emit({ type: "partner.test" });
    expect(await delivery).toMatchObject({ status: "delivered" });
    await call(sandbox, "/v1/claims");
    disconnect.abort();
    expect(await hanging).toBe("hung");
    expect((await sandbox.requests.list()).map(({ number }) => number)).toEqual([1]);
    expect(failures).toEqual([]);
  });
});

describe("a receiver during its own delivery", () => {
  it.each([
    ["reset", 200],
    ["snapshots/seeded/load", 200],
    ["snapshots/mine", 200],
    ["clock/freeze", 200],
    ["clock/unfreeze", 200],
    ["credentials/rotate", 200],
  ])("can request POST /%s", async (path, expected) => {
    const { sandbox, failures } = await startRecordingErrors({ webhookTimeoutMs: 60_000 });
    await sandbox.snapshots.save("seeded");
    const statuses: number[] = [];
    const body = path === "credentials/rotate" ? { environment: "sandbox" } : {};
    const { url } = await startReceiver(async (delivery, response, count) => {
      if (count === 1) statuses.push((await callControl(sandbox, "POST", `/${path}`, body)).status);
      await respondWith(200)(delivery, response, count);
    });
    const { register, emit } = createCaller(sandbox);
    const { id: endpointId } = await register(url);
    await emit({ endpointId });
    await waitUntil(() => statuses.length > 0);
    expect(statuses).toEqual([expected]);
    await sandbox.idle();
    await submitAndSettle(sandbox);
    expect(failures).toEqual([]);
  });

  it("waits until its attempt times out if it advances the clock", async () => {
    const { sandbox, failures } = await startRecordingErrors({ webhookTimeoutMs: 300 });
    const moves: unknown[] = [];
    const { url } = await startReceiver(async (delivery, response, count) => {
      if (count === 1)
        moves.push((await callControl(sandbox, "POST", "/clock/advance", { to: "1s" })).status);
      await respondWith(200)(delivery, response, count);
    });
    const { register, emit } = createCaller(sandbox);
    const { id: endpointId } = await register(url);
    await emit({ endpointId });
    await waitUntil(() => moves.length > 0);
    expect(moves).toEqual([200]);
    expect(await sandbox.webhooks.deliveries({ endpointId })).toMatchObject([{ status: "retrying" }]);
    await sandbox.clock.advance("1m");
    expect(await sandbox.webhooks.deliveries({ endpointId })).toMatchObject([{ status: "delivered" }]);
    expect(failures).toEqual([]);
  });
});

describe("a snapshot of another sandbox", () => {
  it("can be loaded by a sandbox with grease, and back again", async () => {
    const { sandbox, failures } = await startRecordingErrors();
    const job = await submitAndSettle(sandbox);
    await using other = await startSandbox({
      grease: GREASE_DIMENSIONS,
      snapshot: await exportText(sandbox),
    });
    await sandbox.reset();
    await sandbox.snapshots.import("back", await exportText(other));
    await sandbox.snapshots.load("back");
    expect((await readJob(sandbox, "report", job)).status).toBe(200);
    expect(failures).toEqual([]);
  });

  it("with an earlier time resets the windows of a rate limit", async () => {
    await using sandbox = await startSandbox({ frozenAt: GOLDEN_TIME, rateLimit: "1/10s" });
    await sandbox.snapshots.save("early");
    await sandbox.clock.advance("30d");
    expect((await call(sandbox, "/v1/clients")).status).toBe(200);
    expect((await call(sandbox, "/v1/clients")).status).toBe(429);
    await sandbox.snapshots.load("early");
    expect((await call(sandbox, "/v1/clients")).status).toBe(200);
    const refused = await call(sandbox, "/v1/clients");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
    sandbox.clock.unfreeze();
    sandbox.clock.freeze();
    await sandbox.clock.advance("10s");
    expect((await call(sandbox, "/v1/clients")).status).toBe(200);
  });

  it("continues the random sequences of the saved state", async () => {
    const { sandbox } = await startRecordingErrors();
    await submitAndSettle(sandbox, { file: entriesCsv([scriptedEntryNumber("4")]) });
    const before = await exportText(sandbox);
    await sandbox.snapshots.save("then");
    for (let count = 0; count < 3; count += 1) await sandbox.snapshots.load("then");
    expect((await exportText(sandbox)) === before).toBe(true);
  });
});

it("an advance over thousands of tasks does not block other requests", { tags: "large" }, async () => {
  const { sandbox, failures } = await startRecordingErrors();
  const { clientId, clientSecret } = sandbox.credentials.sandbox;
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
  }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const fetchToken = () => call(sandbox, "/v1/oauth/token", { method: "POST", token: null, body, headers });
  for (let batch = 0; batch < 15; batch += 1) await Promise.all(Array.from({ length: 100 }, fetchToken));
  await sandbox.snapshots.save("full");
  for (let count = 0; count < 2; count += 1) {
    const order: string[] = [];
    const move = sandbox.clock.advance("2026-11-20T02:00:00Z").then(({ ran }) => {
      order.push("moved");
      return ran;
    });
    const health = call(sandbox, "/_sandbox/health").then(() => order.push("health"));
    const ran = await move;
    await health;
    expect(order).toEqual(["health", "moved"]);
    expect(ran).toHaveLength(1_500);
    expect(ran.map(({ dueAt }) => dueAt)).toEqual(ran.map(({ dueAt }) => dueAt).sort());
    await sandbox.snapshots.load("full");
  }
  expect(failures).toEqual([]);
});

it("a snapshot does not wait for an advance whose receiver does not respond", async () => {
  const { sandbox } = await startRecordingErrors({
    frozenAt: "2026-11-20T00:00:00Z",
    webhookRetries: "0,1h",
  });
  const held: ServerResponse[] = [];
  const receiver = await startReceiver((_, response, count) => {
    if (count === 1) held.push(response);
    else response.end();
  });
  const endpoint = {
    label: "slow",
    url: receiver.url,
    subscribedEvents: ["partner.test"],
    environmentScope: "all",
  };
  await post(sandbox, "/v1/webhooks/endpoints", endpoint);
  await sandbox.webhooks.emit({ type: "partner.test" });
  await waitUntil(() => held.length === 1);
  const advance = sandbox.clock.advance("1d");
  await post(sandbox, "/v1/clients", { name: "Acknowledged" });
  expect(await exportText(sandbox)).toContain("Acknowledged");
  held[0]?.end();
  expect(await advance).toMatchObject({ to: "2026-11-21T00:00:00.000Z" });
});

/** Error codes of a step after a concurrent step. */
const ALLOWED_CODES = ["clock_interrupted", "snapshot_not_found", "clock_backwards"];

const STEPS = {
  reset: (sandbox) => sandbox.reset(),
  resetTo: (sandbox) => sandbox.reset("a"),
  load: (sandbox) => sandbox.snapshots.load("a"),
  save: (sandbox) => sandbox.snapshots.save("a"),
  remove: async (sandbox) => sandbox.snapshots.remove("a"),
  roundTrip: async (sandbox) => sandbox.snapshots.import("a", await exportText(sandbox)),
  advance: (sandbox) => sandbox.clock.advance("10m"),
  next: (sandbox) => sandbox.clock.advance("next"),
  freeze: async (sandbox) => sandbox.clock.freeze(),
  unfreeze: async (sandbox) => sandbox.clock.unfreeze(),
  emit: (sandbox) => sandbox.webhooks.emit({ type: "partner.test" }),
  submit: async (sandbox) => {
    const { status } = await submit(sandbox, submissionForm({ file: readFixture("scenario_partial.csv") }));
    expect(status).toBe(202);
  },
  create: async (sandbox) => {
    expect((await post(sandbox, "/v1/clients", { name: "One, Inc." })).status).toBe(201);
  },
  scan: (sandbox) => post(sandbox, "/v1/portfolio-scans", { mode: "full" }),
  fault: async (sandbox) => sandbox.faults.add({ then: { delay: "5ms" }, times: 2 }),
  debug: (sandbox) => sandbox.debug(),
  wait: (sandbox) => sandbox.waitFor({ delivery: {} }, { timeoutMs: 5 }).catch(() => undefined),
} satisfies Readonly<Record<string, (sandbox: Sandbox) => Promise<unknown>>>;

const step = fc.record({
  name: fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])),
  pause: fc.constantFrom(null, 0, 0, 1, 3),
});

it("concurrent steps in any order leave a working sandbox", async () => {
  const { sandbox, failures } = await startRecordingErrors({ webhookTimeoutMs: 2_000 });
  // The first start draws a few random numbers once, so the comparison begins after a reset.
  await sandbox.reset();
  // Each reset makes a new instance, which the hash in the last line covers.
  const withoutInstance = (text: string) => text.replace(/"instanceId":"[^"]+"|"sha256":"\w+"/g, "");
  const start = withoutInstance(await exportText(sandbox));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 25 }), async (steps) => {
      const works: Promise<unknown>[] = [];
      for (const { name, pause } of steps) {
        const work = STEPS[name](sandbox).catch((error) => {
          if (!ALLOWED_CODES.includes((error as { code: string }).code)) throw error;
        });
        work.catch(() => undefined);
        works.push(work);
        if (pause !== null) await setTimeout(pause);
      }
      await Promise.all(works);
      sandbox.clock.freeze();
      await sandbox.clock.advance("1d");
      const { body } = await call(sandbox, "/v1/webhook-deliveries");
      for (const { status } of body.data as { status: string }[])
        expect(["delivered", "failed"]).toContain(status);
      const jobs = (await callControl(sandbox, "GET", "/state")).body.jobs as Record<string, number>;
      expect(Object.keys(jobs).filter((state) => state === "queued" || state === "processing")).toEqual([]);
      await sandbox.reset();
      expect(withoutInstance(await exportText(sandbox)) === start).toBe(true);
      expect(failures).toEqual([]);
    }),
    { numRuns: IS_EXHAUSTIVE ? 200 : 20 },
  );
});
