import { expect, it } from "vitest";
import { sandboxForTest } from "../../../support/sandbox.ts";
import {
  call,
  entriesCsv,
  post,
  scriptedEntryNumber,
  submitAndSettle,
} from "../../../support/sandbox-requests.ts";
import { createCaller, respondWith, startReceiver } from "./webhooks/receiver.ts";

it("sandbox.debug() lists events and the agenda in the order of the sandbox clock", async () => {
  const sandbox = await sandboxForTest();
  const { url } = await startReceiver(respondWith(503));
  const { register, emit } = createCaller(sandbox);
  const { id: endpointId, signingSecret } = await register(url);
  const job = await submitAndSettle(sandbox, { file: entriesCsv([scriptedEntryNumber("2")]) });
  sandbox.faults.add("outage", { times: 1 });
  await call(sandbox, "/v1/clients");
  await post(sandbox, "/v1/clients", { name: "" });
  await emit({ endpointId });
  await sandbox.clock.advance("1m");
  const text = await sandbox.debug();
  const order = [
    "request 1: POST /v1/webhooks/endpoints → 201",
    "request 2: POST /v1/diligence/submit → 202",
    "request 3: GET /v1/clients → 503, fault: ",
    "request 4: POST /v1/clients → 422, ",
    `job ${job}: submitted`,
    `job ${job}: failed (`,
    "attempt 1 → http_status: ",
    "attempt 2 → http_status: ",
    "Agenda:",
    "webhook.attempt",
    "Faults, with applied and matching requests:",
  ];
  const places = order.map((words) => text.indexOf(words));
  expect(places, text).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  for (const secret of [signingSecret, sandbox.credentials.sandbox.apiKey])
    expect(text).not.toContain(secret);
});

it("sandbox.debug() works without events and without a request log", async () => {
  const sandbox = await sandboxForTest({ requestLogSize: 0 });
  expect(await sandbox.debug()).toBe(
    `Sandbox ${sandbox.url}, 2026-11-20T00:00:00.000Z by its frozen clock\n`,
  );
  await call(sandbox, "/v1/clients");
  await sandbox.webhooks.emit({ type: "partner.test" });
  expect(await sandbox.debug()).toContain("attempt 1 → 200");
});
