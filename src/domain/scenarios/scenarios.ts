import { CLASSIFICATIONS, type Classification } from "../diligence/classify.ts";
import type { EntryScenario as Script } from "../diligence/entry-scenario.ts";
import type { ReviewOutcome } from "../diligence/rf8-review.ts";
import type { JobState } from "../diligence/states.ts";
import type { Layout } from "../entries/entry.ts";
import type { FileErrorCode } from "../entries/entry-file-error.ts";
import { rowFaultsFor } from "./cell-changes.ts";

/** The seller in each file. The review of a submission under another name has one more condition. */
export const SCENARIO_SELLER = "Harbor & Pine Trading, LLC";

/** The positions of special entries: `first` and every `step`th after it, at most `max`. */
export interface Spread {
  /** From 0. */
  readonly first: number;
  readonly step: number;
  readonly max: number;
}

/** Kinds of special entries: scripted by their number, or with other cells. */
export type SpecialKind = Script | "faulty" | "duplicate" | "repaired" | "accented";

/** See diligence-model §1. */
export type ScenarioFileFault = Extract<
  FileErrorCode,
  "FILE_ENCODING" | "REQUIRED_COLUMN_MISSING" | "NO_DATA_ROWS" | "ROW_WIDTH"
>;

export interface ScenarioDefinition {
  /** What the file contains and what happens to the job. */
  readonly what: string;
  /** The state in which the first run ends. */
  readonly state: JobState;
  /** The code of a failed job's failure. */
  readonly failureCode: ScenarioFileFault | "scenario_failure" | null;
  /** The outcome of `rf8Review` for {@link SCENARIO_SELLER}; null without a report. */
  readonly review: ReviewOutcome | null;
  /** The state after a resume; null if the service refuses it. */
  readonly resumed: JobState | null;
  readonly layouts: readonly Layout[];
  readonly hasRows: boolean;
  readonly minEntries: (layout: Layout) => number;
  /** Whether some deadlines are urgent, and some importers are affiliates. */
  readonly isVaried: boolean;
  /** The classifications of ordinary entries, in turn. */
  readonly classifications: (layout: Layout) => readonly Classification[];
  readonly specialEntries: {
    readonly as: SpecialKind;
    readonly at: (entries: number, layout: Layout) => Spread;
  } | null;
}

const GRADE_A: readonly Classification[] = ["unliquidated", "liquidated_within_80_days"];
const NO_DUTY: readonly Classification[] = ["no_ieepa_duty"];

/** A blank liquidation status is valid in es003 only. */
function classificationsFor(layout: Layout): Classification[] {
  return CLASSIFICATIONS.filter(
    (classification) => layout === "es003" || classification !== "liquidation_unknown",
  );
}

const EVERY_TENTH_ENTRY: Spread = { first: 9, step: 10, max: Number.POSITIVE_INFINITY };
const EVERY_THIRD_ENTRY: Spread = { first: 1, step: 3, max: Number.POSITIVE_INFINITY };
const EVERY_ENTRY: Spread = { first: 0, step: 1, max: Number.POSITIVE_INFINITY };
const middleEntry = (entries: number): Spread => ({ first: Math.floor(entries / 2), step: 1, max: 1 });

/** The review accepts up to a fifth of rejected entries. */
const RULE_STEP = 5;
const onePerRule = (_: number, layout: Layout): Spread => ({
  first: 2,
  step: RULE_STEP,
  max: rowFaultsFor(layout).length,
});

const COMPLETED_JOB: Omit<ScenarioDefinition, "what"> = {
  state: "completed",
  failureCode: null,
  review: "clear",
  resumed: null,
  layouts: ["entry", "es003"],
  hasRows: true,
  minEntries: () => 1,
  isVaried: false,
  classifications: () => GRADE_A,
  specialEntries: null,
};

const failedJob = (failureCode: ScenarioDefinition["failureCode"]): Omit<ScenarioDefinition, "what"> => ({
  ...COMPLETED_JOB,
  state: "failed",
  failureCode,
  review: null,
  resumed: "failed",
});

