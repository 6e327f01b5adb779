import type { Day } from "../entries/dates.ts";
import type { Entry } from "../entries/entry.ts";
import type { ClassificationRule } from "./classify.ts";
import windows from "./windows.json" with { type: "json" };

/** The last days for each way to a refund (diligence-model §2), null where none runs. */
export interface Deadlines {
  readonly cape: Day | null;
  readonly reliquidation: Day | null;
  readonly protest: Day | null;
  readonly summons: Day | null;
}

/** Deadlines run from liquidation; the summons one from a denial that is still open. */
export function computeDeadlines(entry: Entry, rule: ClassificationRule): Deadlines {
  const liquidated = entry.liquidationDate;
  const denied = rule.classification === "protest_denied_summons_open" ? entry.protestDecisionDate : null;
  return {
    cape: addDays(liquidated, windows.capeDays),
    reliquidation: addDays(liquidated, windows.reliquidationDays),
    protest: addDays(liquidated, windows.protestDays),
    summons: addDays(denied, windows.summonsDays),
  };
}

function addDays(day: Day | null, days: number): Day | null {
  return day === null ? null : day + days;
}

/** The deadline of the entry's own route, if it has not passed. */
export function findNextDeadline(deadlines: Deadlines, rule: ClassificationRule, asOf: Day): Day | null {
  const day = findRouteDeadline(deadlines, rule);
  return day !== null && day >= asOf ? day : null;
}

function findRouteDeadline(deadlines: Deadlines, rule: ClassificationRule): Day | null {
  switch (rule.route) {
    case "cape":
      return deadlines.cape;
    case "protest":
      return deadlines.protest;
    case "litigation":
      return deadlines.summons;
    default:
      return null;
  }
}

/** Urgent: the next deadline is at most 14 days away. */
export function isUrgent(next: Day | null, asOf: Day): boolean {
  return next !== null && next - asOf <= windows.urgentDays;
}
