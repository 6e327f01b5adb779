import { CLASSIFICATIONS, type Classification } from "../diligence/classify.ts";
import type { EntryScenario as Script } from "../diligence/entry-scenario.ts";
import type { ReviewOutcome } from "../diligence/rf8-review.ts";
import type { JobState } from "../diligence/states.ts";
import type { Layout } from "../entries/entry.ts";
import type { FileErrorCode } from "../entries/entry-file-error.ts";
import { rowFaultsFor } from "./cell-changes.ts";

/** The seller of every scenario's file: submitted under another name, its review has a condition more. */
export const SCENARIO_SELLER = "Harbor & Pine Trading, LLC";

/** Which entries of a file are special: `first` and every `step`th after it, at most `most` of them. */
export interface Spread {
  /** Position, the first entry of the file being 0. */
  readonly first: number;
  readonly step: number;
  readonly max: number;
}

/** What some of the entries are: scripted by their number, or not as the rules have it. */
export type SpecialKind = Script | "faulty" | "duplicate" | "repaired" | "accented";

/** A file fault that a scenario brings about (diligence-model §1). */
export type ScenarioFileFault = Extract<
  FileErrorCode,
  "FILE_ENCODING" | "REQUIRED_COLUMN_MISSING" | "NO_DATA_ROWS" | "ROW_WIDTH"
>;

/** What a file is, and what becomes of it. */
export interface ScenarioDefinition {
  /** One sentence for people: what is in the file, and what will happen. */
  readonly what: string;
  /** The state in which the first run ends. */
  readonly state: JobState;
  /** The code of a failed job's failure. */
  readonly failureCode: ScenarioFileFault | "scenario_failure" | null;
  /** The outcome of `rf8Review` with {@link SCENARIO_SELLER}, where there is a report. */
  readonly review: ReviewOutcome | null;
  /** The state in which a resume ends; null where the service refuses one. */
  readonly resumed: JobState | null;
  readonly layouts: readonly Layout[];
  /** False for a file that ends with its header. */
  readonly hasRows: boolean;
  /** The least number of entries with which it does what it says. */
  readonly minEntries: (layout: Layout) => number;
  /** Whether deadlines are near and far, and some importers not the seller. */
  readonly isVaried: boolean;
  /** What ordinary entries are classified as, in turn. */
  readonly classifications: (layout: Layout) => readonly Classification[];
  readonly specialEntries: {
    readonly as: SpecialKind;
    readonly at: (entries: number, layout: Layout) => Spread;
  } | null;
}

const GRADE_A: readonly Classification[] = ["unliquidated", "liquidated_within_80_days"];
const NO_DUTY: readonly Classification[] = ["no_ieepa_duty"];

/** All that a layout can hold: a status may be blank in es003 alone. */
function classificationsFor(layout: Layout): Classification[] {
  return CLASSIFICATIONS.filter(
    (classification) => layout === "es003" || classification !== "liquidation_unknown",
  );
}

const EVERY_TENTH_ENTRY: Spread = { first: 9, step: 10, max: Number.POSITIVE_INFINITY };
const EVERY_THIRD_ENTRY: Spread = { first: 1, step: 3, max: Number.POSITIVE_INFINITY };
const EVERY_ENTRY: Spread = { first: 0, step: 1, max: Number.POSITIVE_INFINITY };
const middleEntry = (entries: number): Spread => ({ first: Math.floor(entries / 2), step: 1, max: 1 });

/** One entry in five for each rule: a fifth of the entries is what the review allows to be rejected. */
const RULE_STEP = 5;
const onePerRule = (_: number, layout: Layout): Spread => ({
  first: 2,
  step: RULE_STEP,
  max: rowFaultsFor(layout).length,
});

/** A job that completes with every entry accepted. */
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

/** A job that fails, and fails again. */
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
    what: "every classification, route and grade, with deadlines near and far and other importers; the review is conditional",
    review: "conditional",
    minEntries: (layout) => classificationsFor(layout).length,
    isVaried: true,
    classifications: classificationsFor,
  },
  repaired: {
    ...COMPLETED_JOB,
    what: "entries as a spreadsheet leaves them; all are accepted, each with a warning of what was repaired",
    minEntries: () => 5,
    specialEntries: { as: "repaired", at: () => EVERY_ENTRY },
  },
  "rejected-rows": {
    ...COMPLETED_JOB,
    what: "breaks each rule of a row once, in no more entries than the fifth that the review allows; the job completes without them",
    minEntries: (layout) => rowFaultsFor(layout).length * RULE_STEP,
    specialEntries: { as: "faulty", at: onePerRule },
  },
  "too-many-rejected": {
    ...COMPLETED_JOB,
    what: "a third of the entries is rejected, more than the review allows: the job completes, the review is declined",
    review: "declined",
    minEntries: () => 2,
    specialEntries: { as: "faulty", at: () => EVERY_THIRD_ENTRY },
  },
  duplicates: {
    ...COMPLETED_JOB,
    what: "every tenth entry has the number of the one before it and is rejected; in es003 rows of one number are one entry",
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
    what: "the first run fails at the entry in the middle (SBX-2), a resume completes the job",
    resumed: "completed",
    specialEntries: { as: "fails_once", at: middleEntry },
  },
  "fails-always": {
    ...failedJob("scenario_failure"),
    what: "every run fails at the entry in the middle (SBX-3), also that of a resume",
    specialEntries: { as: "fails_always", at: middleEntry },
  },
  slow: {
    ...COMPLETED_JOB,
    what: "the job takes 30 s longer on the sandbox's clock (SBX-4), then completes",
    specialEntries: { as: "slow", at: middleEntry },
  },
  "not-utf8": {
    ...failedJob("FILE_ENCODING"),
    what: "a name is in Latin-1: the job fails with FILE_ENCODING, and again when it is resumed",
    specialEntries: { as: "accented", at: middleEntry },
  },
  "missing-column": {
    ...failedJob("REQUIRED_COLUMN_MISSING"),
    what: "there is no importer number: the job fails with REQUIRED_COLUMN_MISSING, and again when it is resumed",
  },
  "row-width": {
    ...failedJob("ROW_WIDTH"),
    what: "the first row lacks a cell: the job fails with ROW_WIDTH, and again when it is resumed",
  },
  "no-data-rows": {
    ...failedJob("NO_DATA_ROWS"),
    what: "nothing follows the header: the job fails with NO_DATA_ROWS, and again when it is resumed",
    hasRows: false,
    minEntries: () => 0,
  },
} as const satisfies Readonly<Record<string, ScenarioDefinition>>;

export type ScenarioName = keyof typeof SCENARIOS;

/** In the order in which they are told. */
export const SCENARIO_NAMES = Object.keys(SCENARIOS) as readonly ScenarioName[];

export const isScenarioName = (name: string): name is ScenarioName => Object.hasOwn(SCENARIOS, name);

export const getScenario = (name: ScenarioName): ScenarioDefinition => SCENARIOS[name];
