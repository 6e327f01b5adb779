import { GRADES, type Grade } from "../diligence/classify.ts";
import type { Rf8Review } from "../diligence/rf8-review.ts";
import type { ClaimAmounts } from "./amounts.ts";
import type { OfferState } from "./states.ts";
import terms from "./terms.json" with { type: "json" };

/** The terms of an offer: advance = fee + payout. All amounts are integer US cents. */
export interface OfferTerms {
  readonly status: OfferState;
  readonly advanceCents: number;
  readonly feeCents: number;
  readonly payoutCents: number;
  readonly byGrade: Readonly<Record<Grade, GradeAdvance>>;
}

export interface GradeAdvance {
  readonly claimCents: number;
  readonly rateBps: number;
  readonly advanceCents: number;
}

/** Applies the advance rate of each grade, rounded down. The offer is declined with the review, or when it is zero. */
export function computeOffer({
  byGrade,
  reviewOutcome,
}: Pick<ClaimAmounts, "byGrade"> & { readonly reviewOutcome: Rf8Review["outcome"] }): OfferTerms {
  const advances = GRADES.map((grade) => {
    const rateBps = terms.advanceRateBps[grade];
    const { claimCents } = byGrade[grade];
    return [grade, { claimCents, rateBps, advanceCents: computeShare(claimCents, rateBps) }] as const;
  });
  const advanceCents = advances.reduce((sum, [, advance]) => sum + advance.advanceCents, 0);
  const feeCents = computeShare(advanceCents, terms.originationFeeBps);
  return {
    status: reviewOutcome === "declined" || advanceCents === 0 ? "declined" : "accepted",
    advanceCents,
    feeCents,
    payoutCents: advanceCents - feeCents,
    byGrade: Object.fromEntries(advances) as OfferTerms["byGrade"],
  };
}

const BPS_IN_ONE = 10_000n;

/** A share of an amount, rounded down to the cent. BigInt keeps it exact where the product exceeds 2^53. */
export const computeShare = (cents: number, bps: number): number =>
  Number((BigInt(cents) * BigInt(bps)) / BPS_IN_ONE);

/** The fee for enrolling a claim, from the litigated part of the claim. Integer US cents. */
export const computeLitigationFee = (litigationCents: number): number =>
  computeShare(litigationCents, terms.litigationFeeBps);
