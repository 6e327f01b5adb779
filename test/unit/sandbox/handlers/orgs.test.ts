import { describe, expect, it } from "vitest";
import { sandboxForTest } from "../../../support/sandbox.ts";
import {
  call,
  type InvalidBody,
  listOtherCredentials,
  post,
  problemOf,
} from "../../../support/sandbox-requests.ts";

const PATH = "/v1/partner-organizations/north-pier";
const FACTS = {
  name: "North Pier Claims",
  contactName: "Ida Voss",
  contactEmail: "ida@northpier.example",
  countryCode: "US",
};

const put = (...[sandbox, path, body, init]: Parameters<typeof post>) =>
  post(sandbox, path, body, { method: "PUT", ...init });

describe("PUT /v1/partner-organizations/{partnerOrgId}", () => {
  it("creates or replaces the organization of the path", async () => {
    const sandbox = await sandboxForTest();
    const made = await put(sandbox, PATH, FACTS);
    expect(made.status).toBe(200);
    const at = "2026-11-20T00:00:00.000Z";
    const record = { id: "north-pier", environment: "sandbox", ...FACTS, onboardedAt: at, updatedAt: at };
    expect(made.body).toEqual(record);
    await sandbox.clock.advance("1h");
    const changes = { name: "North Pier, Inc.", updatedAt: "2026-11-20T01:00:00.000Z" };
    await put(sandbox, PATH, { ...FACTS, name: changes.name });
    expect((await call(sandbox, PATH)).body).toEqual({ ...record, ...changes });
  });

  it("is idempotent under its key, for the same organization only", async () => {
    const sandbox = await sandboxForTest();
    const headers = { "idempotency-key": "one" };
    const first = await put(sandbox, PATH, FACTS, { headers });
    await sandbox.clock.advance("1h");
    expect((await put(sandbox, PATH, FACTS, { headers })).body).toEqual(first.body);
    expect(problemOf(await put(sandbox, `${PATH}-2`, FACTS, { headers })).code).toBe(
      "idempotency_key_reused",
    );
  });

  it.each<InvalidBody>([
    ["no field", {}, ["/name", "/contactName", "/contactEmail", "/countryCode"]],
    ["a name that is no text", { ...FACTS, name: 7 }, ["/name"]],
    ["a blank name", { ...FACTS, name: " " }, ["/name"]],
    ["a name too long", { ...FACTS, name: "x".repeat(201) }, ["/name"]],
    ["a contact that is no text", { ...FACTS, contactName: null }, ["/contactName"]],
    ["a blank contact", { ...FACTS, contactName: " " }, ["/contactName"]],
    ["a contact too long", { ...FACTS, contactName: "x".repeat(201) }, ["/contactName"]],
    ["a contact of two lines", { ...FACTS, contactName: "Ida\nHolloway" }, ["/contactName"]],
    ["an address that is no text", { ...FACTS, contactEmail: {} }, ["/contactEmail"]],
    ["an address that is none", { ...FACTS, contactEmail: "ida" }, ["/contactEmail"]],
    ["an address too long", { ...FACTS, contactEmail: `${"x".repeat(250)}@a.example` }, ["/contactEmail"]],
    ["a country that is no text", { ...FACTS, countryCode: 1 }, ["/countryCode"]],
    ["a country that is none", { ...FACTS, countryCode: "us" }, ["/countryCode"]],
    ["a country too long", { ...FACTS, countryCode: "USA" }, ["/countryCode"]],
    ["an unknown field", { ...FACTS, partnerOrgId: "north-pier" }, ["/partnerOrgId"]],
  ])("refuses %s and names the field", async (_, body, at) => {
    const refused = await put(await sandboxForTest(), PATH, body);
    expect(problemOf(refused)).toEqual({ status: 422, code: "validation_failed", at });
  });

  it.each(["-x", "a%20b", "%0a", "x".repeat(101)])("refuses %s as an id", async (id) => {
    const refused = await put(await sandboxForTest(), `/v1/partner-organizations/${id}`, FACTS);
    expect(problemOf(refused)).toEqual({ status: 422, code: "validation_failed", at: ["partnerOrgId"] });
  });

  it.each<InvalidBody>([
    ["no id", FACTS, ["/partnerOrgId"]],
    ["an id that is no text", { ...FACTS, partnerOrgId: 7 }, ["/partnerOrgId"]],
    ["an id that is none", { ...FACTS, partnerOrgId: "a\nb" }, ["/partnerOrgId"]],
    ["an id too long", { ...FACTS, partnerOrgId: "x".repeat(101) }, ["/partnerOrgId"]],
  ])("refuses over its alias %s", async (_, body, at) => {
    const refused = await post(await sandboxForTest(), "/broker/v1/onboard", body);
    expect(problemOf(refused)).toEqual({ status: 422, code: "validation_failed", at });
  });
});

describe("GET /v1/partner-organizations/{partnerOrgId}", () => {
  const SEEDED = "/v1/partner-organizations/juniper-row";

  it("has the seeded one only for the first partner in the sandbox", async () => {
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
    await put(sandbox, PATH, FACTS);
    await put(sandbox, PATH, { ...FACTS, name: "Another pier" }, { token });
    expect((await call(sandbox, PATH)).body.name).toBe(FACTS.name);
    expect((await call(sandbox, PATH, { token })).body.name).toBe("Another pier");
  });
});
