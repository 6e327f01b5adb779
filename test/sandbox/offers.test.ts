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

const PATH = "/v1/offers";
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
    const created = await post(sandbox, PATH, { claimId });
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
    await post(sandbox, PATH, { claimId });
    const repeated = await post(sandbox, PATH, { claimId });
    expect(problemOf(repeated)).toEqual({ status: 409, code: "claim_not_open", at: ["/claimId"] });
    expect((await call(sandbox, PATH)).body.data).toHaveLength(1);
  });

  it("creates a declined offer if diligence was declined, and the claim stays open", async () => {
    const sandbox = await sandboxForTest();
    const file = entriesCsv().replace(",100.00,", ",0.00,");
    const claimId = await createClaim(sandbox, await submitAndSettle(sandbox, { file }));
    const { status, body } = await post(sandbox, PATH, { claimId });
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: "declined", advanceCents: 0, feeCents: 0, payoutCents: 0 });
    expect((await call(sandbox, "/v1/claims?status=open")).body.data).toMatchObject([
      { id: claimId, reviewOutcome: "declined", financedAt: null },
    ]);
  });

  it("refuses an unknown claim, and claims of other partners and environments", async () => {
    const sandbox = await sandboxForTest();
    const unknown = { status: 404, code: "claim_not_found", at: ["/claimId"] };
    expect(problemOf(await post(sandbox, PATH, { claimId: UNKNOWN_ID }))).toEqual(unknown);
    const claimId = await createClaim(sandbox);
    for (const [, token] of listOtherCredentials(sandbox))
      expect(problemOf(await post(sandbox, PATH, { claimId }, { token }))).toEqual(unknown);
  });
});

it("GET /v1/offers filters offers by claim and status, newest first, in pages", async () => {
  const sandbox = await sandboxForTest();
  const claims = [await createClaim(sandbox), await createClaim(sandbox)];
  const created: unknown[] = [];
  for (const claimId of claims) created.unshift((await post(sandbox, PATH, { claimId })).body);
  const listOffers = async (query: string) => (await call(sandbox, `${PATH}?${query}`)).body;
  expect(await listOffers("")).toEqual({ data: created, nextCursor: null });
  expect((await listOffers(`claimId=${claims[0]}&status=accepted`)).data).toEqual([created[1]]);
  expect((await listOffers("status=declined")).data).toEqual([]);
  const { nextCursor } = await listOffers("limit=1");
  expect((await listOffers(`limit=1&cursor=${nextCursor}`)).data).toEqual([created[1]]);
});
