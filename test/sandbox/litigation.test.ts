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

const PATH = "/v1/litigation/enroll";
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
const { litigationCents } = SAMPLE;
const feeCents = 2_143_349;

describe("POST /v1/litigation/enroll", () => {
  it("enrolls open and financed claims together, each once, with the total", async () => {
    const sandbox = await sandboxForTest();
    const claimIds = [await createClaim(sandbox), await createClaim(sandbox)];
    await post(sandbox, "/v1/offers", { claimId: claimIds[0] });
    await sandbox.clock.advance("1h");
    const created = await post(sandbox, PATH, { claimIds: [...claimIds, claimIds[0]] });
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
    await post(sandbox, PATH, { claimIds: [enrolled] });
    expect(problemOf(await post(sandbox, PATH, { claimIds: [openClaim, enrolled] }))).toEqual({
      ...{ status: 409, code: "claim_in_litigation", at: ["/claimIds/1"] },
    });
    const open = await createClaim(sandbox, await submitAndSettle(sandbox, { file: entriesCsv() }));
    expect(problemOf(await post(sandbox, PATH, { claimIds: [openClaim, openClaim, open] }))).toEqual({
      ...{ status: 422, code: "nothing_to_litigate", at: ["/claimIds/2"] },
    });
    expect(problemOf(await post(sandbox, PATH, { claimIds: [openClaim, UNKNOWN_ID] })).at).toEqual([
      "/claimIds/1",
    ]);
    const { body } = await call(sandbox, `/v1/claims/status?claimId=${openClaim}`);
    expect(body.status).toBe("open");
  });

  it("refuses claims of other partners and environments", async () => {
    const sandbox = await sandboxForTest();
    const claimIds = [await createClaim(sandbox)];
    for (const [who, token] of listOtherCredentials(sandbox))
      expect(problemOf(await post(sandbox, PATH, { claimIds }, { token })), who).toEqual({
        ...{ status: 404, code: "claim_not_found", at: ["/claimIds/0"] },
      });
  });
});
