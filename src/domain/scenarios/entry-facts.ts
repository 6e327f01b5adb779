import type { Classification } from "../diligence/classify.ts";
import windows from "../diligence/windows.json" with { type: "json" };
import { type Day, parseIsoDay } from "../entries/dates.ts";
import type { LiquidationStatus, ProtestStatus } from "../entries/rules/code-lists.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** The facts that decide the classification of an entry (diligence-model §2). */
export interface EntryFacts {
  readonly entryDate: Day;
  readonly typeCode: string;
  readonly isDutyFree: boolean;
  readonly hasDrawback: boolean;
  readonly isReconciled: boolean;
  /** Null for a blank cell, which only es003 allows. */
  readonly liquidationStatus: LiquidationStatus | null;
  readonly liquidationDate: Day | null;
  readonly protestStatus: ProtestStatus | null;
  readonly decisionDate: Day | null;
}

export interface FactsOptions {
  readonly asOf: Day;
  /** Whether the next deadline, if there is one, is urgent. */
  readonly isUrgent: boolean;
  readonly random: SeededRandom;
}

const FIRST_ENTRY = parseIsoDay(windows.ieepaFirstEntryDate) ?? 0;
const LAST_ENTRY = parseIsoDay(windows.ieepaLastEntryDate) ?? 0;

/** The first date for which every classification is possible: the tariffs have ended. */
export const FIRST_AS_OF: Day = LAST_ENTRY + 1;

/** An older entry can have been liquidated. */
const MIN_ENTRY_AGE_DAYS = 30;

const TYPE_CODES = ["01", "01", "01", "06", "02", "11"] as const;

// Keeps dates away from the limits of their classification, so that a file is right for some days.
const MARGIN_DAYS = 3;
const { capeDays, reliquidationDays, protestDays, summonsDays, urgentDays } = windows;

type FactsBuilder = (options: FactsOptions) => EntryFacts;

const unliquidatedEntry =
  (facts: Partial<EntryFacts> = {}): FactsBuilder =>
  (options) => ({ ...buildUnliquidated(options), ...facts });

const liquidatedEntry =
  (drawDaysAgo: (options: FactsOptions) => number): FactsBuilder =>
  (options) =>
    buildLiquidated(options, drawDaysAgo(options));

/** The protest is decided 60 days after the liquidation. */
const deniedProtest =
  (drawDaysAgo: (options: FactsOptions) => number): FactsBuilder =>
  (options) => {
    const daysAgo = drawDaysAgo(options);
    const decisionDate = options.asOf - daysAgo;
    return { ...buildLiquidated(options, daysAgo + 60), protestStatus: "DENIED", decisionDate };
  };

export const FACTS_BUILDERS: Readonly<Record<Classification, FactsBuilder>> = {
  outside_ieepa_window: (options) => ({
    ...buildUnliquidated(options),
    entryDate: FIRST_ENTRY - options.random.integerBetween(1, 60),
  }),
  no_ieepa_duty: unliquidatedEntry({ isDutyFree: true }),
  excluded_entry_type: (options) => ({
    ...buildUnliquidated(options),
    typeCode: options.random.pick(windows.excludedEntryTypes),
  }),
  on_drawback_claim: unliquidatedEntry({ hasDrawback: true }),
  protest_pending: (options) => ({
    ...buildLiquidated(options, drawDaysSince(options, 95, protestDays)),
    protestStatus: options.random.pick(["OPEN", "SUSPENDED"]),
  }),
  protest_denied_summons_open: deniedProtest((options) => drawDaysSince(options, 5, summonsDays)),
  protest_denied_final: deniedProtest(({ random }) => summonsDays + random.integerBetween(MARGIN_DAYS, 45)),
  reconciliation_flagged: unliquidatedEntry({ isReconciled: true }),
  liquidation_suspended: unliquidatedEntry({ liquidationStatus: "SUSPENDED" }),
  liquidation_extended: unliquidatedEntry({ liquidationStatus: "EXTENDED" }),
  liquidation_under_review: unliquidatedEntry({ liquidationStatus: "UNDER_REVIEW" }),
  liquidation_unknown: unliquidatedEntry({ liquidationStatus: null }),
  unliquidated: unliquidatedEntry(),
  liquidated_within_80_days: liquidatedEntry((options) => drawDaysSince(options, 5, capeDays)),
  liquidated_81_to_90_days: liquidatedEntry(({ random }) =>
    random.integerBetween(capeDays + MARGIN_DAYS, reliquidationDays - MARGIN_DAYS),
  ),
  liquidated_within_protest_window: liquidatedEntry((options) =>
    drawDaysSince(options, reliquidationDays + MARGIN_DAYS, protestDays),
  ),
  finally_liquidated: liquidatedEntry(({ random }) => protestDays + random.integerBetween(MARGIN_DAYS, 100)),
};

/** Draws the days since the start of a deadline of `limit` days, so that the deadline is urgent or not. */
function drawDaysSince({ random, isUrgent }: FactsOptions, least: number, limit: number): number {
  if (isUrgent) return random.integerBetween(limit - urgentDays + MARGIN_DAYS, limit - MARGIN_DAYS);
  return random.integerBetween(least, limit - urgentDays - MARGIN_DAYS);
}

function buildUnliquidated({ asOf, random }: FactsOptions): EntryFacts {
  return {
    entryDate: random.integerBetween(FIRST_ENTRY, Math.min(LAST_ENTRY, asOf - MIN_ENTRY_AGE_DAYS)),
    typeCode: random.pick(TYPE_CODES),
    isDutyFree: false,
    hasDrawback: false,
    isReconciled: false,
    liquidationStatus: "NOT_LIQUIDATED",
    liquidationDate: null,
    protestStatus: null,
    decisionDate: null,
  };
}

/** Its entry date replaces the one of the other facts, whose draw stays: without it, every seeded file would change. */
function buildLiquidated(options: FactsOptions, daysSinceLiquidation: number): EntryFacts {
  const liquidationDate = options.asOf - daysSinceLiquidation;
  const entryDate = options.random.integerBetween(FIRST_ENTRY, Math.min(LAST_ENTRY, liquidationDate));
  return { ...buildUnliquidated(options), entryDate, liquidationStatus: "LIQUIDATED", liquidationDate };
}
