import { expect, it } from "vitest";
import { respondWith, startReceiver } from "../../../support/receiver.ts";
import { sandboxForTest } from "../../../support/sandbox.ts";
import {
  call,
  entriesCsv,
  post,
  scriptedEntryNumber,
  submitAndSettle,
} from "../../../support/sandbox-requests.ts";
import { createCaller } from "../../../support/webhook-caller.ts";

/** Durations, ids and ports differ between runs. */
const normalize = (text: string) =>
  text
    .replace(/\d+(\.\d)? ms/g, "N ms")
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")
    .replace(/127\.0\.0\.1:\d+/g, "HOST");

it("sandbox.debug() lists what happened in its true order, although the clock is frozen", async () => {
  const sandbox = await sandboxForTest();
  const { url } = await startReceiver(respondWith(503));
  const { register, emit } = createCaller(sandbox);
  const { id: endpointId, signingSecret } = await register(`${url}/hook`);
  await submitAndSettle(sandbox, { file: entriesCsv([scriptedEntryNumber("2")]) });
  sandbox.faults.add("outage", { times: 1 });
  await call(sandbox, "/v1/clients");
  await emit({ endpointId });
  await sandbox.idle();
  await post(sandbox, "/v1/clients", {}, { headers: { "idempotency-key": "k-1" } });
  await sandbox.clock.advance("5m");
  const text = await sandbox.debug();
  expect(normalize(text)).toMatchInlineSnapshot(`
    "Sandbox http://HOST, 2026-11-20T00:05:00.000Z by its frozen clock

    Events:
      2026-11-20T00:00:00.000Z  201  POST /v1/webhooks/endpoints  N ms  #1  partner 1, sandbox
      2026-11-20T00:00:00.000Z  202  POST /v1/diligence/submit  N ms  #2  partner 1, sandbox
      2026-11-20T00:00:00.000Z  job  ID failed  run 1  scenario_failure: The entry number on line 2 scripts this failure (filer code SBX).
      2026-11-20T00:00:00.000Z  503  GET /v1/clients  N ms  #3  fault: rule 1 (outage): 503, Retry-After 30 before the work
      2026-11-20T00:00:00.000Z  503  event partner.test to http://HOST/hook  N ms  attempt 1  next at 00:00:04
      2026-11-20T00:00:00.000Z  422  POST /v1/clients  N ms  #4  key k-1; partner 1, sandbox; name: is missing.
      2026-11-20T00:00:04.324Z  503  event partner.test to http://HOST/hook  N ms  attempt 2  next at 00:05:10

    Agenda:
      2026-11-20T00:05:10.463Z  webhook.attempt ID  partner.test to http://HOST/hook

    Faults, with applied and matching requests:
      1. 503, Retry-After 30 before the work (1 of 2)
    "
  `);
  for (const secret of [signingSecret, sandbox.credentials.sandbox.apiKey])
    expect(text).not.toContain(secret);
});

it("sandbox.debug({ last }) shows the latest events", async () => {
  const sandbox = await sandboxForTest();
  for (let count = 0; count < 5; count += 1) await call(sandbox, "/v1/clients");
  const text = await sandbox.debug({ last: 2 });
  expect(text).toContain("\nEvents, the last 2 of 5:\n");
  expect(text.match(/#\d+/g)).toEqual(["#4", "#5"]);
});
