import { GRADES, type Grade } from "../diligence/classify.ts";
import type { Rf8Review } from "../diligence/rf8-review.ts";
import type { ClaimAmounts } from "./amounts.ts";
import { computeShare } from "./share.ts";
import terms from "./terms.json" with { type: "json" };

export const OFFER_STATES = ["accepted", "declined"] as const;

export type OfferState = (typeof OFFER_STATES)[number];

export interface GradeAdvance {
  readonly claimCents: number;
  readonly rateBps: number;
  readonly advanceCents: number;
}

/** What a claim is financed with: advance = fee + payout. All amounts are integer US cents. */
export interface OfferTerms {
  readonly status: OfferState;
  readonly advanceCents: number;
  readonly feeCents: number;
  readonly payoutCents: number;
  readonly byGrade: Readonly<Record<Grade, GradeAdvance>>;
}

/** The offer on a claim: of each grade its advance rate, rounded down. Declined where diligence was, or where it would be nothing. */
export function computeOffer({
  byGrade,
  reviewOutcome,
}: Pick<ClaimAmounts, "byGrade"> & { readonly reviewOutcome: Rf8Review["outcome"] }): OfferTerms {
  const computeAdvance = (grade: Grade): GradeAdvance => {
    const rateBps = terms.advanceRateBps[grade];
    const { claimCents } = byGrade[grade];
    return { claimCents, rateBps, advanceCents: computeShare(claimCents, rateBps) };
  };
  const advances = Object.fromEntries(
    GRADES.map((grade) => [grade, computeAdvance(grade)]),
  ) as OfferTerms["byGrade"];
  const advanceCents = GRADES.reduce((sum, grade) => sum + advances[grade].advanceCents, 0);
  const feeCents = computeShare(advanceCents, terms.originationFeeBps);
  const status = reviewOutcome === "declined" || advanceCents === 0 ? "declined" : "accepted";
  return { status, advanceCents, feeCents, payoutCents: advanceCents - feeCents, byGrade: advances };
}
