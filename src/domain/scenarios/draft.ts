import type { Classification } from "../diligence/classify.ts";
import { type EntryScenario, RESERVED_FILER_CODE, SCENARIO_DIGITS } from "../diligence/entry-scenario.ts";
import windows from "../diligence/windows.json" with { type: "json" };
import { type Day, parseIsoDay } from "../entries/dates.ts";
import type { LiquidationStatus, ProtestStatus } from "../entries/rules/code-lists.ts";
import { computeCheckDigit } from "../entries/rules/entry-number.ts";
import type { RandomNumbers } from "../random-numbers.ts";

/** The seller in each file. The review of a submission under another name has one more condition. */
export const SCENARIO_SELLER = "Harbor & Pine Trading, LLC";

/** HTS number, description, country, IEEPA tariff, and illustrative rates in basis points of the entered value. */
const GOODS = [
  ["9503000073", "TOYS, OTHER", "CN", "99030124", { ieepa: 2000, base: 0, section301: 750 }],
  ["6110202079", "COTTON SWEATERS", "VN", "99030269", { ieepa: 2000, base: 1650, section301: 0 }],
  ["4202923131", "TRAVEL BAGS, TEXTILE", "KH", "99030226", { ieepa: 1900, base: 1760, section301: 0 }],
  ["9403608081", "WOODEN FURNITURE", "MY", "99030243", { ieepa: 1900, base: 0, section301: 0 }],
  ["8518302000", "HEADPHONES", "CN", "99030125", { ieepa: 1000, base: 0, section301: 750 }],
  ["7323930045", "STEEL KITCHENWARE", "IN", "99030226", { ieepa: 2500, base: 200, section301: 0 }],
  ["6911103750", "PORCELAIN TABLEWARE", "PT", "99030220", { ieepa: 1500, base: 600, section301: 0 }],
  ["9405110010", "LED LAMPS", "TW", "99030260", { ieepa: 2000, base: 390, section301: 0 }],
] as const;

const PORTS = ["1401", "2704", "2809", "3001", "4601", "5301"] as const;

const MIN_VALUE_CENTS = 100_000;
const VALUE_SPAN_CENTS = 6_000_000;

const AFFILIATE = { number: "00-7720164AA", name: "HPT Consumer Electronics, Inc." };

/** The importers are divisions of the seller. A larger file has more of them. */
const MAX_DIVISIONS = 2_000;
const ENTRIES_PER_DIVISION = 10;
const FIRST_IMPORTER_NUMBER = 4_519_380;

export const countDivisions = (entries: number): number =>
  Math.min(MAX_DIVISIONS, Math.ceil(entries / ENTRIES_PER_DIVISION));

export type ScenarioEntry = ReturnType<typeof draftEntry>;

export function draftEntry(
  number: string,
  facts: EntryFacts,
  { divisions, isAffiliate }: { readonly divisions: number; readonly isAffiliate: boolean },
  random: RandomNumbers,
) {
  const [hts, description, country, ieepaNumber, rates] = random.pick(GOODS);
  const port = random.pick(PORTS);
  const valueCents = MIN_VALUE_CENTS + random.integerBelow(VALUE_SPAN_CENTS);
  const applyRate = (bps: number) => Math.round((valueCents * bps) / 10_000);
  return {
    number,
    facts,
    importer: isAffiliate ? AFFILIATE : createDivision(random.integerBelow(divisions)),
    port,
    summaryDate: facts.entryDate + random.integerBelow(15),
    hts,
    description,
    country,
    ieepaNumber,
    valueCents,
    baseCents: applyRate(rates.base),
    ieepaCents: facts.isDutyFree ? 0 : applyRate(rates.ieepa),
    section301Cents: applyRate(rates.section301),
    protestNumber: facts.protestStatus === null ? "" : `${port}26${random.integerBetween(100_000, 999_999)}`,
  };
}

const createDivision = (division: number) => ({
  number: `00-${FIRST_IMPORTER_NUMBER + division}AA`,
  name: division === 0 ? SCENARIO_SELLER : `${SCENARIO_SELLER} - Division ${division}`,
});

const FILER_CODES = ["ZZ9", "9TQ", "SP7", "001", "ABC"];

/** No common divisor with a power of ten, so serials do not repeat, and they look like those of several ports. */
const SERIAL_STRIDE = 7_919;

/**
 * An entry number for each position.
 *
 * @param start below ten million
 * @param script for the sandbox (product.md §5)
 */
export function numberEntry(position: number, start: number, script: EntryScenario | null): string {
  const filer = FILER_CODES[position % FILER_CODES.length] ?? "";
  const prefix = script === null ? filer : RESERVED_FILER_CODE + SCENARIO_DIGITS[script];
  const digits = 10 - prefix.length;
  const serial = String((position * SERIAL_STRIDE + start) % 10 ** digits).padStart(digits, "0");
  return prefix + serial + computeCheckDigit(prefix + serial);
}

