// node:test: `node --test partner.node.mjs`.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startSandbox } from "claims-toolkit/sandbox";
import { CSV, fetchReport, registerEndpoint, startReceiver, submit } from "./partner.mjs";

let sandbox;
const service = () => ({ baseUrl: sandbox.url, apiKey: sandbox.credentials.sandbox.apiKey });

before(async () => {
  sandbox = await startSandbox({ frozenAt: "2026-11-20T00:00:00Z" });
});
beforeEach(() => sandbox.reset());
after(() => sandbox.close());

test("a retry with the same idempotency key finds the job whose response was lost", async () => {
  sandbox.faults.add("ghost-commit", { match: { operation: "diligence.submit" } });
  await assert.rejects(submit(service(), CSV, "k-1"));
  const jobId = await submit(service(), CSV, "k-1");
  assert.equal((await fetchReport(service(), jobId)).status, 200);
  assert.equal((await sandbox.requests.list({ operation: "diligence.submit" })).length, 2);
});

test("an event is handled once after an outage", async () => {
  const partner = await startReceiver();
  const endpoint = await registerEndpoint(service(), partner.url);
  Object.assign(partner.state, { secret: endpoint.signingSecret, isDown: true });
  const { eventId } = await sandbox.webhooks.emit({ type: "partner.test", endpointId: endpoint.id });
  await sandbox.idle();
  partner.state.isDown = false;
  await sandbox.clock.advance("1h");
  assert.deepEqual(partner.handled, [eventId]);
  await partner.close();
});

test("two sandboxes share no state", async () => {
  await using(startSandbox(), async (other) => {
    assert.notEqual(other.url, sandbox.url);
    await submit(service(), CSV, "k-1");
    assert.deepEqual(await other.requests.list(), []);
  });
});

/** `await using`, for versions of Node without it. */
async function using(promise, work) {
  const resource = await promise;
  try {
    await work(resource);
  } finally {
    await resource[Symbol.asyncDispose]();
  }
}
