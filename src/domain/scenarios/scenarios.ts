import { CLASSIFICATIONS, type Classification } from "../diligence/classify.ts";
import type { EntryScenario } from "../diligence/entry-scenario.ts";
import type { ReviewOutcome } from "../diligence/rf8-review.ts";
import type { JobState } from "../diligence/states.ts";
import type { Layout } from "../entries/entry.ts";
import { SCENARIO_SELLER } from "./draft.ts";
import { FAULTY_CELLS } from "./row-faults.ts";

/** Kinds of special entries: scripted by their number, or with faulty cells. */
export type SpecialKind = EntryScenario | "faulty";

/** The number of a special entry among those of its kind, from 0; null for another entry. */
type FindRank = (position: number, entries: number) => number | null;

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
  readonly specialEntries: { readonly as: SpecialKind; readonly findRank: FindRank } | null;
}

/** A blank liquidation status is valid in es003 only. */
const listClassifications = (layout: Layout): Classification[] =>
  CLASSIFICATIONS.filter((name) => layout === "es003" || name !== "liquidation_unknown");

const everyNth =
  (step: number, first: number): FindRank =>
  (position) => {
    const rank = (position - first) / step;
    return rank >= 0 && Number.isInteger(rank) ? rank : null;
  };

const atMiddleEntry: FindRank = (position, entries) => (position === Math.floor(entries / 2) ? 0 : null);

/** The review accepts up to a fifth of rejected entries. */
const RULE_STEP = 5;
const oncePerRule: FindRank = (position, entries) => {
  const rank = everyNth(RULE_STEP, 2)(position, entries);
  return rank !== null && rank < FAULTY_CELLS.length ? rank : null;
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
  "rejected-rows": completedJob(
    "each of some rules of a row is broken once, in at most a fifth of the entries; the job completes without them",
    {
      minEntries: () => FAULTY_CELLS.length * RULE_STEP,
      specialEntries: { as: "faulty", findRank: oncePerRule },
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
      specialEntries: { as: "deferred", findRank: everyNth(10, 9) },
    },
  ),
  "fails-once": failedJob(
    "scenario_failure",
    "the first run fails at the middle entry (SBX-2), a resume completes the job",
    { resumed: "completed", specialEntries: { as: "fails_once", findRank: atMiddleEntry } },
  ),
  "fails-always": failedJob(
    "scenario_failure",
    "every run fails at the middle entry (SBX-3), also after a resume",
    { specialEntries: { as: "fails_always", findRank: atMiddleEntry } },
  ),
  slow: completedJob("the job takes 30 s longer by the sandbox's clock (SBX-4), then completes", {
    specialEntries: { as: "slow", findRank: atMiddleEntry },
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
