import { describe, expect, test } from "vitest";
import { startSandbox } from "../../../../sandbox/index.ts";
import { sandboxForTest } from "../../../support/sandbox.ts";
import { type ApiResponse, call, submissionForm, submit } from "../../../support/sandbox-requests.ts";

const CLIENTS = "/v1/clients";

const limitOf = ({ status, headers }: ApiResponse) => ({
  status,
  remaining: headers.get("ratelimit"),
  retryAfter: headers.get("retry-after"),
});

test("responses have no rate limit headers without a rate limit", async () => {
  const sandbox = await sandboxForTest();
  const { headers } = await call(sandbox, CLIENTS);
  expect([headers.get("ratelimit"), headers.get("ratelimit-policy")]).toEqual([null, null]);
});

describe("a rate limit", () => {
  test("counts each credential in windows of the sandbox clock", async () => {
    const sandbox = await sandboxForTest({ rateLimit: "2/10s" });
    const first = await call(sandbox, CLIENTS);
    expect(first.headers.get("ratelimit-policy")).toBe('"default";q=2;w=10');
    expect(limitOf(first)).toEqual({ status: 200, remaining: '"default";r=1;t=10', retryAfter: null });
    await sandbox.clock.advance("3s");
    expect(limitOf(await call(sandbox, CLIENTS))).toEqual({
      status: 200,
      remaining: '"default";r=0;t=7',
      retryAfter: null,
    });
    await sandbox.clock.advance("500ms");
    const refused = await call(sandbox, CLIENTS);
    expect(limitOf(refused)).toEqual({ status: 429, remaining: '"default";r=0;t=7', retryAfter: "7" });
    expect(refused.body).toMatchObject({ code: "rate_limited", title: "Too many requests" });
    const { otherPartner } = sandbox.credentials;
    expect((await call(sandbox, CLIENTS, { token: otherPartner.apiKey })).status).toBe(200);
    await sandbox.clock.advance("6500ms");
    expect(limitOf(await call(sandbox, CLIENTS))).toMatchObject({
      status: 200,
      remaining: '"default";r=1;t=10',
    });
  });

  test("is reported in errors too, and a refused write has no effect", async () => {
    const sandbox = await sandboxForTest({ rateLimit: "1/1m" });
    const missing = await call(sandbox, "/v1/diligence/status/nothing");
    expect(limitOf(missing)).toMatchObject({ status: 404, remaining: '"default";r=0;t=60' });
    expect((await submit(sandbox, submissionForm())).status).toBe(429);
    const state = await call(sandbox, "/_sandbox/state", { token: sandbox.controlToken });
    expect(state.body.jobs).toEqual({});
    expect(state.headers.get("ratelimit")).toBeNull();
  });

  test("counts invalid credentials, token requests and unknown paths by address", async () => {
    const sandbox = await sandboxForTest({ rateLimit: "3/1m" });
    expect((await call(sandbox, CLIENTS, { token: "guess-1" })).status).toBe(401);
    expect((await call(sandbox, "/v1/nowhere", { token: null })).status).toBe(404);
    const token = () => call(sandbox, "/v1/oauth/token", { method: "POST", token: null });
    expect(limitOf(await token())).toMatchObject({ status: 400, remaining: '"default";r=0;t=60' });
    expect((await call(sandbox, CLIENTS, { token: "guess-2" })).status).toBe(429);
    expect((await call(sandbox, "/v1/nowhere", { token: null })).status).toBe(429);
    const refused = await token();
    expect(limitOf(refused)).toMatchObject({ status: 429, retryAfter: "60" });
    expect(refused.body).toMatchObject({ error: "invalid_request" });
    expect((await call(sandbox, CLIENTS)).status).toBe(200);
  });
});

test.each(["", "100", "100/10", "0/10s", "1/0s", "1/1500ms", "1/2d", "-1/10s", "1.5/10s", 100, null])(
  "startSandbox refuses %j as a rate limit",
  async (rateLimit) => {
    await expect(startSandbox({ rateLimit: rateLimit as string })).rejects.toMatchObject({
      kind: "usage",
      code: "option_invalid",
      hint: expect.stringMatching(/^give /),
    });
  },
);
