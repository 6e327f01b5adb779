import { computeLitigationFee } from "../../src/domain/claims/offer.ts";
import { formatTime } from "../engine/scheduler/clock.ts";
import { CLAIMS, type ClaimRow, ENROLLED_CLAIMS } from "../store/claims.ts";
import { addRevenue } from "../store/revenue.ts";
import { problemErrorAt } from "../wire/problem-error.ts";
import type { HandlersOf } from "./handler.ts";
import { type ReferencePlace, requireClaim } from "./require-record.ts";

export const litigation = {
  enroll({ caller, body: { claimIds } }, { store, random, clock }) {
    const rows = [...new Set(claimIds)].map((claimId) => {
      const place = { pointer: `/claimIds/${claimIds.indexOf(claimId)}` };
      const claim = requireClaim(store, caller, claimId, place);
      requireEligible(claim, place);
      return claim;
    });
    const id = random.uuid("enrollment");
    const createdAt = clock.now();
    const claims = rows.map(({ id: claimId, litigationCents }) => ({
      claimId,
      litigationCents,
      feeCents: computeLitigationFee(litigationCents),
    }));
    store.transaction(() => {
      for (const claim of claims) {
        ENROLLED_CLAIMS.insert(store, { ...caller, ...claim, enrollmentId: id, createdAt });
        addRevenue(store, caller, {
          id: random.uuid("revenue"),
          type: "litigation_fee",
          claimId: claim.claimId,
          sourceId: id,
          amountCents: claim.feeCents,
          createdAt,
        });
      }
      for (const { seq } of rows)
        CLAIMS.update(store, { seq }, { status: "in_litigation", enrolledAt: createdAt });
    });
    return {
      json: {
        id,
        status: "enrolled",
        currency: "USD",
        claims,
        litigationCents: claims.reduce((sum, claim) => sum + claim.litigationCents, 0),
        feeCents: claims.reduce((sum, claim) => sum + claim.feeCents, 0),
        createdAt: formatTime(createdAt),
      },
    };
  },
} satisfies HandlersOf<"litigation">;

function requireEligible({ id, status, litigationCents }: ClaimRow, place: ReferencePlace): void {
  if (status === "in_litigation") {
    const detail = `The claim ${id} is already in litigation.`;
    throw problemErrorAt("claim_in_litigation", { ...place, code: "in_litigation", detail });
  }
  if (litigationCents > 0) return;
  const detail = `The claim ${id} has no entries on the litigation route.`;
  throw problemErrorAt("nothing_to_litigate", { ...place, code: "nothing_to_litigate", detail });
}
