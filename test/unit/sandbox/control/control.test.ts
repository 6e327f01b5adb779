import { afterAll, expect, test } from "vitest";
import { createClaim } from "../../../support/sample-claims.ts";
import { openSandbox, sandboxForTest } from "../../../support/sandbox.ts";
import { call, callControl, post } from "../../../support/sandbox-requests.ts";

let shutdowns = 0;
const countShutdown = () => {
  shutdowns += 1;
};
const sandbox = await openSandbox({}, { onShutdownRequested: countShutdown });
afterAll(() => sandbox.close());

const callWithoutToken = (path: string) => call(sandbox, `/_sandbox${path}`, { token: null });

test("only /health and /ready of the control API work without a token", async () => {
  expect((await callWithoutToken("/health")).body).toEqual({
    ...{ status: "ok", instanceId: sandbox.instanceId, clockFrozen: true },
    clockNow: sandbox.clock.now(),
  });
  expect((await callWithoutToken("/ready")).body).toEqual({ status: "ready" });
  const unknown = await callWithoutToken("/nothing");
  expect([unknown.status, unknown.body.code]).toEqual([401, "control_token_missing"]);
});

test("the service refuses the control token as a credential", async () => {
  expect((await call(sandbox, "/v1/docs/openapi", { token: sandbox.controlToken })).status).toBe(401);
});

test("/state counts the records of every partner", async () => {
  const counted = await sandboxForTest();
  const state = async () => (await callControl(counted, "GET", "/state")).body;
  expect(await state()).toMatchObject({ clients: 2, claims: {}, offers: {}, scans: {} });
  const token = counted.credentials.otherPartner.apiKey;
  await post(counted, "/v1/clients", { name: "Another partner's" }, { token });
  await post(counted, "/v1/offers", { claimId: await createClaim(counted) });
  await post(counted, "/v1/portfolio-scans", { mode: "full" });
  expect(await state()).toMatchObject({
    ...{ jobs: { completed: 1 }, clients: 3, claims: { financed: 1 }, offers: { accepted: 1 } },
    ...{ scans: { completed: 1 }, endpoints: { active: 1 }, notifications: {} },
  });
});

test("POST /shutdown responds and calls onShutdownRequested once", async () => {
  const response = await callControl(sandbox, "POST", "/shutdown", {});
  expect([response.status, response.body]).toEqual([200, { status: "closing", saveFailure: null }]);
  expect(shutdowns).toBe(1);
  expect((await callWithoutToken("/health")).status).toBe(200);
});
