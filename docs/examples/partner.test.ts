// vitest: `npx vitest run partner.test.ts`, in threads and in forks alike.
import type { Sandbox } from "claims-toolkit/sandbox";
import { sandboxTest } from "claims-toolkit/vitest";
import { expect, vi } from "vitest";
import { CSV, fetchReport, registerEndpoint, startReceiver, submit } from "./partner.mjs";

// A sandbox for each worker, reset before each test. A failed test prints what happened.
const test = sandboxTest({ frozenAt: "2026-11-20T00:00:00Z" });
const serviceOf = ({ url, credentials }: Sandbox) => ({ baseUrl: url, apiKey: credentials.sandbox.apiKey });

test("a retry with the same idempotency key finds the job whose response was lost", async ({ sandbox }) => {
  const service = serviceOf(sandbox);
  sandbox.faults.add("ghost-commit", { match: { operation: "diligence.submit" } });
  await expect(submit(service, CSV, "k-1")).rejects.toThrow();
  const jobId = await submit(service, CSV, "k-1");
  expect((await fetchReport(service, jobId)).status).toBe(200);
  await expect(sandbox).toHaveReceived({ operation: "diligence.submit" }, { times: 2 });
});

test("advancing the clock by three days retries a delivery, and the event is handled once", async ({
  sandbox,
}) => {
  const partner = await startReceiver();
  const endpoint = await registerEndpoint(serviceOf(sandbox), partner.url);
  partner.state.secret = endpoint.signingSecret;
  partner.state.isDown = true;
  const { eventId } = await sandbox.webhooks.emit({ type: "partner.test", endpointId: endpoint.id });
  await sandbox.idle();
  expect(partner.handled).toEqual([]);
  partner.state.isDown = false;
  await sandbox.clock.advance("3d");
  expect(partner.handled).toEqual([eventId]);
  await expect(sandbox).toHaveDelivered({ endpointId: endpoint.id }, { times: 1 });
  const delivery = await sandbox.waitFor({ delivery: { endpointId: endpoint.id } });
  expect(delivery.attemptCount).toBe(2);
  await sandbox.webhooks.resend(delivery.id);
  expect(partner.handled).toEqual([eventId]);
  await partner.close();
});

test("the sandbox works while the test uses fake timers", async ({ sandbox }) => {
  const service = serviceOf(sandbox);
  vi.useFakeTimers();
  try {
    const jobId = await submit(service, CSV, "k-2");
    expect((await fetchReport(service, jobId)).body).toMatchObject({ jobId });
  } finally {
    vi.useRealTimers();
  }
});
