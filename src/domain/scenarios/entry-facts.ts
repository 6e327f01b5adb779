import type { Classification } from "../diligence/classify.ts";
import windows from "../diligence/windows.json" with { type: "json" };
import { type Day, parseIsoDay } from "../entries/dates.ts";
import type { LiquidationStatus, ProtestStatus } from "../entries/rules/code-lists.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** What an entry is classified by (diligence-model §2). */
export interface EntryFacts {
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
export interface FactsOptions {
  readonly asOf: Day;
  /** Whether the next deadline, if one runs, is to be within the days that count as urgent. */
  readonly isUrgent: boolean;
  readonly random: SeededRandom;
}

const FIRST_ENTRY = parseIsoDay(windows.ieepaFirstEntryDate) ?? 0;
const LAST_ENTRY = parseIsoDay(windows.ieepaLastEntryDate) ?? 0;

/** The first date for which every classification can be made: the tariffs have ended. */
export const FIRST_AS_OF: Day = LAST_ENTRY + 1;

/** No entry is younger, so that an entry can always have been liquidated since. */
const MIN_ENTRY_AGE_DAYS = 30;

const TYPE_CODES = ["01", "01", "01", "06", "02", "11"] as const;

// Days are kept away from the edges of their classification, so that a file stays true for a day or two.
const MARGIN_DAYS = 3;
const { capeDays, reliquidationDays, protestDays, summonsDays, urgentDays } = windows;

type FactsBuilder = (setting: FactsOptions) => EntryFacts;

const FACTS_BUILDERS: Readonly<Record<Classification, FactsBuilder>> = {
  outside_ieepa_window: (setting) => ({
    ...buildUnliquidated(setting),
    entryDate: FIRST_ENTRY - setting.random.integerBetween(1, 60),
  }),
  no_ieepa_duty: (setting) => ({ ...buildUnliquidated(setting), isDutyFree: true }),
  excluded_entry_type: (setting) => ({
    ...buildUnliquidated(setting),
    typeCode:
      windows.excludedEntryTypes[setting.random.integerBelow(windows.excludedEntryTypes.length)] ?? "",
  }),
  on_drawback_claim: (setting) => ({ ...buildUnliquidated(setting), hasDrawback: true }),
  protest_pending: (setting) => ({
    ...buildLiquidated(setting, drawDaysSince(setting, 95, protestDays)),
    protestStatus: setting.random.pick(["OPEN", "SUSPENDED"]),
  }),
  protest_denied_summons_open: (setting) =>
    buildProtestDenied(setting, drawDaysSince(setting, 5, summonsDays)),
  protest_denied_final: (setting) =>
    buildProtestDenied(setting, summonsDays + setting.random.integerBetween(MARGIN_DAYS, 45)),
  reconciliation_flagged: (setting) => ({ ...buildUnliquidated(setting), isReconciled: true }),
  liquidation_suspended: (setting) => ({ ...buildUnliquidated(setting), liquidationStatus: "SUSPENDED" }),
  liquidation_extended: (setting) => ({ ...buildUnliquidated(setting), liquidationStatus: "EXTENDED" }),
  liquidation_under_review: (setting) => ({
    ...buildUnliquidated(setting),
    liquidationStatus: "UNDER_REVIEW",
  }),
  liquidation_unknown: (setting) => ({ ...buildUnliquidated(setting), liquidationStatus: null }),
  unliquidated: buildUnliquidated,
  liquidated_within_80_days: (setting) => buildLiquidated(setting, drawDaysSince(setting, 5, capeDays)),
  liquidated_81_to_90_days: (setting) =>
    buildLiquidated(
      setting,
      setting.random.integerBetween(capeDays + MARGIN_DAYS, reliquidationDays - MARGIN_DAYS),
    ),
  liquidated_within_protest_window: (setting) =>
    buildLiquidated(setting, drawDaysSince(setting, reliquidationDays + MARGIN_DAYS, protestDays)),
  finally_liquidated: (setting) =>
    buildLiquidated(setting, protestDays + setting.random.integerBetween(MARGIN_DAYS, 100)),
};

/** Circumstances in which an entry is classified so. */
export const buildEntryFacts = (classification: Classification, setting: FactsOptions): EntryFacts =>
  FACTS_BUILDERS[classification](setting);

/** Days since something from which a deadline of `limit` days runs: the deadline is near, or has a while to go. */
function drawDaysSince({ random: draw, isUrgent }: FactsOptions, least: number, limit: number): number {
  if (isUrgent) return draw.integerBetween(limit - urgentDays + MARGIN_DAYS, limit - MARGIN_DAYS);
  return draw.integerBetween(least, limit - urgentDays - MARGIN_DAYS);
}

function buildUnliquidated({ asOf, random: draw }: FactsOptions): EntryFacts {
  return {
    entryDate: draw.integerBetween(FIRST_ENTRY, Math.min(LAST_ENTRY, asOf - MIN_ENTRY_AGE_DAYS)),
    typeCode: draw.pick(TYPE_CODES),
    isDutyFree: false,
    hasDrawback: false,
    isReconciled: false,
    liquidationStatus: "NOT_LIQUIDATED",
    liquidationDate: null,
    protestStatus: null,
    decisionDate: null,
  };
}

function buildLiquidated(setting: FactsOptions, daysAgo: number): EntryFacts {
  const liquidationDate = setting.asOf - daysAgo;
  const entryDate = setting.random.integerBetween(FIRST_ENTRY, Math.min(LAST_ENTRY, liquidationDate));
  return { ...buildUnliquidated(setting), entryDate, liquidationStatus: "LIQUIDATED", liquidationDate };
}

/** A protest is decided some weeks after the liquidation. */
function buildProtestDenied(setting: FactsOptions, daysAgo: number): EntryFacts {
  const decisionDate = setting.asOf - daysAgo;
  return { ...buildLiquidated(setting, daysAgo + 60), protestStatus: "DENIED", decisionDate };
}
