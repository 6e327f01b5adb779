import type { Day } from "../entries/dates.ts";
import { parseIsoDay } from "../entries/dates.ts";
import data from "./interest-rates.json" with { type: "json" };

interface Rate {
  readonly from: Day;
  readonly bps: number;
}

const BPS_IN_ONE = 10_000;

/** Interest = duty × Σ(days × bps) / this. */
const DIVISOR = data.daysAYear * BPS_IN_ONE;

const RATES: readonly Rate[] = data.rates.map((rate) => ({
  from: parseIsoDay(rate.from) ?? Number.POSITIVE_INFINITY,
  bps: rate.bps,
}));

/** Σ(days × bps) from `start` to `asOf`; days before the first rate earn nothing (diligence-model §2). */
export function computeInterestFactor(start: Day, asOf: Day): number {
  return RATES.reduce((sum, rate, index) => {
    const until = Math.min(asOf, RATES[index + 1]?.from ?? asOf);
    return sum + Math.max(0, until - Math.max(start, rate.from)) * rate.bps;
  }, 0);
}

/** Simple interest in whole cents, rounded down, exact also where the product passes 2^53. */
export function computeInterestCents(dutyCents: number, factor: number): number {
  const product = dutyCents * factor;
  if (Number.isSafeInteger(product)) return (product - (product % DIVISOR)) / DIVISOR;
  return Number((BigInt(dutyCents) * BigInt(factor)) / BigInt(DIVISOR));
}
