import { type Day, parseIsoDay } from "../entries/dates.ts";
import type { Entry } from "../entries/entry.ts";
import windows from "./windows.json" with { type: "json" };

export const ROUTES = ["cape", "cape_deferred", "protest", "litigation", "manual_review", "none"] as const;

export type Route = (typeof ROUTES)[number];

export const GRADES = ["A", "B", "C", "D", "X"] as const;

export type Grade = (typeof GRADES)[number];

export interface ClassificationRule {
  readonly route: Route;
  readonly grade: Grade;
}

/** The sandbox's own diligence model (illustrative), in the order of its table (diligence-model §2). */
const RULES = {
  outside_ieepa_window: { route: "none", grade: "X" },
  no_ieepa_duty: { route: "none", grade: "X" },
  excluded_entry_type: { route: "manual_review", grade: "D" },
  on_drawback_claim: { route: "manual_review", grade: "D" },
  protest_pending: { route: "protest", grade: "B" },
  protest_denied_summons_open: { route: "litigation", grade: "C" },
  protest_denied_final: { route: "litigation", grade: "D" },
  reconciliation_flagged: { route: "cape_deferred", grade: "B" },
  liquidation_suspended: { route: "cape_deferred", grade: "B" },
  liquidation_extended: { route: "cape_deferred", grade: "B" },
  liquidation_under_review: { route: "cape_deferred", grade: "B" },
  liquidation_unknown: { route: "manual_review", grade: "D" },
  unliquidated: { route: "cape", grade: "A" },
  liquidated_within_80_days: { route: "cape", grade: "A" },
  liquidated_81_to_90_days: { route: "protest", grade: "B" },
  liquidated_within_protest_window: { route: "protest", grade: "B" },
  finally_liquidated: { route: "litigation", grade: "C" },
} as const satisfies Readonly<Record<string, ClassificationRule>>;

export type Classification = keyof typeof RULES;

export const CLASSIFICATION_RULES: Readonly<Record<Classification, ClassificationRule>> = RULES;

export const CLASSIFICATIONS = Object.keys(CLASSIFICATION_RULES) as readonly Classification[];

const firstEntryDate = parseIsoDay(windows.ieepaFirstEntryDate) ?? Number.POSITIVE_INFINITY;
const lastEntryDate = parseIsoDay(windows.ieepaLastEntryDate) ?? Number.NEGATIVE_INFINITY;
const excludedEntryTypes = new Set(windows.excludedEntryTypes);

export function classify(entry: Entry, asOf: Day): Classification {
  if (entry.entryDate < firstEntryDate || entry.entryDate > lastEntryDate) return "outside_ieepa_window";
  if (entry.ieepaDutyCents === 0) return "no_ieepa_duty";
  if (excludedEntryTypes.has(entry.entryTypeCode)) return "excluded_entry_type";
  if (entry.drawback) return "on_drawback_claim";
  if (entry.protestStatus === "OPEN" || entry.protestStatus === "SUSPENDED") return "protest_pending";
  if (entry.protestStatus === "DENIED") return classifyDeniedProtest(entry.protestDecisionDate, asOf);
  if (entry.reconciliation) return "reconciliation_flagged";
  return classifyByLiquidation(entry, asOf);
}

function classifyDeniedProtest(decision: Day | null, asOf: Day): Classification {
  const isOpen = decision !== null && asOf - decision <= windows.summonsDays;
  return isOpen ? "protest_denied_summons_open" : "protest_denied_final";
}

function classifyByLiquidation(entry: Entry, asOf: Day): Classification {
  switch (entry.liquidationStatus) {
    case null:
      return "liquidation_unknown";
    case "SUSPENDED":
      return "liquidation_suspended";
    case "EXTENDED":
      return "liquidation_extended";
    case "UNDER_REVIEW":
      return "liquidation_under_review";
    case "NOT_LIQUIDATED":
      return "unliquidated";
    case "LIQUIDATED":
      return classifyByDaysSinceLiquidation(asOf - (entry.liquidationDate ?? asOf));
  }
}

function classifyByDaysSinceLiquidation(days: number): Classification {
  if (days < 0) return "unliquidated";
  if (days <= windows.capeDays) return "liquidated_within_80_days";
  if (days <= windows.reliquidationDays) return "liquidated_81_to_90_days";
  if (days <= windows.protestDays) return "liquidated_within_protest_window";
  return "finally_liquidated";
}
