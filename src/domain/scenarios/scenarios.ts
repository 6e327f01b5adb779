import { CLASSIFICATIONS, type Classification } from "../diligence/classify.ts";
import type { EntryScenario } from "../diligence/entry-scenario.ts";
import type { ReviewOutcome } from "../diligence/rf8-review.ts";
import type { JobState } from "../diligence/states.ts";
import type { Layout } from "../entries/entry.ts";
import type { RowErrorCode } from "../entries/rules/row-error-messages.ts";
import type { Cells } from "./rows.ts";

/** What distinguishes an entry from the others of its file: a script for the sandbox (product.md §5), or cells with a fault. */
export interface SpecialEntry {
  readonly script?: EntryScenario;
  readonly faultyCells?: Cells;
}

type FindSpecial = (position: number, entries: number) => SpecialEntry | null;

interface ScenarioDefinition {
  readonly description: string;
  readonly state: JobState;
  readonly failureCode: "ROW_WIDTH" | "scenario_failure" | null;
  /** The outcome of `rf8Review` for {@link SCENARIO_SELLER}; null without a report. */
  readonly review: ReviewOutcome | null;
  /** The state after a resume; null if the service refuses it. */
  readonly resumed: JobState | null;
  readonly minEntries: (layout: Layout) => number;
  /** Whether some deadlines are urgent, and some importers are affiliates. */
  readonly isVaried: boolean;
  readonly classifications: (layout: Layout) => readonly Classification[];
  readonly findSpecial: FindSpecial;
}

/** A blank liquidation status is valid in es003 only. */
const listClassifications = (layout: Layout): Classification[] =>
  CLASSIFICATIONS.filter((name) => layout === "es003" || name !== "liquidation_unknown");

const atMiddleEntry =
  (script: EntryScenario): FindSpecial =>
  (position, entries) =>
    position === Math.floor(entries / 2) ? { script } : null;

/**
 * By its code, a rule of a row that the cells break (diligence-model §1), in all rows of an entry that is not liquidated. None
 * makes a fault that stops the submission.
 */
export const ROW_FAULTS: Readonly<Partial<Record<RowErrorCode, Cells>>> = {
  AMOUNT_NEGATIVE: { entered_value: "-100.00" },
  AMOUNT_NOT_NUMERIC: { entered_value: "n/a" },
  COUNTRY_UNKNOWN: { country_of_origin_code: "ZZ" },
  DATE_FORMAT: { entry_date: "3/25/25" },
  DATE_INVALID: { entry_date: "2025-02-30" },
  ENTRY_TYPE_UNKNOWN: { entry_type_code: "99" },
  FORMULA_INJECTION: { importer_name: "=SUM(A1:A9)" },
  HTS_LENGTH: { hts_number: "95030" },
  IMPORTER_NUMBER_FORMAT: { importer_number: "4519380" },
  INDICATOR_UNKNOWN: { drawback_indicator: "?" },
  LIQUIDATION_DATE_MISSING: { liquidation_status: "LIQUIDATED", liquidation_date: "" },
  LIQUIDATION_STATUS_UNKNOWN: { liquidation_status: "LIQUIDATING" },
  PORT_CODE_FORMAT: { port_of_entry_code: "14" },
  PROTEST_STATUS_UNKNOWN: { protest_status: "WITHDRAWN" },
  REQUIRED_FIELD_MISSING: { entry_type_code: "" },
};

export const FAULTY_CELLS: readonly Cells[] = Object.values(ROW_FAULTS);

/** The review accepts up to a fifth of rejected entries. */
const RULE_STEP = 5;

const oncePerRule: FindSpecial = (position) => {
  const faultyCells = FAULTY_CELLS[(position - 2) / RULE_STEP];
  return faultyCells ? { faultyCells } : null;
};

const completedJob = (description: string, others: Partial<ScenarioDefinition> = {}): ScenarioDefinition => ({
  description,
  state: "completed",
  failureCode: null,
  review: "clear",
  resumed: null,
  minEntries: () => 1,
  isVaried: false,
  classifications: () => ["unliquidated", "liquidated_within_80_days"],
  findSpecial: () => null,
  ...others,
});

const failedJob = (
  failureCode: ScenarioDefinition["failureCode"],
  description: string,
  others: Partial<ScenarioDefinition> = {},
): ScenarioDefinition =>
  completedJob(description, { state: "failed", failureCode, review: null, resumed: "failed", ...others });

const SCENARIOS = {
  clean: completedJob("every entry is accepted with grade A; the review is clear"),
  mixed: completedJob(
    "every classification, route and grade, with urgent and later deadlines and several importers; the review is conditional",
    {
      review: "conditional",
      minEntries: (layout) => listClassifications(layout).length,
      isVaried: true,
      classifications: listClassifications,
    },
  ),
  "rejected-rows": completedJob(
    "each of some rules of a row is broken once, in at most a fifth of the entries; the job completes without them",
    {
      minEntries: () => FAULTY_CELLS.length * RULE_STEP,
      findSpecial: oncePerRule,
    },
  ),
  declined: completedJob("no entry paid IEEPA duty: the job completes, the review is declined", {
    review: "declined",
    classifications: () => ["no_ieepa_duty"],
  }),
  partial: completedJob(
    "every tenth entry is deferred (SBX-1): the job ends partial, a resume completes it",
    {
      state: "partial",
      resumed: "completed",
      minEntries: () => 10,
      findSpecial: (position) => (position % 10 === 9 ? { script: "deferred" } : null),
    },
  ),
  "fails-once": failedJob(
    "scenario_failure",
    "the first run fails at the middle entry (SBX-2), a resume completes the job",
    { resumed: "completed", findSpecial: atMiddleEntry("fails_once") },
  ),
  "fails-always": failedJob(
    "scenario_failure",
    "every run fails at the middle entry (SBX-3), also after a resume",
    { findSpecial: atMiddleEntry("fails_always") },
  ),
  slow: completedJob("the job takes 30 s longer by the sandbox's clock (SBX-4), then completes", {
    findSpecial: atMiddleEntry("slow"),
  }),
  "row-width": failedJob(
    "ROW_WIDTH",
    "the first row lacks a cell: the job fails with ROW_WIDTH, also after a resume",
  ),
};

export type ScenarioName = keyof typeof SCENARIOS;

export const SCENARIO_NAMES = Object.keys(SCENARIOS) as readonly ScenarioName[];

export const isScenarioName = (name: string): name is ScenarioName => Object.hasOwn(SCENARIOS, name);

export const getScenario = (name: ScenarioName): ScenarioDefinition => SCENARIOS[name];

/** Without the header; the limit of layout entry (diligence-model §1). */
export const MAX_ROWS = 1_000_000;

/** In es003, entries have two and three rows in turn. The last entry takes a single remaining row too. */
const ROWS_PER_PAIR = 5;

export function countEntries(rows: number, layout: Layout): number {
  if (layout === "entry") return rows;
  const left = rows % ROWS_PER_PAIR;
  return Math.floor(rows / ROWS_PER_PAIR) * 2 + (left < 2 ? 0 : left < 4 ? 1 : 2);
}

export function countRowsOfEntry(position: number, left: number, layout: Layout): number {
  if (layout === "entry") return 1;
  const usual = 2 + (position % 2);
  return left - usual < 2 ? left : usual;
}

export function getMinRows(name: ScenarioName, layout: Layout): number {
  const entries = getScenario(name).minEntries(layout);
  return layout === "entry" ? entries : Math.ceil((entries * ROWS_PER_PAIR) / 2) - 1;
}
