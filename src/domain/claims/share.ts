const BPS_IN_ONE = 10_000n;

/** A share of an amount, rounded down to the cent; exact, for the product may pass 2^53. */
export const computeShare = (cents: number, bps: number): number =>
  Number((BigInt(cents) * BigInt(bps)) / BPS_IN_ONE);