/** The facts that decide the classification of an entry (diligence-model §2). */
export type EntryFacts = ReturnType<typeof describeUnliquidated>;

interface FactsOptions {
  readonly asOf: Day;
  /** Whether the next deadline, if there is one, is urgent. */
  readonly isUrgent: boolean;
  readonly random: RandomNumbers;
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

export const FACTS_BUILDERS: Readonly<Record<Classification, (options: FactsOptions) => EntryFacts>> = {
  outside_ieepa_window: (options) => ({
    ...describeUnliquidated(options),
    entryDate: FIRST_ENTRY - options.random.integerBetween(1, 60),
  }),
  no_ieepa_duty: (options) => ({ ...describeUnliquidated(options), isDutyFree: true }),
  excluded_entry_type: (options) => ({
    ...describeUnliquidated(options),
    typeCode: options.random.pick(windows.excludedEntryTypes),
  }),
  on_drawback_claim: (options) => ({ ...describeUnliquidated(options), hasDrawback: true }),
  protest_pending: (options) => ({
    ...describeLiquidated(options, drawDaysSince(options, 95, protestDays)),
    protestStatus: options.random.pick(["OPEN", "SUSPENDED"]),
  }),
  protest_denied_summons_open: (options) => describeDenied(options, drawDaysSince(options, 5, summonsDays)),
  protest_denied_final: (options) => describeDenied(options, drawDaysAfter(options, summonsDays, 45)),
  reconciliation_flagged: (options) => ({ ...describeUnliquidated(options), isReconciled: true }),
  liquidation_suspended: (options) => describeUnliquidated(options, "SUSPENDED"),
  liquidation_extended: (options) => describeUnliquidated(options, "EXTENDED"),
  liquidation_under_review: (options) => describeUnliquidated(options, "UNDER_REVIEW"),
  liquidation_unknown: (options) => describeUnliquidated(options, null),
  unliquidated: (options) => describeUnliquidated(options),
  liquidated_within_80_days: (options) => describeLiquidated(options, drawDaysSince(options, 5, capeDays)),
  liquidated_81_to_90_days: (options) =>
    describeLiquidated(
      options,
      options.random.integerBetween(capeDays + MARGIN_DAYS, reliquidationDays - MARGIN_DAYS),
    ),
  liquidated_within_protest_window: (options) =>
    describeLiquidated(options, drawDaysSince(options, reliquidationDays + MARGIN_DAYS, protestDays)),
  finally_liquidated: (options) => describeLiquidated(options, drawDaysAfter(options, protestDays, 100)),
};

/** Draws the days since the start of a deadline of `limit` days, so that the deadline is urgent or not. */
function drawDaysSince({ random, isUrgent }: FactsOptions, least: number, limit: number): number {
  if (isUrgent) return random.integerBetween(limit - urgentDays + MARGIN_DAYS, limit - MARGIN_DAYS);
  return random.integerBetween(least, limit - urgentDays - MARGIN_DAYS);
}

/** The same for a deadline that has passed, at most `longest` days ago. */
const drawDaysAfter = ({ random }: FactsOptions, limit: number, longest: number): number =>
  limit + random.integerBetween(MARGIN_DAYS, longest);

/** @param status null for a blank cell, which only es003 allows */
function describeUnliquidated(
  { asOf, random }: FactsOptions,
  status: LiquidationStatus | null = "NOT_LIQUIDATED",
) {
  return {
    entryDate: random.integerBetween(FIRST_ENTRY, Math.min(LAST_ENTRY, asOf - MIN_ENTRY_AGE_DAYS)),
    typeCode: random.pick<string>(TYPE_CODES),
    isDutyFree: false,
    hasDrawback: false,
    isReconciled: false,
    liquidationStatus: status,
    liquidationDate: null as Day | null,
    protestStatus: null as ProtestStatus | null,
    decisionDate: null as Day | null,
  };
}

/** Its entry date replaces the one of the other facts, whose draw stays: without it, every seeded file would change. */
function describeLiquidated(options: FactsOptions, daysSinceLiquidation: number): EntryFacts {
  const liquidationDate = options.asOf - daysSinceLiquidation;
  const entryDate = options.random.integerBetween(FIRST_ENTRY, Math.min(LAST_ENTRY, liquidationDate));
  return { ...describeUnliquidated(options, "LIQUIDATED"), entryDate, liquidationDate };
}

/** The protest is decided 60 days after the liquidation. */
function describeDenied(options: FactsOptions, daysSinceDecision: number): EntryFacts {
  const decisionDate = options.asOf - daysSinceDecision;
  return { ...describeLiquidated(options, daysSinceDecision + 60), protestStatus: "DENIED", decisionDate };
}
