import { describe, expect, it } from "vitest";
import { createClaim, SAMPLE } from "../support/sample-claims.ts";
import { sandboxForTest } from "../support/sandbox.ts";
import {
  call,
  entriesCsv,
  listOtherCredentials,
  post,
  problemOf,
  submitAndSettle,
} from "../support/sandbox-requests.ts";

const OFFERS = "/v1/offers";
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

/** The expected offer for the sample claim, calculated by hand. */
const OFFER = {
  advanceCents: 134_233_158,
  feeCents: 2_684_663,
  payoutCents: 131_548_495,
  byGrade: {
    A: { claimCents: SAMPLE.byGrade.A.claimCents, rateBps: 8_000, advanceCents: 65_715_033 },
    B: { claimCents: SAMPLE.byGrade.B.claimCents, rateBps: 6_500, advanceCents: 50_196_498 },
    C: { claimCents: SAMPLE.byGrade.C.claimCents, rateBps: 4_000, advanceCents: 16_951_258 },
    D: { claimCents: SAMPLE.byGrade.D.claimCents, rateBps: 1_500, advanceCents: 1_370_369 },
    X: { claimCents: 0, rateBps: 0, advanceCents: 0 },
  },
};

describe("POST /v1/offers", () => {
  it("creates an accepted offer and finances the claim", async () => {
    const sandbox = await sandboxForTest();
    const claimId = await createClaim(sandbox);
    await sandbox.clock.advance("1h");
    const created = await post(sandbox, OFFERS, { claimId });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ ...OFFER, claimId, status: "accepted", currency: "USD" });
    const { body } = await call(sandbox, `/v1/claims/status?claimId=${claimId}`);
    expect(body).toMatchObject({
      status: "financed",
      history: [
        { status: "open", at: "2026-11-20T00:00:00.000Z" },
        { status: "financed", at: "2026-11-20T01:00:00.000Z" },
      ],
    });
    expect((await call(sandbox, "/v1/claims?status=financed")).body.data).toMatchObject([{ id: claimId }]);
  });

  it("refuses a second offer for the same claim", async () => {
    const sandbox = await sandboxForTest();
    const claimId = await createClaim(sandbox);
    await post(sandbox, OFFERS, { claimId });
    const repeated = await post(sandbox, OFFERS, { claimId });
    expect(problemOf(repeated)).toEqual({ status: 409, code: "claim_not_open", at: ["/claimId"] });
    expect((await call(sandbox, OFFERS)).body.data).toHaveLength(1);
  });

  it("creates a declined offer without revenue if diligence was declined, and the claim stays open", async () => {
    const sandbox = await sandboxForTest();
    const file = entriesCsv().replace(",100.00,", ",0.00,");
    const claimId = await createClaim(sandbox, await submitAndSettle(sandbox, { file }));
    const { status, body } = await post(sandbox, OFFERS, { claimId });
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: "declined", advanceCents: 0, feeCents: 0, payoutCents: 0 });
    expect((await call(sandbox, "/v1/claims?status=open")).body.data).toMatchObject([
      { id: claimId, reviewOutcome: "declined", financedAt: null },
    ]);
    expect((await call(sandbox, DASHBOARD)).body).toMatchObject({
      offers: { ...ZEROS.offers, declined: 1 },
      revenue: ZEROS.revenue,
    });
  });

  it("refuses an unknown claim, and claims of other partners and environments", async () => {
    const sandbox = await sandboxForTest();
    const unknown = { status: 404, code: "claim_not_found", at: ["/claimId"] };
    expect(problemOf(await post(sandbox, OFFERS, { claimId: UNKNOWN_ID }))).toEqual(unknown);
    const claimId = await createClaim(sandbox);
    for (const [, token] of listOtherCredentials(sandbox))
      expect(problemOf(await post(sandbox, OFFERS, { claimId }, { token }))).toEqual(unknown);
  });
});

