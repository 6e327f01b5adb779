import { afterAll, describe, expect, test } from "vitest";
import { startSandbox } from "../../../../../sandbox/index.ts";
import { openSandbox, sandboxForTest } from "../../../../support/sandbox.ts";
import { call, submissionForm } from "../../../../support/sandbox-requests.ts";

const sandbox = await openSandbox();
afterAll(() => sandbox.close());

const NO_JOB = "/v1/diligence/status/nothing";
const LEGACY_NO_JOB = "/api/diligence/status/nothing";

describe("credentials", () => {
  test("are required on every route, including the contract", async () => {
    for (const path of [NO_JOB, LEGACY_NO_JOB, "/v1/docs/openapi"]) {
      const response = await call(sandbox, path, { token: null });
      expect(response.status).toBe(401);
      expect(response.body.code).toBe("credential_missing");
      expect(response.headers.get("www-authenticate")).toBe('Bearer realm="claims"');
    }
  });

  test("that are wrong get the challenge invalid_token (RFC 6750)", async () => {
    const response = await call(sandbox, NO_JOB, { token: "sk_sandbox_wrong" });
    expect(response.status).toBe(401);
    expect(response.body.code).toBe("credential_invalid");
    expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
  });

  test("of another scheme count as missing", async () => {
    const response = await call(sandbox, NO_JOB, { token: null, headers: { authorization: "Basic YTpi" } });
    expect(response.body.code).toBe("credential_missing");
  });

  test("in X-API-Key work only on compatibility paths", async () => {
    const headers = { "x-api-key": sandbox.credentials.sandbox.apiKey };
    expect((await call(sandbox, LEGACY_NO_JOB, { token: null, headers })).status).toBe(404);
    const refused = await call(sandbox, NO_JOB, { token: null, headers });
    expect([refused.status, refused.body.code]).toEqual([401, "api_key_header_refused"]);
    expect(refused.headers.get("www-authenticate")).toContain("Bearer");
    const wrong = await call(sandbox, LEGACY_NO_JOB, { token: null, headers: { "x-api-key": "wrong" } });
    expect(wrong.body.code).toBe("credential_invalid");
  });

  const ROUTES = [NO_JOB, LEGACY_NO_JOB, "/broker/v1/portfolio/scan/nothing"];

  test.each(ROUTES)("in X-API-Key are ignored on %s if the Bearer credential is equal", async (path) => {
    const { apiKey } = sandbox.credentials.sandbox;
    const response = await call(sandbox, path, { token: apiKey, headers: { "x-api-key": apiKey } });
    expect(response.status).toBe(404);
  });

  test.each([...ROUTES.map((path) => ["GET", path] as const), ["POST", "/v1/oauth/token"] as const])(
    "that differ between two headers are refused by %s %s",
    async (method, path) => {
      const { apiKey } = sandbox.credentials.sandbox;
      for (const authorization of ["Bearer another_key", "Basic YTpi"]) {
        const headers = { authorization, "x-api-key": apiKey };
        const form = method === "POST" && { body: new URLSearchParams({ grant_type: "client_credentials" }) };
        const response = await call(sandbox, path, { method, token: null, headers, ...form });
        expect(response.status).toBe(401);
        expect(response.body.code ?? response.body.error).toMatch(/^(credentials_differ|invalid_client)$/);
        const detail = String(response.body.detail ?? response.body.error_description);
        expect(detail).toMatch(/Authorization and X-API-Key/);
        expect(response.headers.get("www-authenticate")).toMatch(/^(Bearer|Basic) /);
        for (const secret of [apiKey, "another_key", "YTpi"])
          expect(JSON.stringify([response.body, [...response.headers]])).not.toContain(secret);
      }
    },
  );

  test("in X-API-Key work on all five compatibility routes", async () => {
    const init = { token: null, headers: { "x-api-key": sandbox.credentials.sandbox.apiKey } };
    const path = "/api/diligence";
    const response = await call(sandbox, `${path}/submit`, {
      ...init,
      method: "POST",
      body: submissionForm(),
    });
    expect(response.status).toBe(202);
    const id = String(response.body.jobId);
    expect(response.headers.get("location")).toBe(`${path}/status/${id}`);
    await sandbox.idle();
    for (const resource of ["status", "report", "dataset"]) {
      expect((await call(sandbox, `${path}/${resource}/${id}`, init)).status).toBe(200);
    }
    const resumed = await call(sandbox, `${path}/jobs/${id}/resume`, { ...init, method: "POST" });
    expect(resumed.body.code).toBe("job_not_resumable");
  });

  test("depend on the seed on loopback only", async () => {
    const other = await sandboxForTest();
    expect(other.credentials).toEqual(sandbox.credentials);
    expect(other.controlToken).not.toBe(sandbox.controlToken);
    await using reseeded = await startSandbox({ seed: 2 });
    expect(reseeded.credentials.sandbox.apiKey).not.toBe(sandbox.credentials.sandbox.apiKey);
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
