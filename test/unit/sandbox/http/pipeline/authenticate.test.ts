import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../../../sandbox/index.ts";
import { openSandbox, sandboxForTest } from "../../../../support/sandbox.ts";
import { call, submissionForm, submit, submitAndSettle } from "../../../../support/sandbox-requests.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const NO_JOB = "/v1/diligence/status/nothing";
const LEGACY_NO_JOB = "/api/diligence/status/nothing";

describe("credentials", () => {
  test("every route requires one, the contract included", async () => {
    for (const path of [NO_JOB, LEGACY_NO_JOB, "/v1/docs/openapi"]) {
      const answer = await call(sandbox, path, { token: null });
      expect(answer.status).toBe(401);
      expect(answer.body.code).toBe("credential_missing");
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="claims"');
    }
  });

  test("a wrong one and a missing one get different challenges (RFC 6750)", async () => {
    const answer = await call(sandbox, NO_JOB, { token: "sk_sandbox_wrong" });
    expect(answer.status).toBe(401);
    expect(answer.body.code).toBe("credential_invalid");
    expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
  });

  test("another scheme is not a bearer credential", async () => {
    const answer = await call(sandbox, NO_JOB, { token: null, headers: { authorization: "Basic YTpi" } });
    expect(answer.body.code).toBe("credential_missing");
  });

  test("X-API-Key works on compatibility paths only", async () => {
    const headers = { "x-api-key": sandbox.credentials.sandbox.apiKey };
    expect((await call(sandbox, LEGACY_NO_JOB, { token: null, headers })).status).toBe(404);
    const refused = await call(sandbox, NO_JOB, { token: null, headers });
    expect([refused.status, refused.body.code]).toEqual([401, "api_key_header_refused"]);
    expect(refused.headers.get("www-authenticate")).toContain("Bearer");
    const wrong = await call(sandbox, LEGACY_NO_JOB, { token: null, headers: { "x-api-key": "wrong" } });
    expect(wrong.body.code).toBe("credential_invalid");
  });

  const ROUTES = [NO_JOB, LEGACY_NO_JOB, "/broker/v1/portfolio/scan/nothing"];

  test.each(ROUTES)("X-API-Key beside an equal Bearer credential is ignored on %s", async (path) => {
    const { apiKey } = sandbox.credentials.sandbox;
    const answer = await call(sandbox, path, { token: apiKey, headers: { "x-api-key": apiKey } });
    expect(answer.status).toBe(404);
  });

  test.each([...ROUTES.map((path) => ["GET", path] as const), ["POST", "/v1/oauth/token"] as const])(
    "%s %s refuses two different credentials and names both headers",
    async (method, path) => {
      const { apiKey } = sandbox.credentials.sandbox;
      for (const authorization of ["Bearer another_key", "Basic YTpi"]) {
        const headers = { authorization, "x-api-key": apiKey };
        const form = method === "POST" && { body: new URLSearchParams({ grant_type: "client_credentials" }) };
        const answer = await call(sandbox, path, { method, token: null, headers, ...form });
        expect(answer.status).toBe(401);
        expect(answer.body.code ?? answer.body.error).toMatch(/^(credentials_differ|invalid_client)$/);
        const detail = String(answer.body.detail ?? answer.body.error_description);
        expect(detail).toMatch(/Authorization and X-API-Key/);
        expect(answer.headers.get("www-authenticate")).toMatch(/^(Bearer|Basic) /);
        for (const secret of [apiKey, "another_key", "YTpi"])
          expect(JSON.stringify([answer.body, [...answer.headers]])).not.toContain(secret);
      }
    },
  );

  test("the five compatibility routes take X-API-Key", async () => {
    const init = { token: null, headers: { "x-api-key": sandbox.credentials.sandbox.apiKey } };
    const path = "/api/diligence";
    const answer = await call(sandbox, `${path}/submit`, { ...init, method: "POST", body: submissionForm() });
    expect(answer.status).toBe(202);
    const id = String(answer.body.jobId);
    expect(answer.headers.get("location")).toBe(`${path}/status/${id}`);
    await sandbox.idle();
    for (const what of ["status", "report", "dataset"]) {
      expect((await call(sandbox, `${path}/${what}/${id}`, init)).status).toBe(200);
    }
    const resumed = await call(sandbox, `${path}/jobs/${id}/resume`, { ...init, method: "POST" });
    expect(resumed.body.code).toBe("job_not_resumable");
  });

  test("credentials come from the seed, on loopback only", async () => {
    const again = await sandboxForTest();
    expect(again.credentials).toEqual(sandbox.credentials);
    expect(again.controlToken).not.toBe(sandbox.controlToken);
    await using other = await startSandbox({ seed: 2 });
    expect(other.credentials.sandbox.apiKey).not.toBe(sandbox.credentials.sandbox.apiKey);
    await using exposed = await startSandbox({ host: "0.0.0.0" });
    expect(exposed.credentials.sandbox.apiKey).not.toBe(sandbox.credentials.sandbox.apiKey);
    const all = [
      sandbox.credentials.sandbox.apiKey,
      sandbox.credentials.production.apiKey,
      sandbox.credentials.otherPartner.apiKey,
    ];
    expect(new Set(all).size).toBe(3);
    expect(all[0]).toMatch(/^sk_sandbox_[0-9a-f]+$/);
    expect(all[1]).toMatch(/^sk_production_[0-9a-f]+$/);
  });
});

describe("isolation of partners and environments", () => {
  test("a job exists for its own partner and environment only", async () => {
    const id = await submitAndSettle(sandbox);
    const { otherPartner, production } = sandbox.credentials;
    for (const token of [otherPartner.apiKey, production.apiKey]) {
      for (const what of ["status", "report", "dataset"]) {
        const answer = await call(sandbox, `/v1/diligence/${what}/${id}`, { token });
        expect([answer.status, answer.body.code]).toEqual([404, "job_not_found"]);
      }
      const resumed = await call(sandbox, `/v1/diligence/jobs/${id}/resume`, { token, method: "POST" });
      expect(resumed.status).toBe(404);
    }
  });

  test("the credential decides the environment", async () => {
    const answer = await submit(sandbox, submissionForm(), { token: sandbox.credentials.production.apiKey });
    expect(answer.body.environment).toBe("production");
  });
});
