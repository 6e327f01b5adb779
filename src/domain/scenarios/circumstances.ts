import type { Classification } from "../diligence/classify.ts";
import windows from "../diligence/windows.json" with { type: "json" };
import { type Day, parseIsoDay } from "../entries/dates.ts";
import type { LiquidationStatus, ProtestStatus } from "../entries/entry.ts";
import type { Draw } from "./draw.ts";

/** What an entry is classified by (diligence-model §2). */
export interface Circumstances {
  readonly entryDate: Day;
  readonly typeCode: string;
  readonly isDutyFree: boolean;
  readonly hasDrawback: boolean;
  readonly isReconciled: boolean;
  /** Null is blank, which only es003 allows. */
  readonly liquidationStatus: LiquidationStatus | null;
  readonly liquidationDate: Day | null;
  readonly protestStatus: ProtestStatus | null;
  readonly decisionDate: Day | null;
}

/** What circumstances are made for. */
export interface Setting {
  readonly asOf: Day;
  /** Whether the next deadline, if one runs, is to be within the days that count as urgent. */
  readonly isUrgent: boolean;
  readonly draw: Draw;
}

const FIRST_ENTRY = parseIsoDay(windows.ieepaFirstEntryDate) ?? 0;
const LAST_ENTRY = parseIsoDay(windows.ieepaLastEntryDate) ?? 0;

/** The first date for which every classification can be made: the tariffs have ended. */
export const FIRST_AS_OF: Day = LAST_ENTRY + 1;

/** No entry is younger, so that an entry can always have been liquidated since. */
const YOUNGEST_ENTRY = 30;

const TYPE_CODES = ["01", "01", "01", "06", "02", "11"] as const;

// Days are kept away from the edges of their classification, so that a file stays true for a day or two.
const MARGIN = 3;
const { capeDays, reliquidationDays, protestDays, summonsDays, urgentDays } = windows;

type Making = (setting: Setting) => Circumstances;

const MAKINGS: Readonly<Record<Classification, Making>> = {
  outside_ieepa_window: (setting) => ({
    ...unliquidated(setting),
    entryDate: FIRST_ENTRY - setting.draw.between(1, 60),
  }),
  no_ieepa_duty: (setting) => ({ ...unliquidated(setting), isDutyFree: true }),
  excluded_entry_type: (setting) => ({
    ...unliquidated(setting),
    typeCode: windows.excludedEntryTypes[setting.draw.below(windows.excludedEntryTypes.length)] ?? "",
  }),
  on_drawback_claim: (setting) => ({ ...unliquidated(setting), hasDrawback: true }),
  protest_pending: (setting) => ({
    ...liquidated(setting, daysBefore(setting, 95, protestDays)),
    protestStatus: setting.draw.of(["OPEN", "SUSPENDED"]),
  }),
  protest_denied_summons_open: (setting) => denied(setting, daysBefore(setting, 5, summonsDays)),
  protest_denied_final: (setting) => denied(setting, summonsDays + setting.draw.between(MARGIN, 45)),
  reconciliation_flagged: (setting) => ({ ...unliquidated(setting), isReconciled: true }),
  liquidation_suspended: (setting) => ({ ...unliquidated(setting), liquidationStatus: "SUSPENDED" }),
  liquidation_extended: (setting) => ({ ...unliquidated(setting), liquidationStatus: "EXTENDED" }),
  liquidation_under_review: (setting) => ({ ...unliquidated(setting), liquidationStatus: "UNDER_REVIEW" }),
  liquidation_unknown: (setting) => ({ ...unliquidated(setting), liquidationStatus: null }),
  unliquidated,
  liquidated_within_80_days: (setting) => liquidated(setting, daysBefore(setting, 5, capeDays)),
  liquidated_81_to_90_days: (setting) =>
    liquidated(setting, setting.draw.between(capeDays + MARGIN, reliquidationDays - MARGIN)),
  liquidated_within_protest_window: (setting) =>
    liquidated(setting, daysBefore(setting, reliquidationDays + MARGIN, protestDays)),
  finally_liquidated: (setting) => liquidated(setting, protestDays + setting.draw.between(MARGIN, 100)),
};

/** Circumstances in which an entry is classified so. */
export const circumstancesOf = (classification: Classification, setting: Setting): Circumstances =>
  MAKINGS[classification](setting);

/** Days since something from which a deadline of `limit` days runs: the deadline is near, or has a while to go. */
function daysBefore({ draw, isUrgent }: Setting, least: number, limit: number): number {
  if (isUrgent) return draw.between(limit - urgentDays + MARGIN, limit - MARGIN);
  return draw.between(least, limit - urgentDays - MARGIN);
}

function unliquidated({ asOf, draw }: Setting): Circumstances {
  return {
    entryDate: draw.between(FIRST_ENTRY, Math.min(LAST_ENTRY, asOf - YOUNGEST_ENTRY)),
    typeCode: draw.of(TYPE_CODES),
    isDutyFree: false,
    hasDrawback: false,
    isReconciled: false,
    liquidationStatus: "NOT_LIQUIDATED",
    liquidationDate: null,
    protestStatus: null,
    decisionDate: null,
  };
}

function liquidated(setting: Setting, daysAgo: number): Circumstances {
  const liquidationDate = setting.asOf - daysAgo;
  const entryDate = setting.draw.between(FIRST_ENTRY, Math.min(LAST_ENTRY, liquidationDate));
  return { ...unliquidated(setting), entryDate, liquidationStatus: "LIQUIDATED", liquidationDate };
}

/** A protest is decided some weeks after the liquidation. */
function denied(setting: Setting, daysAgo: number): Circumstances {
  const decisionDate = setting.asOf - daysAgo;
  return { ...liquidated(setting, daysAgo + 60), protestStatus: "DENIED", decisionDate };
}