it("GET /v1/offers filters offers by claim and status, newest first, in pages", async () => {
  const sandbox = await sandboxForTest();
  const claims = [await createClaim(sandbox), await createClaim(sandbox)];
  const created: unknown[] = [];
  for (const claimId of claims) created.unshift((await post(sandbox, OFFERS, { claimId })).body);
  const listOffers = async (query: string) => (await call(sandbox, `${OFFERS}?${query}`)).body;
  expect(await listOffers("")).toEqual({ data: created, nextCursor: null });
  expect((await listOffers(`claimId=${claims[0]}&status=accepted`)).data).toEqual([created[1]]);
  expect((await listOffers("status=declined")).data).toEqual([]);
  const { nextCursor } = await listOffers("limit=1");
  expect((await listOffers(`limit=1&cursor=${nextCursor}`)).data).toEqual([created[1]]);
});

const ENROLL = "/v1/litigation/enroll";
const { litigationCents } = SAMPLE;
const feeCents = 2_143_349;

describe("POST /v1/litigation/enroll", () => {
  it("enrolls open and financed claims together, each once, with the total", async () => {
    const sandbox = await sandboxForTest();
    const claimIds = [await createClaim(sandbox), await createClaim(sandbox)];
    await post(sandbox, "/v1/offers", { claimId: claimIds[0] });
    await sandbox.clock.advance("1h");
    const created = await post(sandbox, ENROLL, { claimIds: [...claimIds, claimIds[0]] });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...{ status: "enrolled", currency: "USD", createdAt: "2026-11-20T01:00:00.000Z" },
      claims: claimIds.map((claimId) => ({ claimId, litigationCents, feeCents })),
      litigationCents: 2 * litigationCents,
      feeCents: 2 * feeCents,
    });
    const readHistory = async (claimId?: string) => {
      const { body } = await call(sandbox, `/v1/claims/status?claimId=${claimId}`);
      return (body.history as { status: string }[]).map(({ status }) => status);
    };
    expect(await readHistory(claimIds[0])).toEqual(["open", "financed", "in_litigation"]);
    expect(await readHistory(claimIds[1])).toEqual(["open", "in_litigation"]);
    expect(problemOf(await post(sandbox, "/v1/offers", { claimId: claimIds[1] })).code).toBe(
      "claim_not_open",
    );
  });

  it("enrolls no claim if one is in litigation or has nothing to litigate", async () => {
    const sandbox = await sandboxForTest();
    const openClaim = await createClaim(sandbox);
    const enrolled = await createClaim(sandbox);
    await post(sandbox, ENROLL, { claimIds: [enrolled] });
    expect(problemOf(await post(sandbox, ENROLL, { claimIds: [openClaim, enrolled] }))).toEqual({
      ...{ status: 409, code: "claim_in_litigation", at: ["/claimIds/1"] },
    });
    const open = await createClaim(sandbox, await submitAndSettle(sandbox, { file: entriesCsv() }));
    expect(problemOf(await post(sandbox, ENROLL, { claimIds: [openClaim, openClaim, open] }))).toEqual({
      ...{ status: 422, code: "nothing_to_litigate", at: ["/claimIds/2"] },
    });
    expect(problemOf(await post(sandbox, ENROLL, { claimIds: [openClaim, UNKNOWN_ID] })).at).toEqual([
      "/claimIds/1",
    ]);
    const { body } = await call(sandbox, `/v1/claims/status?claimId=${openClaim}`);
    expect(body.status).toBe("open");
  });

  it("refuses claims of other partners and environments", async () => {
    const sandbox = await sandboxForTest();
    const claimIds = [await createClaim(sandbox)];
    for (const [who, token] of listOtherCredentials(sandbox))
      expect(problemOf(await post(sandbox, ENROLL, { claimIds }, { token })), who).toEqual({
        ...{ status: 404, code: "claim_not_found", at: ["/claimIds/0"] },
      });
  });
});

const LEDGER = "/v1/revenue/ledger";
const DASHBOARD = "/v1/revenue/dashboard";

const none = { count: 0, estimatedClaimCents: 0 };

const ZEROS = {
  claims: { ...none, byStatus: { open: none, financed: none, in_litigation: none } },
  offers: { accepted: 0, declined: 0, advanceCents: 0, feeCents: 0, payoutCents: 0 },
  litigation: { claims: 0, litigationCents: 0, feeCents: 0 },
  revenue: { entries: 0, originationFeeCents: 0, litigationFeeCents: 0, totalCents: 0 },
};

