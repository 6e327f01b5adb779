const WHOLE_BPS = 10_000n;

/** A share of an amount, rounded down to the cent; exact, for the product may pass 2^53. */
export const shareOf = (cents: number, bps: number): number =>
  Number((BigInt(cents) * BigInt(bps)) / WHOLE_BPS);
