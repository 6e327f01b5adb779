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
  ["8518302000", "HEADPHONES", "CN", "99030125", { ieepa: 1000, base: 0, section301: 750 }],
  ["7323930045", "STEEL KITCHENWARE", "IN", "99030226", { ieepa: 2500, base: 200, section301: 0 }],
  ["9405110010", "LED LAMPS", "TW", "99030260", { ieepa: 2000, base: 390, section301: 0 }],
] as const;

const PORTS = ["1401", "2704", "2809", "3001", "4601", "5301"] as const;

/** The importers are divisions of the seller, and an affiliate in files that vary. */
const DIVISIONS = 20;
const AFFILIATE = { number: "00-7720164AA", name: "HPT Consumer Electronics, Inc." };

const createDivision = (division: number) => ({
  number: `00-${4_519_380 + division}AA`,
  name: division === 0 ? SCENARIO_SELLER : `${SCENARIO_SELLER} - Division ${division}`,
});

/** What a scenario says about one entry of its file. */
export interface EntryPlan {
  readonly classification: Classification;
  /** Whether the next deadline, if there is one, is urgent. */
  readonly isUrgent?: boolean;
  readonly isOfAffiliate?: boolean;
  /** For the sandbox (product.md §5). */
  readonly script?: EntryScenario | undefined;
}

export interface DraftContext {
  readonly asOf: Day;
  /** Below ten million. */
  readonly firstSerial: number;
  readonly random: RandomNumbers;
}

export type ScenarioEntry = ReturnType<typeof draftEntry>;

export function draftEntry(position: number, plan: EntryPlan, { asOf, firstSerial, random }: DraftContext) {
  const options = { asOf, random, isUrgent: plan.isUrgent ?? false };
  const facts: EntryFacts = { ...draftFacts(options), ...FACTS_BUILDERS[plan.classification](options) };
  const [hts, description, country, ieepaNumber, rates] = random.pick(GOODS);
  const port = random.pick(PORTS);
  const valueCents = random.integerBetween(100_000, 6_000_000);
  const applyRate = (bps: number) => Math.round((valueCents * bps) / 10_000);
  return {
    facts,
    number: numberEntry(position, firstSerial, plan.script),
    importer: plan.isOfAffiliate ? AFFILIATE : createDivision(random.integerBelow(DIVISIONS)),
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

/** No common divisor with a power of ten, so serials do not repeat, and they look like those of several ports. */
const SERIAL_STRIDE = 7_919;

/** `ZZ9-6256831-9` */
function numberEntry(position: number, firstSerial: number, script: EntryScenario | undefined): string {
  const prefix = script === undefined ? "ZZ9" : RESERVED_FILER_CODE + SCENARIO_DIGITS[script];
  const digits = 10 - prefix.length;
  const serial = String((position * SERIAL_STRIDE + firstSerial) % 10 ** digits).padStart(digits, "0");
  const number = prefix + serial;
  return `${number.slice(0, 3)}-${number.slice(3)}-${computeCheckDigit(number)}`;
}

interface FactsOptions extends Pick<DraftContext, "asOf" | "random"> {
  readonly isUrgent: boolean;
}

/** The facts that decide the classification of an entry (diligence-model §2). */
interface EntryFacts {
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

const FIRST_ENTRY = parseIsoDay(windows.ieepaFirstEntryDate) ?? 0;
const LAST_ENTRY = parseIsoDay(windows.ieepaLastEntryDate) ?? 0;

/** The first date for which every classification is possible: the tariffs have ended. */
export const FIRST_AS_OF: Day = LAST_ENTRY + 1;

/** An older entry can have been liquidated. */
const MIN_ENTRY_AGE_DAYS = 30;

// Keeps dates away from the limits of their classification, so that a file is right for some days.
const MARGIN_DAYS = 3;
const { capeDays, reliquidationDays, protestDays, summonsDays, urgentDays } = windows;

/** Those of an entry that is not liquidated. */
const draftFacts = ({ asOf, random }: FactsOptions): EntryFacts => ({
  entryDate: random.integerBetween(FIRST_ENTRY, Math.min(LAST_ENTRY, asOf - MIN_ENTRY_AGE_DAYS)),
  typeCode: random.pick(["01", "01", "01", "06", "02", "11"]),
  isDutyFree: false,
  hasDrawback: false,
  isReconciled: false,
  liquidationStatus: "NOT_LIQUIDATED",
  liquidationDate: null,
  protestStatus: null,
  decisionDate: null,
});

/** What distinguishes the entries of a classification from others. */
const FACTS_BUILDERS: Readonly<Record<Classification, (options: FactsOptions) => Partial<EntryFacts>>> = {
  outside_ieepa_window: ({ random }) => ({ entryDate: FIRST_ENTRY - random.integerBetween(1, 60) }),
  no_ieepa_duty: () => ({ isDutyFree: true }),
  excluded_entry_type: ({ random }) => ({ typeCode: random.pick(windows.excludedEntryTypes) }),
  on_drawback_claim: () => ({ hasDrawback: true }),
  protest_pending: (options) => ({
    ...describeLiquidated(options, drawDaysSince(options, 95, protestDays)),
    protestStatus: options.random.pick(["OPEN", "SUSPENDED"]),
  }),
  protest_denied_summons_open: (options) => describeDenied(options, drawDaysSince(options, 5, summonsDays)),
  protest_denied_final: (options) => describeDenied(options, drawDaysAfter(options, summonsDays, 45)),
  reconciliation_flagged: () => ({ isReconciled: true }),
  liquidation_suspended: () => ({ liquidationStatus: "SUSPENDED" }),
  liquidation_extended: () => ({ liquidationStatus: "EXTENDED" }),
  liquidation_under_review: () => ({ liquidationStatus: "UNDER_REVIEW" }),
  liquidation_unknown: () => ({ liquidationStatus: null }),
  unliquidated: () => ({}),
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

function describeLiquidated({ asOf, random }: FactsOptions, daysSinceLiquidation: number) {
  const liquidationDate = asOf - daysSinceLiquidation;
  const entryDate = random.integerBetween(FIRST_ENTRY, Math.min(LAST_ENTRY, liquidationDate));
  return { liquidationStatus: "LIQUIDATED", entryDate, liquidationDate } as const;
}

/** The protest is decided 60 days after the liquidation. */
const describeDenied = (options: FactsOptions, daysSinceDecision: number) => ({
  ...describeLiquidated(options, daysSinceDecision + 60),
  protestStatus: "DENIED" as const,
  decisionDate: options.asOf - daysSinceDecision,
});
