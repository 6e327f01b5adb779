import { describe, expect, it, onTestFinished } from "vitest";
import { seededRandom } from "../../../../../sandbox/engine/random.ts";
import { startHostedSandbox } from "../../../../../sandbox/start.ts";
import { respondWith, startReceiver } from "../../../../support/receiver.ts";
import { sandboxForTest } from "../../../../support/sandbox.ts";
import {
  call,
  entriesCsv,
  requestAccessToken,
  scriptedEntryNumber,
  submitAndSettle,
} from "../../../../support/sandbox-requests.ts";
import { createCaller } from "../../../../support/webhook-caller.ts";

it.each([
  ["the wall clock was set back", "0,1s", -36_000_000],
  ["the machine slept", "0,1h", 7_200_000],
])("a task of a running clock runs in time after %s", async (_, webhookRetries, stepMs) => {
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  const sandbox = await startHostedSandbox({ webhookRetries }, { now });
  onTestFinished(() => sandbox.close());
  const { url, requests } = await startReceiver(respondWith(500, 200));
  const { register, emit } = createCaller(sandbox);
  await register(url);
  await emit({});
  await expect
    .poll(
      async () => sandbox.clock.agenda().find(({ kind }) => kind === "webhook.attempt") && requests.length,
    )
    .toBe(1);
  aheadMs = stepMs;
  await expect.poll(() => requests.length, { timeout: 60_000 }).toBe(2);
});

describe("clock.advance", () => {
  it("runs jobs, deliveries and token expiry in due order", async () => {
    const sandbox = await sandboxForTest();
    const { url } = await startReceiver(respondWith(500, 410));
    const { register, emit } = createCaller(sandbox);
    const { id: endpointId } = await register(url);
    const token = await requestAccessToken(sandbox);
    const job = await submitAndSettle(sandbox, { file: entriesCsv([scriptedEntryNumber("4")]) });
    await emit({ endpointId });
    await sandbox.idle();
    const { ran } = await sandbox.clock.advance("2h");
    expect(ran.map(({ kind }) => kind)).toEqual(["webhook.attempt", "job.finish", "token.expire"]);
    expect(ran[1]).toMatchObject({ subject: job, dueAt: "2026-11-20T00:00:30.000Z" });
    expect(ran[2]?.dueAt).toBe("2026-11-20T01:00:00.000Z");
    const refused = await call(sandbox, "/v1/clients", { token });
    expect(refused.status).toBe(401);
    expect(refused.body.detail).toContain("expired");
  });

  it("rejects if tasks never end", async () => {
    const { Scheduler } = await import("../../../../../sandbox/engine/scheduler/scheduler.ts");
    const { ClockMover } = await import("../../../../../sandbox/engine/scheduler/clock-mover.ts");
    const { Clock } = await import("../../../../../sandbox/engine/scheduler/clock.ts");
    const { openStore } = await import("../../../../../sandbox/store/open.ts");
    const store = await openStore();
    const clock = new Clock(() => 0, "2026-11-20T00:00:00Z");
    const scheduler = new Scheduler(store, clock, (error) => {
      throw error;
    });
    const core = { store, clock, scheduler, random: seededRandom(1), onError: () => {} };
    const mover = new ClockMover(core, 500);
    scheduler.handle("echo", () => ({ dueAt: clock.now() + 1, kind: "echo" }));
    scheduler.schedule(clock.now(), "echo", "a");
    await expect(mover.advance("idle")).rejects.toMatchObject({
      code: "clock_interrupted",
      message: expect.stringContaining("echo"),
    });
    const { to } = await mover.advance("10ms");
    expect(to).toBe("2026-11-20T00:00:00.510Z");
    scheduler.stop();
    store.close();
  });
});

describe("clock.freeze", () => {
  it("stops the clock, and unfreeze continues from the same time", async () => {
    let wall = Date.parse("2026-11-20T00:00:00Z");
    await using sandbox = await startHostedSandbox({}, { now: () => wall });
    expect(sandbox.clock.frozen).toBe(false);
    wall += 5_000;
    sandbox.clock.freeze();
    wall += 60_000;
    expect(sandbox.clock.now()).toBe("2026-11-20T00:00:05.000Z");
    sandbox.clock.freeze();
    await sandbox.clock.advance("1h");
    sandbox.clock.unfreeze();
    wall += 2_000;
    expect(sandbox.clock.now()).toBe("2026-11-20T01:00:07.000Z");
    sandbox.clock.unfreeze();
    expect(sandbox.clock.now()).toBe("2026-11-20T01:00:07.000Z");
  });

  it("keeps due tasks from running until the clock runs again", async () => {
    await using sandbox = await startHostedSandbox({ jobSpeed: "real" });
    sandbox.clock.freeze();
    const id = await submitAndSettle(sandbox);
    expect((await call(sandbox, `/v1/diligence/status/${id}`)).body.state).toBe("queued");
    sandbox.clock.unfreeze();
    const job = await sandbox.waitFor({ job: { id, state: "processing" } });
    expect(job.state).toBe("processing");
  });
});

it.each([{ frozenAt: "2026-11-20T00:00:00Z" }, {}])(
  "clock.advance during continuous requests ends: %o",
  { tags: "large" },
  async (options) => {
    await using sandbox = await startHostedSandbox(options);
    let sentCount = 0;
    let hasMoved = false;
    const clients = Array.from({ length: 5 }, async () => {
      // Far more requests than one advance waits for. The clients stop once the clock has moved.
      while (!hasMoved && sentCount < 20_000) {
        sentCount += 1;
        await createCaller(sandbox).test();
      }
    });
    await expect.poll(() => sentCount).toBeGreaterThan(40);
    const { from, to } = await sandbox.clock.advance("1h");
    hasMoved = true;
    await Promise.all(clients);
    expect(Date.parse(to) - Date.parse(from)).toBeGreaterThanOrEqual(3_600_000);
    expect(sentCount).toBeLessThan(20_000);
    await sandbox.idle();
    const { length } = await sandbox.webhooks.deliveries();
    expect(length).toBeGreaterThan(0);
  },
);
