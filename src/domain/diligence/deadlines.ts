import type { Day } from "../entries/dates.ts";
import type { Entry } from "../entries/entry.ts";
import type { Verdict } from "./classify.ts";
import windows from "./windows.json" with { type: "json" };

/** The last days for each way to a refund (diligence-model §2), null where none runs. */
export interface Deadlines {
  readonly cape: Day | null;
  readonly reliquidation: Day | null;
  readonly protest: Day | null;
  readonly summons: Day | null;
}

/** Deadlines run from liquidation; the summons one from a denial that is still open. */
export function deadlinesOf(entry: Entry, verdict: Verdict): Deadlines {
  const liquidated = entry.liquidationDate;
  const denied = verdict.classification === "protest_denied_summons_open" ? entry.protestDecisionDate : null;
  return {
    cape: after(liquidated, windows.capeDays),
    reliquidation: after(liquidated, windows.reliquidationDays),
    protest: after(liquidated, windows.protestDays),
    summons: after(denied, windows.summonsDays),
  };
}

function after(day: Day | null, days: number): Day | null {
  return day === null ? null : day + days;
}

/** The deadline of the entry's own route, if it has not passed. */
export function nextDeadline(deadlines: Deadlines, verdict: Verdict, asOf: Day): Day | null {
  const day = deadlineOfRoute(deadlines, verdict);
  return day !== null && day >= asOf ? day : null;
}

function deadlineOfRoute(deadlines: Deadlines, verdict: Verdict): Day | null {
  switch (verdict.route) {
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
