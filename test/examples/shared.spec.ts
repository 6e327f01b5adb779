// vitest, on the sandbox that one-sandbox.ts has started for every worker: `npx vitest run`.
import { expect, inject, test } from "vitest";
import { CSV, report, submit } from "./partner.mjs";

const baseUrl = inject("url");
const { sandbox, otherPartner } = inject("credentials");

// Other files use the same sandbox meanwhile: a test looks at what it has made itself, under a key of its own.
test("a submission that is sent twice under one key is one job", async () => {
  const service = { baseUrl, apiKey: sandbox.apiKey };
  const key = crypto.randomUUID();
  const [one, other] = [await submit(service, CSV, key), await submit(service, CSV, key)];
  expect(other).toBe(one);
});

test("another partner sees nothing of it", async () => {
  const jobId = await submit({ baseUrl, apiKey: sandbox.apiKey }, CSV, crypto.randomUUID());
  expect(await report({ baseUrl, apiKey: otherPartner.apiKey }, jobId)).toMatchObject({ status: 404 });
});
