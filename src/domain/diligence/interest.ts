import { type Day, parseIsoDay } from "../entries/dates.ts";
import data from "./interest-rates.json" with { type: "json" };

const BPS_IN_ONE = 10_000;

/** Interest = duty × Σ(days × bps) / this. */
const DIVISOR = data.daysAYear * BPS_IN_ONE;

const RATES = data.rates.map(({ from, bps }) => ({
  from: parseIsoDay(from) ?? Number.POSITIVE_INFINITY,
  bps,
}));

/** Σ(days × bps) from `start` to `asOf`. Days before the first rate earn nothing (diligence-model §2). */
export function computeInterestFactor(start: Day, asOf: Day): number {
  return RATES.reduce((sum, rate, index) => {
    const until = Math.min(asOf, RATES[index + 1]?.from ?? asOf);
    return sum + Math.max(0, until - Math.max(start, rate.from)) * rate.bps;
  }, 0);
}

/** Simple interest in whole cents, rounded down. BigInt keeps it exact where the product exceeds 2^53. */
export function computeInterestCents(dutyCents: number, factor: number): number {
  const product = dutyCents * factor;
  if (Number.isSafeInteger(product)) return (product - (product % DIVISOR)) / DIVISOR;
  return Number((BigInt(dutyCents) * BigInt(factor)) / BigInt(DIVISOR));
}
