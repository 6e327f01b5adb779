import { describe, expect, it } from "vitest";
import { ORGANIZATION } from "../support/sample-claims.ts";
import { sandboxForTest } from "../support/sandbox.ts";
import { call, listOtherCredentials, post, problemOf } from "../support/sandbox-requests.ts";

const PATH = "/v1/partner-organizations/north-pier";

const put = (...[sandbox, path, body, init]: Parameters<typeof post>) =>
  post(sandbox, path, body, { method: "PUT", ...init });

describe("PUT /v1/partner-organizations/{partnerOrgId}", () => {
  it("creates or replaces the organization in the path", async () => {
    const sandbox = await sandboxForTest();
    const created = await put(sandbox, PATH, ORGANIZATION);
    expect(created.status).toBe(200);
    const at = "2026-11-20T00:00:00.000Z";
    const record = {
      id: "north-pier",
      environment: "sandbox",
      ...ORGANIZATION,
      onboardedAt: at,
      updatedAt: at,
    };
    expect(created.body).toEqual(record);
    await sandbox.clock.advance("1h");
    const changes = { name: "North Pier, Inc.", updatedAt: "2026-11-20T01:00:00.000Z" };
    await put(sandbox, PATH, { ...ORGANIZATION, name: changes.name });
    expect((await call(sandbox, PATH)).body).toEqual({ ...record, ...changes });
  });

  it("is idempotent with an Idempotency-Key, for the same organization only", async () => {
    const sandbox = await sandboxForTest();
    const headers = { "idempotency-key": "one" };
    const first = await put(sandbox, PATH, ORGANIZATION, { headers });
    await sandbox.clock.advance("1h");
    expect((await put(sandbox, PATH, ORGANIZATION, { headers })).body).toEqual(first.body);
    expect(problemOf(await put(sandbox, `${PATH}-2`, ORGANIZATION, { headers })).code).toBe(
      "idempotency_key_reused",
    );
  });

  it.each(["-x", "a%20b", "%0a", "x".repeat(101)])("refuses %s as an id", async (id) => {
    const refused = await put(await sandboxForTest(), `/v1/partner-organizations/${id}`, ORGANIZATION);
    expect(problemOf(refused)).toEqual({ status: 422, code: "validation_failed", at: ["partnerOrgId"] });
  });
});

describe("GET /v1/partner-organizations/{partnerOrgId}", () => {
  const SEEDED = "/v1/partner-organizations/juniper-row";

  it("returns the seeded organization only to the first partner in the sandbox", async () => {
    const sandbox = await sandboxForTest();
    expect((await call(sandbox, SEEDED)).body).toMatchObject({ name: "Juniper Row Claim Partners, LLC" });
    for (const [who, token] of listOtherCredentials(sandbox))
      expect(problemOf(await call(sandbox, SEEDED, { token })), who).toMatchObject({
        ...{ status: 404, code: "organization_not_found" },
      });
  });

  it("lets two partners use the same id", async () => {
    const sandbox = await sandboxForTest();
    const [[, token] = ["", ""]] = listOtherCredentials(sandbox);
    await put(sandbox, PATH, ORGANIZATION);
    await put(sandbox, PATH, { ...ORGANIZATION, name: "Another pier" }, { token });
    expect((await call(sandbox, PATH)).body.name).toBe(ORGANIZATION.name);
    expect((await call(sandbox, PATH, { token })).body.name).toBe("Another pier");
  });
});
