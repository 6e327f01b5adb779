import { describe, expect, it } from "vitest";
import { ORGANIZATION } from "../support/sample-claims.ts";
import { sandboxForTest } from "../support/sandbox.ts";
import { call, listOtherCredentials, post, problemOf, submitAndSettle } from "../support/sandbox-requests.ts";

const CLIENTS = "/v1/clients";
const COMPLETE = {
  name: "Blue Anchor Tools, Inc.",
  importerNumber: "98-7654321AB",
  contactEmail: "desk@blueanchor.example",
  reference: "BA-7",
};

it("POST /v1/clients adds a client, with all fields or only a name, and lists it first", async () => {
  const sandbox = await sandboxForTest();
  const complete = await post(sandbox, CLIENTS, COMPLETE);
  expect(complete.status).toBe(201);
  expect(complete.body).toMatchObject({ ...COMPLETE, createdAt: "2026-11-20T00:00:00.000Z" });
  const minimal = await post(sandbox, CLIENTS, { name: "Acme" });
  expect(minimal.body).toMatchObject({ importerNumber: null, contactEmail: null, reference: null });
  const { body } = await call(sandbox, CLIENTS);
  expect((body.data as object[]).slice(0, 2)).toEqual([minimal.body, complete.body]);
});

describe("GET /v1/clients", () => {
  it("lists the same seeded clients of the first partner on every start", async () => {
    const [one, other] = [await sandboxForTest(), await sandboxForTest()];
    const list = await call(one, CLIENTS);
    expect((list.body.data as { name: string }[]).map(({ name }) => name)).toEqual([
      "Harbor & Pine Trading, LLC",
      "Copper Kettle Housewares, Inc.",
    ]);
    expect((await call(other, CLIENTS)).text).toBe(list.text);
  });

  it("returns pages with a Link header and a cursor", async () => {
    const sandbox = await sandboxForTest();
    const first = await call(sandbox, `${CLIENTS}?limit=1`);
    const next = /<(.*)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    expect(next).toContain("limit=1&");
    const second = await call(sandbox, next);
    expect(second.body.nextCursor).toBeNull();
    const all = (await call(sandbox, CLIENTS)).body.data;
    expect([...(first.body.data as object[]), ...(second.body.data as object[])]).toEqual(all);
  });
});

const NORTH_PIER = "/v1/partner-organizations/north-pier";

const put = (...[sandbox, path, body, init]: Parameters<typeof post>) =>
  post(sandbox, path, body, { method: "PUT", ...init });

describe("PUT /v1/partner-organizations/{partnerOrgId}", () => {
  it("creates or replaces the organization in the path", async () => {
    const sandbox = await sandboxForTest();
    const created = await put(sandbox, NORTH_PIER, ORGANIZATION);
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
    await put(sandbox, NORTH_PIER, { ...ORGANIZATION, name: changes.name });
    expect((await call(sandbox, NORTH_PIER)).body).toEqual({ ...record, ...changes });
  });

  it("is idempotent with an Idempotency-Key, for the same organization only", async () => {
    const sandbox = await sandboxForTest();
    const headers = { "idempotency-key": "one" };
    const first = await put(sandbox, NORTH_PIER, ORGANIZATION, { headers });
    await sandbox.clock.advance("1h");
    expect((await put(sandbox, NORTH_PIER, ORGANIZATION, { headers })).body).toEqual(first.body);
    expect(problemOf(await put(sandbox, `${NORTH_PIER}-2`, ORGANIZATION, { headers })).code).toBe(
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
    await put(sandbox, NORTH_PIER, ORGANIZATION);
    await put(sandbox, NORTH_PIER, { ...ORGANIZATION, name: "Another pier" }, { token });
    expect((await call(sandbox, NORTH_PIER)).body.name).toBe(ORGANIZATION.name);
    expect((await call(sandbox, NORTH_PIER, { token })).body.name).toBe("Another pier");
  });
});

const NOTIFICATIONS = "/v1/notifications";
const NOTIFICATION = {
  recipient: "desk@harborpine.example",
  subject: "Ready",
  message: "The report is there.",
};

describe("POST /v1/notifications", () => {
  it("stores the request, with or without a job of the caller", async () => {
    const sandbox = await sandboxForTest();
    const diligenceJobId = await submitAndSettle(sandbox);
    const created = await post(sandbox, NOTIFICATIONS, { ...NOTIFICATION, diligenceJobId });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      ...NOTIFICATION,
      ...{ id: created.body.id, environment: "sandbox", diligenceJobId, status: "requested" },
      createdAt: "2026-11-20T00:00:00.000Z",
    });
    expect((await post(sandbox, NOTIFICATIONS, NOTIFICATION)).body.diligenceJobId).toBeNull();
    const state = await call(sandbox, "/_sandbox/state", { token: sandbox.controlToken });
    expect(state.body.notifications).toEqual({ requested: 2 });
  });

  it("refuses jobs of other partners and environments", async () => {
    const sandbox = await sandboxForTest();
    const diligenceJobId = await submitAndSettle(sandbox);
    for (const [who, token] of listOtherCredentials(sandbox)) {
      const refused = await post(sandbox, NOTIFICATIONS, { ...NOTIFICATION, diligenceJobId }, { token });
      expect(problemOf(refused), who).toEqual({
        ...{ status: 404, code: "job_not_found", at: ["/diligenceJobId"] },
      });
    }
  });
});