describe("the revenue ledger and dashboard", () => {
  it("are empty without activity", async () => {
    const sandbox = await sandboxForTest();
    expect((await call(sandbox, LEDGER)).body).toEqual({ data: [], nextCursor: null });
    expect((await call(sandbox, DASHBOARD)).body).toEqual({
      ...{ environment: "sandbox", asOf: "2026-11-20T00:00:00.000Z", currency: "USD" },
      ...ZEROS,
    });
    const claimId = await createClaim(sandbox);
    await post(sandbox, "/v1/offers", { claimId });
    await post(sandbox, "/v1/litigation/enroll", { claimIds: [claimId] });
    for (const [who, token] of listOtherCredentials(sandbox)) {
      expect((await call(sandbox, DASHBOARD, { token })).body, who).toMatchObject(ZEROS);
      expect((await call(sandbox, LEDGER, { token })).body.data, who).toEqual([]);
    }
  });

  it("include the revenue of each step", async () => {
    const sandbox = await sandboxForTest();
    const readDashboard = async () => (await call(sandbox, DASHBOARD)).body;
    const { estimatedClaimCents } = SAMPLE;
    const one = { count: 1, estimatedClaimCents };
    const claimId = await createClaim(sandbox);
    expect(await readDashboard()).toMatchObject({
      ...ZEROS,
      claims: { ...one, byStatus: { ...ZEROS.claims.byStatus, open: one } },
    });
    const offer = (await post(sandbox, "/v1/offers", { claimId })).body;
    const { advanceCents, feeCents: offerFeeCents, payoutCents } = offer as Record<string, number>;
    expect(await readDashboard()).toMatchObject({
      claims: { ...one, byStatus: { ...ZEROS.claims.byStatus, financed: one } },
      offers: { accepted: 1, declined: 0, advanceCents, feeCents: offerFeeCents, payoutCents },
      revenue: { entries: 1, originationFeeCents: 2_684_663, litigationFeeCents: 0, totalCents: 2_684_663 },
    });
    const enrollment = (await post(sandbox, "/v1/litigation/enroll", { claimIds: [claimId] })).body;
    expect(await readDashboard()).toMatchObject({
      claims: { ...one, byStatus: { ...ZEROS.claims.byStatus, in_litigation: one } },
      litigation: { claims: 1, litigationCents, feeCents },
      revenue: { entries: 2, originationFeeCents: 2_684_663, litigationFeeCents: feeCents },
    });
    expect((await call(sandbox, LEDGER)).body.data).toMatchObject([
      {
        ...{ type: "litigation_fee", claimId, offerId: null, enrollmentId: enrollment.id },
        ...{ amountCents: 2_143_349, balanceCents: 4_828_012, currency: "USD" },
      },
      {
        ...{ type: "origination_fee", claimId, offerId: offer.id, enrollmentId: null },
        ...{ amountCents: 2_684_663, balanceCents: 2_684_663 },
      },
    ]);
  });
});

it("GET /v1/revenue/ledger filters entries by claim and type, in pages with a running balance", async () => {
  const sandbox = await sandboxForTest();
  const claimIds = [await createClaim(sandbox), await createClaim(sandbox)];
  await post(sandbox, "/v1/offers", { claimId: claimIds[0] });
  await post(sandbox, "/v1/litigation/enroll", { claimIds });
  type Entry = { id: string; amountCents: number; balanceCents: number };
  const listEntries = async (query: string) =>
    (await call(sandbox, `${LEDGER}?${query}`)).body as { data: Entry[]; nextCursor: string };
  const { data: all } = await listEntries("");
  expect(all).toHaveLength(3);
  let balance = 0;
  for (const { amountCents, balanceCents } of all.toReversed()) {
    balance += amountCents;
    expect(balanceCents).toBe(balance);
  }
  expect((await listEntries(`claimId=${claimIds[1]}`)).data).toHaveLength(1);
  expect((await listEntries("type=litigation_fee")).data).toEqual(all.slice(0, 2));
  const first = await listEntries("limit=2");
  const second = await listEntries(`limit=2&cursor=${first.nextCursor}`);
  expect([...first.data, ...second.data]).toEqual(all);
  expect(second.nextCursor).toBeNull();
});
