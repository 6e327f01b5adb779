import { describe, expect, it } from "vitest";
import { createClaim, SAMPLE } from "../support/sample-claims.ts";
import { sandboxForTest } from "../support/sandbox.ts";
import {
  call,
  entriesCsv,
  listOtherCredentials,
  post,
  submitAndSettle,
} from "../support/sandbox-requests.ts";

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
    const { estimatedClaimCents, litigationCents } = SAMPLE;
    const one = { count: 1, estimatedClaimCents };
    const claimId = await createClaim(sandbox);
    expect(await readDashboard()).toMatchObject({
      ...ZEROS,
      claims: { ...one, byStatus: { ...ZEROS.claims.byStatus, open: one } },
    });
    const offer = (await post(sandbox, "/v1/offers", { claimId })).body;
    const { advanceCents, feeCents, payoutCents } = offer as Record<string, number>;
    expect(await readDashboard()).toMatchObject({
      claims: { ...one, byStatus: { ...ZEROS.claims.byStatus, financed: one } },
      offers: { accepted: 1, declined: 0, advanceCents, feeCents, payoutCents },
      revenue: { entries: 1, originationFeeCents: 2_684_663, litigationFeeCents: 0, totalCents: 2_684_663 },
    });
    const enrollment = (await post(sandbox, "/v1/litigation/enroll", { claimIds: [claimId] })).body;
    expect(await readDashboard()).toMatchObject({
      claims: { ...one, byStatus: { ...ZEROS.claims.byStatus, in_litigation: one } },
      litigation: { claims: 1, litigationCents, feeCents: 2_143_349 },
      revenue: { entries: 2, originationFeeCents: 2_684_663, litigationFeeCents: 2_143_349 },
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

  it("count a declined offer without revenue", async () => {
    const sandbox = await sandboxForTest();
    const file = entriesCsv().replace(",100.00,", ",0.00,");
    await post(sandbox, "/v1/offers", {
      claimId: await createClaim(sandbox, await submitAndSettle(sandbox, { file })),
    });
    expect((await call(sandbox, DASHBOARD)).body).toMatchObject({
      offers: { ...ZEROS.offers, declined: 1 },
      revenue: ZEROS.revenue,
    });
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
