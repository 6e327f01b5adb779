import { CLASSIFICATIONS, type Classification } from "../diligence/classify.ts";
import type { EntryScenario } from "../diligence/entry-scenario.ts";
import type { ReviewOutcome } from "../diligence/rf8-review.ts";
import type { JobState } from "../diligence/states.ts";
import type { Layout } from "../entries/entry.ts";
import type { RowErrorCode } from "../entries/rules/row-error-messages.ts";
import type { EntryPlan } from "./draft.ts";
import type { Cells } from "./rows.ts";
import type { ScenarioName } from "./scenario-names.ts";

/** @param position from 0 @param entries of the file */
type PlanEntry = (
  position: number,
  entries: number,
  layout: Layout,
) => EntryPlan & { readonly faultyCells?: Cells | undefined };

interface ScenarioDefinition {
  readonly description: string;
  readonly state: JobState;
  readonly failureCode: "ROW_WIDTH" | "scenario_failure" | null;
  /** The outcome of `rf8Review` for `SCENARIO_SELLER`; null without a report. */
  readonly review: ReviewOutcome | null;
  /** The state after a resume; null if the service refuses it. */
  readonly resumed: JobState | null;
  readonly minEntries: number;
  readonly planEntry: PlanEntry;
}

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

const planCleanEntry = (position: number): EntryPlan => ({
  classification: position % 2 === 0 ? "unliquidated" : "liquidated_within_80_days",
});

const planFaultyEntry: PlanEntry = (position) => {
  const faultyCells = FAULTY_CELLS[(position - 2) / RULE_STEP];
  return faultyCells ? { classification: "unliquidated", faultyCells } : planCleanEntry(position);
};

/** A blank liquidation status is valid in es003 only. */
const CLASSIFICATIONS_OF_ENTRY = CLASSIFICATIONS.filter((name) => name !== "liquidation_unknown");

/** Every classification in turn, with and without urgent deadlines. */
function planMixedEntry(position: number, _entries: number, layout: Layout): EntryPlan {
  const classifications: readonly Classification[] =
    layout === "es003" ? CLASSIFICATIONS : CLASSIFICATIONS_OF_ENTRY;
  return {
    classification: classifications[position % classifications.length] ?? "unliquidated",
    isUrgent: Math.floor(position / classifications.length) % 2 === 0,
    isOfAffiliate: position % 7 === 0,
  };
}

const scriptMiddleEntry =
  (script: EntryScenario): PlanEntry =>
  (position, entries) => ({
    ...planCleanEntry(position),
    script: position === Math.floor(entries / 2) ? script : undefined,
  });

const completedJob = (description: string, others: Partial<ScenarioDefinition> = {}): ScenarioDefinition => ({
  description,
  state: "completed",
  failureCode: null,
  review: "clear",
  resumed: null,
  minEntries: 1,
  planEntry: planCleanEntry,
  ...others,
});

const failedJob = (
  failureCode: ScenarioDefinition["failureCode"],
  description: string,
  others: Partial<ScenarioDefinition> = {},
): ScenarioDefinition =>
  completedJob(description, { state: "failed", failureCode, review: null, resumed: "failed", ...others });

const SCENARIOS: Readonly<Record<ScenarioName, ScenarioDefinition>> = {
  clean: completedJob("every entry is accepted with grade A; the review is clear"),
  mixed: completedJob(
    "every classification, route and grade, with urgent and later deadlines and several importers; the review is conditional",
    { review: "conditional", minEntries: CLASSIFICATIONS.length, planEntry: planMixedEntry },
  ),
  "rejected-rows": completedJob(
    "each of some rules of a row is broken once, in at most a fifth of the entries; the job completes without them",
    { minEntries: FAULTY_CELLS.length * RULE_STEP, planEntry: planFaultyEntry },
  ),
  declined: completedJob("no entry paid IEEPA duty: the job completes, the review is declined", {
    review: "declined",
    planEntry: () => ({ classification: "no_ieepa_duty" }),
  }),
  partial: completedJob(
    "every tenth entry is deferred (SBX-1): the job ends partial, a resume completes it",
    {
      state: "partial",
      resumed: "completed",
      minEntries: 10,
      planEntry: (position) => ({
        ...planCleanEntry(position),
        script: position % 10 === 9 ? "deferred" : undefined,
      }),
    },
  ),
  "fails-once": failedJob(
    "scenario_failure",
    "the first run fails at the middle entry (SBX-2), a resume completes the job",
    { resumed: "completed", planEntry: scriptMiddleEntry("fails_once") },
  ),
  "fails-always": failedJob(
    "scenario_failure",
    "every run fails at the middle entry (SBX-3), also after a resume",
    { planEntry: scriptMiddleEntry("fails_always") },
  ),
  slow: completedJob("the job takes 30 s longer by the sandbox's clock (SBX-4), then completes", {
    planEntry: scriptMiddleEntry("slow"),
  }),
  "row-width": failedJob(
    "ROW_WIDTH",
    "the first row lacks a cell: the job fails with ROW_WIDTH, also after a resume",
  ),
};

export const getScenario = (name: ScenarioName): ScenarioDefinition => SCENARIOS[name];

/** Without the header; the limit of layout entry (diligence-model §1). */
export const MAX_ROWS = 1_000_000;

/** In es003, an entry has three rows; the last one has two to four. */
const ROWS_OF_ENTRY = { entry: 1, es003: 3 } as const;

export const countEntries = (rows: number, layout: Layout): number =>
  layout === "entry" ? rows : Math.floor((rows + 1) / ROWS_OF_ENTRY.es003);

/** @param left the rows that are left for this entry and the others */
export const countRowsOfEntry = (left: number, layout: Layout): number =>
  layout === "es003" && left <= 4 ? left : ROWS_OF_ENTRY[layout];

export const getMinRows = (name: ScenarioName, layout: Layout): number =>
  getScenario(name).minEntries * ROWS_OF_ENTRY[layout] - (layout === "es003" ? 1 : 0);
