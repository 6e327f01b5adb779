import terms from "./terms.json" with { type: "json" };

const BPS_IN_ONE = 10_000n;

/** A share of an amount, rounded down to the cent. BigInt keeps it exact where the product exceeds 2^53. */
export const computeShare = (cents: number, bps: number): number =>
  Number((BigInt(cents) * BigInt(bps)) / BPS_IN_ONE);

/** The fee for enrolling a claim, from the litigated part of the claim. Integer US cents. */
export const computeLitigationFee = (litigationCents: number): number =>
  computeShare(litigationCents, terms.litigationFeeBps);
