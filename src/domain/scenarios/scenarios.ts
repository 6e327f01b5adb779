import { CLASSIFICATIONS, type Classification } from "../diligence/classify.ts";
import type { EntryScenario } from "../diligence/entry-scenario.ts";
import type { ReviewOutcome } from "../diligence/rf8-review.ts";
import type { JobState } from "../diligence/states.ts";
import type { Layout } from "../entries/entry.ts";
import type { FileErrorCode } from "../entries/entry-file-error.ts";
import { rowFaultsFor } from "./cell-changes.ts";

/** The seller in each file. The review of a submission under another name has one more condition. */
export const SCENARIO_SELLER = "Harbor & Pine Trading, LLC";

/** The positions of special entries, from 0: `first` and every `step`th after it, at most `max`. */
interface Spread {
  readonly first: number;
  readonly step: number;
  readonly max: number;
}

/** Kinds of special entries: scripted by their number, or with other cells. */
export type SpecialKind = EntryScenario | "faulty" | "duplicate" | "repaired" | "accented";

/** See diligence-model §1. */
type FileFault = Extract<
  FileErrorCode,
  "FILE_ENCODING" | "REQUIRED_COLUMN_MISSING" | "NO_DATA_ROWS" | "ROW_WIDTH"
>;

interface ScenarioDefinition {
  readonly description: string;
  readonly state: JobState;
  readonly failureCode: FileFault | "scenario_failure" | null;
  /** The outcome of `rf8Review` for {@link SCENARIO_SELLER}; null without a report. */
  readonly review: ReviewOutcome | null;
  /** The state after a resume; null if the service refuses it. */
  readonly resumed: JobState | null;
  readonly layouts: readonly Layout[];
  readonly hasRows: boolean;
  readonly minEntries: (layout: Layout) => number;
  /** Whether some deadlines are urgent, and some importers are affiliates. */
  readonly isVaried: boolean;
  readonly classifications: (layout: Layout) => readonly Classification[];
  readonly specialEntries: {
    readonly as: SpecialKind;
    readonly at: (entries: number, layout: Layout) => Spread;
  } | null;
}

/** A blank liquidation status is valid in es003 only. */
const listClassifications = (layout: Layout): Classification[] =>
  CLASSIFICATIONS.filter((name) => layout === "es003" || name !== "liquidation_unknown");

const everyNth = (step: number, first: number) => (): Spread => ({
  first,
  step,
  max: Number.POSITIVE_INFINITY,
});
const atMiddleEntry = (entries: number): Spread => ({ first: Math.floor(entries / 2), step: 1, max: 1 });

/** The review accepts up to a fifth of rejected entries. */
const RULE_STEP = 5;
const oncePerRule = (_: number, layout: Layout): Spread => ({
  first: 2,
  step: RULE_STEP,
  max: rowFaultsFor(layout).length,
});

