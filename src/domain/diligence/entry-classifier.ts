import { type Day, parseIsoDay } from "../entries/dates.ts";
import type { Entry } from "../entries/entry.ts";
import {
  CLASSIFICATION_RULES,
  type Classification,
  type ClassificationRule,
  classify,
  type Route,
} from "./classify.ts";
import { type EntryScenario, findEntryScenario } from "./entry-scenario.ts";
import data from "./interest-rates.json" with { type: "json" };
import windows from "./windows.json" with { type: "json" };

export interface ClassifiedEntry extends ClassificationRule {
  readonly entry: Entry;
  readonly classification: Classification;
  readonly interestCents: number;
  /** Negative before a liquidation in the future, null without a date. */
  readonly daysSinceLiquidation: number | null;
  readonly deadlines: Deadlines;
  readonly nextDeadline: Day | null;
  readonly scenario: EntryScenario | null;
}

/** Applies the rules for single entries as of one day (diligence-model §2). */
export function createClassifier(asOf: Day): (entry: Entry) => ClassifiedEntry {
  // By first day of interest, because the entries of a file have few different days.
  const factors = new Map<Day, number>();
  const findFactor = (start: Day): number => {
    const known = factors.get(start);
    if (known !== undefined) return known;
    const factor = computeInterestFactor(start, asOf);
    factors.set(start, factor);
    return factor;
  };
  return (entry) => {
    const classification = classify(entry, asOf);
    const { route, grade } = CLASSIFICATION_RULES[classification];
    const deadlines = computeDeadlines(entry, classification);
    const factor = grade === "X" ? 0 : findFactor(entry.entrySummaryDate ?? entry.entryDate);
    return {
      entry,
      classification,
      route,
      grade,
      interestCents: computeInterestCents(entry.ieepaDutyCents, factor),
      daysSinceLiquidation: entry.liquidationDate === null ? null : asOf - entry.liquidationDate,
      deadlines,
      nextDeadline: findNextDeadline(deadlines, route, asOf),
      scenario: findEntryScenario(entry.entryNumber),
    };
  };
}

/** The last day of each way to a refund (diligence-model §2); null where there is none. */
export type Deadlines = Readonly<Record<"cape" | "reliquidation" | "protest" | "summons", Day | null>>;

const DEADLINE_BY_ROUTE: Readonly<Partial<Record<Route, keyof Deadlines>>> = {
  cape: "cape",
  protest: "protest",
  litigation: "summons",
};

/** Deadlines count from the liquidation, the summons deadline from a denial that can still be contested. */
function computeDeadlines(
  { liquidationDate, protestDecisionDate }: Entry,
  classification: Classification,
): Deadlines {
  const isDenied = classification === "protest_denied_summons_open";
  return {
    cape: addDays(liquidationDate, windows.capeDays),
    reliquidation: addDays(liquidationDate, windows.reliquidationDays),
    protest: addDays(liquidationDate, windows.protestDays),
    summons: isDenied ? addDays(protestDecisionDate, windows.summonsDays) : null,
  };
}

const addDays = (day: Day | null, days: number): Day | null => (day === null ? null : day + days);

function findNextDeadline(deadlines: Deadlines, route: Route, asOf: Day): Day | null {
  const name = DEADLINE_BY_ROUTE[route];
  const day = name === undefined ? null : deadlines[name];
  return day !== null && day >= asOf ? day : null;
}

export const isUrgent = (next: Day | null, asOf: Day): boolean =>
  next !== null && next - asOf <= windows.urgentDays;

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
