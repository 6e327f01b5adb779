// node:test: `node --test partner.node.mjs`.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startSandbox } from "claims-toolkit/sandbox";
import { CSV, receiver, register, report, submit } from "./partner.mjs";

let sandbox;
const service = () => ({ baseUrl: sandbox.url, apiKey: sandbox.credentials.sandbox.apiKey });

before(async () => {
  sandbox = await startSandbox({ frozenAt: "2026-11-20T00:00:00Z" });
});
beforeEach(() => sandbox.reset());
after(() => sandbox.close());

test("a submission whose response is lost is found by its key", async () => {
  sandbox.faults.add("ghost-commit", { match: { operation: "diligence.submit" } });
  await assert.rejects(submit(service(), CSV, "k-1"));
  const jobId = await submit(service(), CSV, "k-1");
  assert.equal((await report(service(), jobId)).status, 200);
  assert.equal((await sandbox.requests.list({ operation: "diligence.submit" })).length, 2);
});

test("an event is handled once, after an outage too", async () => {
  const partner = await receiver();
  const endpoint = await register(service(), partner.url);
  Object.assign(partner.state, { secret: endpoint.signingSecret, isDown: true });
  const { eventId } = await sandbox.webhooks.emit({ type: "partner.test", endpointId: endpoint.id });
  await sandbox.idle();
  partner.state.isDown = false;
  await sandbox.clock.advance("1h");
  assert.deepEqual(partner.handled, [eventId]);
  await partner.close();
});

test("two sandboxes side by side know nothing of each other", async () => {
  await using(startSandbox(), async (other) => {
    assert.notEqual(other.url, sandbox.url);
    await submit(service(), CSV, "k-1");
    assert.deepEqual(await other.requests.list(), []);
  });
});

/** `await using`, for a Node that does not know it yet. */
async function using(starting, work) {
  const started = await starting;
  try {
    await work(started);
  } finally {
    await started[Symbol.asyncDispose]();
  }
}
