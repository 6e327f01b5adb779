import type { Day } from "../entries/dates.ts";
import type { Entry } from "../entries/entry.ts";
import type { Classification, Route } from "./classify.ts";
import windows from "./windows.json" with { type: "json" };

/** The last day of each way to a refund (diligence-model §2); null where there is none. */
export type Deadlines = Readonly<Record<"cape" | "reliquidation" | "protest" | "summons", Day | null>>;

const DEADLINE_BY_ROUTE: Readonly<Partial<Record<Route, keyof Deadlines>>> = {
  cape: "cape",
  protest: "protest",
  litigation: "summons",
};

/** Deadlines count from the liquidation, the summons deadline from a denial that can still be contested. */
export function computeDeadlines(
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

/** The deadline of the route, unless it has passed. */
export function findNextDeadline(deadlines: Deadlines, route: Route, asOf: Day): Day | null {
  const name = DEADLINE_BY_ROUTE[route];
  const day = name === undefined ? null : deadlines[name];
  return day !== null && day >= asOf ? day : null;
}

/** True when the next deadline is at most 14 days away. */
export const isUrgent = (next: Day | null, asOf: Day): boolean =>
  next !== null && next - asOf <= windows.urgentDays;