const completedJob = (description: string, others: Partial<ScenarioDefinition> = {}): ScenarioDefinition => ({
  description,
  state: "completed",
  failureCode: null,
  review: "clear",
  resumed: null,
  layouts: ["entry", "es003"],
  hasRows: true,
  minEntries: () => 1,
  isVaried: false,
  classifications: () => ["unliquidated", "liquidated_within_80_days"],
  specialEntries: null,
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
  repaired: completedJob(
    "entries in the form of a spreadsheet; all are accepted, each with a warning about its repair",
    { minEntries: () => 5, specialEntries: { as: "repaired", at: everyNth(1, 0) } },
  ),
  "rejected-rows": completedJob(
    "breaks each rule of a row once, in at most a fifth of the entries; the job completes without them",
    {
      minEntries: (layout) => rowFaultsFor(layout).length * RULE_STEP,
      specialEntries: { as: "faulty", at: oncePerRule },
    },
  ),
  "too-many-rejected": completedJob(
    "a third of the entries is rejected: the job completes, the review is declined",
    { review: "declined", minEntries: () => 2, specialEntries: { as: "faulty", at: everyNth(3, 1) } },
  ),
  duplicates: completedJob("every tenth entry repeats the number of the entry before it and is rejected", {
    layouts: ["entry"],
    minEntries: () => 10,
    specialEntries: { as: "duplicate", at: everyNth(10, 9) },
  }),
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
      specialEntries: { as: "deferred", at: everyNth(10, 9) },
    },
  ),
  "fails-once": failedJob(
    "scenario_failure",
    "the first run fails at the middle entry (SBX-2), a resume completes the job",
    { resumed: "completed", specialEntries: { as: "fails_once", at: atMiddleEntry } },
  ),
  "fails-always": failedJob(
    "scenario_failure",
    "every run fails at the middle entry (SBX-3), also after a resume",
    { specialEntries: { as: "fails_always", at: atMiddleEntry } },
  ),
  slow: completedJob("the job takes 30 s longer by the sandbox's clock (SBX-4), then completes", {
    specialEntries: { as: "slow", at: atMiddleEntry },
  }),
  "not-utf8": failedJob(
    "FILE_ENCODING",
    "a name is in Latin-1: the job fails with FILE_ENCODING, also after a resume",
    { specialEntries: { as: "accented", at: atMiddleEntry } },
  ),
  "missing-column": failedJob(
    "REQUIRED_COLUMN_MISSING",
    "the importer number is missing: the job fails with REQUIRED_COLUMN_MISSING, also after a resume",
  ),
  "row-width": failedJob(
    "ROW_WIDTH",
    "the first row lacks a cell: the job fails with ROW_WIDTH, also after a resume",
  ),
  "no-data-rows": failedJob(
    "NO_DATA_ROWS",
    "the file has only a header: the job fails with NO_DATA_ROWS, also after a resume",
    { hasRows: false, minEntries: () => 0 },
  ),
};

export type ScenarioName = keyof typeof SCENARIOS;

export const SCENARIO_NAMES = Object.keys(SCENARIOS) as readonly ScenarioName[];

export const isScenarioName = (name: string): name is ScenarioName => Object.hasOwn(SCENARIOS, name);

export const getScenario = (name: ScenarioName): ScenarioDefinition => SCENARIOS[name];

/** Without the header; the limit of layout entry (diligence-model §1). */
const MAX_ROWS = 1_000_000;

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

export type RowBounds = ReturnType<typeof getRowBounds>;

export function getRowBounds(name: ScenarioName, layout: Layout) {
  const { hasRows, minEntries } = getScenario(name);
  const entries = minEntries(layout);
  const min = layout === "entry" ? entries : Math.max(0, Math.ceil((entries * ROWS_PER_PAIR) / 2) - 1);
  return { min, max: hasRows ? MAX_ROWS : 0 };
}

export function findRank({ first, step, max }: Spread, position: number): number {
  const rank = (position - first) / step;
  return rank >= 0 && rank < max && Number.isInteger(rank) ? rank : -1;
}

const countSpecialEntries = ({ first, step, max }: Spread, entries: number): number =>
  entries <= first ? 0 : Math.min(max, Math.floor((entries - 1 - first) / step) + 1);

export interface Forecast {
  readonly entries: number;
  readonly rejected: number;
  /** Left out by the first run only. */
  readonly deferred: number;
}

/** Counts all entries of a file, even if the job fails before it reads them. */
export function forecastOutcome(name: ScenarioName, layout: Layout, rows: number): Forecast {
  const { specialEntries } = getScenario(name);
  const entries = countEntries(rows, layout);
  const kind = specialEntries?.as;
  const specials = specialEntries ? countSpecialEntries(specialEntries.at(entries, layout), entries) : 0;
  return {
    entries,
    rejected: kind === "faulty" || kind === "duplicate" ? specials : 0,
    deferred: kind === "deferred" ? specials : 0,
  };
}
