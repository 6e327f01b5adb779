import { computeShare } from "./share.ts";
import terms from "./terms.json" with { type: "json" };

/** What enrolling a claim costs, of the part of it that is litigated; integer US cents. */
export const computeLitigationFee = (litigationCents: number): number =>
  computeShare(litigationCents, terms.litigationFeeBps);
