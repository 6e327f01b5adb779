// vitest, with the sandbox that one-sandbox.ts starts for all workers: `npx vitest run`.
import { expect, inject, test } from "vitest";
import { CSV, fetchReport, submit } from "./partner.mjs";

const baseUrl = inject("url");
const { sandbox, otherPartner } = inject("credentials");

// Other files use the same sandbox at the same time, so each test uses its own key and reads only its own jobs.
test("two submissions with the same idempotency key create one job", async () => {
  const service = { baseUrl, apiKey: sandbox.apiKey };
  const key = crypto.randomUUID();
  const [one, other] = [await submit(service, CSV, key), await submit(service, CSV, key)];
  expect(other).toBe(one);
});

test("another partner cannot read the report of a job", async () => {
  const jobId = await submit({ baseUrl, apiKey: sandbox.apiKey }, CSV, crypto.randomUUID());
  expect(await fetchReport({ baseUrl, apiKey: otherPartner.apiKey }, jobId)).toMatchObject({ status: 404 });
});
