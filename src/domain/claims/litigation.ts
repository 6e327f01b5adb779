import { shareOf } from "./share.ts";
import terms from "./terms.json" with { type: "json" };

/** What enrolling a claim costs, of the part of it that is litigated; integer US cents. */
export const litigationFee = (litigationCents: number): number =>
  shareOf(litigationCents, terms.litigationFeeBps);
