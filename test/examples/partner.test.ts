// vitest: `npx vitest run partner.test.ts`, in threads and in forks alike.
import { type Sandbox, startSandbox } from "claims-toolkit/sandbox";
import { afterAll, beforeAll, beforeEach, expect, onTestFailed, test, vi } from "vitest";
import { CSV, fetchReport, registerEndpoint, startReceiver, submit } from "./partner.mjs";

let sandbox: Sandbox;
const service = () => ({ baseUrl: sandbox.url, apiKey: sandbox.credentials.sandbox.apiKey });

beforeAll(async () => {
  sandbox = await startSandbox({ frozenAt: "2026-11-20T00:00:00Z" });
});
beforeEach(async () => {
  await sandbox.reset();
  // Prints the recorded requests of a failed test.
  onTestFailed(async () => console.error(await sandbox.debug()));
});
afterAll(() => sandbox.close());

test("a retry with the same idempotency key finds the job whose response was lost", async () => {
  sandbox.faults.add("ghost-commit", { match: { operation: "diligence.submit" } });
  await expect(submit(service(), CSV, "k-1")).rejects.toThrow();
  const jobId = await submit(service(), CSV, "k-1");
  expect((await fetchReport(service(), jobId)).status).toBe(200);
  expect(await sandbox.requests.list({ operation: "diligence.submit" })).toHaveLength(2);
});

test("advancing the clock by three days retries a delivery, and the event is handled once", async () => {
  const partner = await startReceiver();
  const endpoint = await registerEndpoint(service(), partner.url);
  partner.state.secret = endpoint.signingSecret;
  partner.state.isDown = true;
  const { eventId } = await sandbox.webhooks.emit({ type: "partner.test", endpointId: endpoint.id });
  await sandbox.idle();
  expect(partner.handled).toEqual([]);
  partner.state.isDown = false;
  await sandbox.clock.advance("3d");
  expect(partner.handled).toEqual([eventId]);
  const delivery = await sandbox.waitFor({ delivery: { endpointId: endpoint.id } });
  expect(delivery).toMatchObject({ status: "delivered", attemptCount: 2 });
  await sandbox.webhooks.resend(delivery.id);
  expect(partner.handled).toEqual([eventId]);
  await partner.close();
});

test("the sandbox works while the test uses fake timers", async () => {
  vi.useFakeTimers();
  try {
    const jobId = await submit(service(), CSV, "k-2");
    expect((await fetchReport(service(), jobId)).body).toMatchObject({ jobId });
  } finally {
    vi.useRealTimers();
  }
});
