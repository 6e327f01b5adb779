import { afterAll, beforeAll, expect, test } from "vitest";
import { isOwnHost } from "../../../../sandbox/control/guard.ts";
import type { Sandbox } from "../../../../sandbox/index.ts";
import { startHostedSandbox } from "../../../../sandbox/start.ts";
import { createClaim } from "../../../support/sample-claims.ts";
import { openSandbox, sandboxForTest } from "../../../support/sandbox.ts";
import {
  bearer,
  call,
  callControl,
  entriesCsv,
  entryNumber,
  post,
  rawRequest,
  readResponse,
  submitAndSettle,
} from "../../../support/sandbox-requests.ts";

let sandbox: Sandbox;
let shutdowns = 0;
beforeAll(async () => {
  sandbox = await openSandbox(
    {},
    {
      onShutdownRequested: () => {
        shutdowns += 1;
      },
    },
  );
});
afterAll(() => sandbox.close());

/** Sends a request with any Host, which fetch does not allow. */
async function send(path: string, headers: Record<string, string>) {
  const request = rawRequest(sandbox, { method: "GET", path: `/_sandbox${path}`, headers });
  const { status, text } = await readResponse(request.end());
  return { status, body: JSON.parse(text) };
}

test("only /health and /ready of the control API work without a token", async () => {
  expect((await send("/health", {})).body).toEqual({ status: "ok", instanceId: sandbox.instanceId });
  expect((await send("/ready", {})).body).toEqual({ status: "ready" });
  const unknown = await send("/nothing", {});
  expect([unknown.status, unknown.body.code]).toEqual([401, "control_token_missing"]);
});

test("the service refuses the control token as a credential", async () => {
  expect((await call(sandbox, "/v1/docs/openapi", { token: sandbox.controlToken })).status).toBe(401);
});

test("the control API on loopback accepts only loopback names as Host", async () => {
  const token = bearer(sandbox.controlToken);
  for (const host of ["localhost:1", "127.0.0.1", "[::1]:9", "LOCALHOST"]) {
    expect((await send("/clock", { ...token, host })).status).toBe(200);
  }
  const rebound = ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80"];
  const ambiguous = ["evil@127.0.0.1", "localhost ,evil", "localhost, evil", "localhost:80:80", "[::1"];
  for (const host of [...rebound, ...ambiguous]) {
    const response = await send("/clock", { ...token, host });
    expect([response.status, response.body.code]).toEqual([403, "host_not_allowed"]);
    expect((await send("/health", { host })).status).toBe(403);
  }
});

test("the control API beyond loopback accepts IP addresses, localhost and the bound name as Host", async () => {
  await using exposed = await startHostedSandbox({ host: "0.0.0.0" });
  const statusFor = async (host: string) => {
    const request = rawRequest(exposed, { method: "GET", path: "/_sandbox/health", headers: { host } });
    return (await readResponse(request.end())).status;
  };
  for (const host of ["127.0.0.1:80", "192.168.1.7", "[::1]:9", "[fe80::1]", "localhost:4750", "0.0.0.0"]) {
    expect(await statusFor(host), host).toBe(200);
  }
  for (const host of ["evil.example", "1.2.3.4.evil.example", "[evil]", "1.2.3", "localhost.evil.example"]) {
    expect(await statusFor(host), host).toBe(403);
  }
  expect(isOwnHost("box.local:4750", "Box.local")).toBe(true);
  expect(isOwnHost("10.0.0.1", "box.local")).toBe(true);
  expect(isOwnHost("other.local", "box.local")).toBe(false);
  expect(isOwnHost("10.0.0.1", "127.0.0.1")).toBe(false);
});

test("HEAD of the control API responds like GET, without a body", async () => {
  const init = { method: "HEAD", token: sandbox.controlToken };
  for (const path of ["health", "ready", "state", "clock", "agenda"]) {
    const head = await call(sandbox, `/_sandbox/${path}`, init).catch((error: unknown) => error);
    expect(head, path).toMatchObject({ status: 200, text: "" });
  }
  const wrong = await call(sandbox, "/_sandbox/shutdown", { ...init, method: "HEAD" });
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
});

test("the control API names the closest path", async () => {
  const route = await send("/clok", bearer(sandbox.controlToken));
  expect([route.status, route.body.code]).toEqual([404, "control_route_not_found"]);
  expect(route.body.detail).toContain("/clock/advance");
});

test("/clock, /agenda and /state match the sandbox handle", async () => {
  expect((await callControl(sandbox, "GET", "/clock")).body).toEqual({
    now: "2026-11-20T00:00:00.000Z",
    frozen: true,
  });
  const id = await submitAndSettle(sandbox, { file: entriesCsv([entryNumber("SBX", 1, "4")]) });
  expect((await callControl(sandbox, "GET", "/agenda")).body.data).toEqual(sandbox.clock.agenda());
  expect((await callControl(sandbox, "GET", "/state")).body).toMatchObject({ jobs: { processing: 1 } });
  const advance = await callControl(sandbox, "POST", "/clock/advance", { to: "next" });
  expect(advance.body).toMatchObject({
    to: "2026-11-20T00:00:30.000Z",
    ran: [{ kind: "job.finish", subject: id }],
  });
  expect((await callControl(sandbox, "GET", "/state")).body).toMatchObject({ jobs: { completed: 1 } });
  expect((await callControl(sandbox, "POST", "/clock/advance", { to: "2026-11-21T00:00:00Z" })).status).toBe(
    200,
  );
  expect(sandbox.clock.now()).toBe("2026-11-21T00:00:00.000Z");
});

test("/state counts the records of every partner", async () => {
  const counted = await sandboxForTest();
  const state = async () =>
    (await call(counted, "/_sandbox/state", { token: counted.controlToken })).body as Record<string, unknown>;
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
  expect([response.status, response.body]).toEqual([200, { status: "closing" }]);
  expect(shutdowns).toBe(1);
  expect((await send("/health", {})).status).toBe(200);
});