const SCENARIOS = {
  clean: {
    ...COMPLETED_JOB,
    what: "every entry is accepted with grade A; the review is clear",
  },
  mixed: {
    ...COMPLETED_JOB,
    what: "every classification, route and grade, with urgent and later deadlines and several importers; the review is conditional",
    review: "conditional",
    minEntries: (layout) => classificationsFor(layout).length,
    isVaried: true,
    classifications: classificationsFor,
  },
  repaired: {
    ...COMPLETED_JOB,
    what: "entries in the form of a spreadsheet; all are accepted, each with a warning about its repair",
    minEntries: () => 5,
    specialEntries: { as: "repaired", at: () => EVERY_ENTRY },
  },
  "rejected-rows": {
    ...COMPLETED_JOB,
    what: "breaks each rule of a row once, in at most a fifth of the entries; the job completes without them",
    minEntries: (layout) => rowFaultsFor(layout).length * RULE_STEP,
    specialEntries: { as: "faulty", at: onePerRule },
  },
  "too-many-rejected": {
    ...COMPLETED_JOB,
    what: "a third of the entries is rejected: the job completes, the review is declined",
    review: "declined",
    minEntries: () => 2,
    specialEntries: { as: "faulty", at: () => EVERY_THIRD_ENTRY },
  },
  duplicates: {
    ...COMPLETED_JOB,
    what: "every tenth entry repeats the number of the entry before it and is rejected",
    layouts: ["entry"],
    minEntries: () => 10,
    specialEntries: { as: "duplicate", at: () => EVERY_TENTH_ENTRY },
  },
  declined: {
    ...COMPLETED_JOB,
    what: "no entry paid IEEPA duty: the job completes, the review is declined",
    review: "declined",
    classifications: () => NO_DUTY,
  },
  partial: {
    ...COMPLETED_JOB,
    what: "every tenth entry is deferred (SBX-1): the job ends partial, a resume completes it",
    state: "partial",
    resumed: "completed",
    minEntries: () => 10,
    specialEntries: { as: "deferred", at: () => EVERY_TENTH_ENTRY },
  },
  "fails-once": {
    ...failedJob("scenario_failure"),
    what: "the first run fails at the middle entry (SBX-2), a resume completes the job",
    resumed: "completed",
    specialEntries: { as: "fails_once", at: middleEntry },
  },
  "fails-always": {
    ...failedJob("scenario_failure"),
    what: "every run fails at the middle entry (SBX-3), also after a resume",
    specialEntries: { as: "fails_always", at: middleEntry },
  },
  slow: {
    ...COMPLETED_JOB,
    what: "the job takes 30 s longer by the sandbox's clock (SBX-4), then completes",
    specialEntries: { as: "slow", at: middleEntry },
  },
  "not-utf8": {
    ...failedJob("FILE_ENCODING"),
    what: "a name is in Latin-1: the job fails with FILE_ENCODING, also after a resume",
    specialEntries: { as: "accented", at: middleEntry },
  },
  "missing-column": {
    ...failedJob("REQUIRED_COLUMN_MISSING"),
    what: "the importer number is missing: the job fails with REQUIRED_COLUMN_MISSING, also after a resume",
  },
  "row-width": {
    ...failedJob("ROW_WIDTH"),
    what: "the first row lacks a cell: the job fails with ROW_WIDTH, also after a resume",
  },
  "no-data-rows": {
    ...failedJob("NO_DATA_ROWS"),
    what: "the file has only a header: the job fails with NO_DATA_ROWS, also after a resume",
    hasRows: false,
    minEntries: () => 0,
  },
} as const satisfies Readonly<Record<string, ScenarioDefinition>>;

export type ScenarioName = keyof typeof SCENARIOS;

export const SCENARIO_NAMES = Object.keys(SCENARIOS) as readonly ScenarioName[];

export const isScenarioName = (name: string): name is ScenarioName => Object.hasOwn(SCENARIOS, name);

export const getScenario = (name: ScenarioName): ScenarioDefinition => SCENARIOS[name];
