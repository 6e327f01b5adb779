import type { Layout } from "../entries/entry.ts";
import { getScenario, type ScenarioName, type SpecialKind, type Spread } from "./scenarios.ts";

/** Below the header; what an entry file holds at most in layout entry (diligence-model §1). */
const MAX_ROWS = 1_000_000;

/** An es003 entry has two rows, the next one three; the last takes what is left, if that would be one row. */
const ROWS_PER_PAIR = 5;

/** How many entries that many rows are. */
export function countEntries(rows: number, layout: Layout): number {
  if (layout === "entry") return rows;
  const left = rows % ROWS_PER_PAIR;
  return Math.floor(rows / ROWS_PER_PAIR) * 2 + (left < 2 ? 0 : left < 4 ? 1 : 2);
}

/** The rows of one entry, from those that are left: there is never a single one. */
export function countRowsOfEntry(position: number, left: number, layout: Layout): number {
  if (layout === "entry") return 1;
  const usual = 2 + (position % 2);
  return left - usual < 2 ? left : usual;
}

/** How many rows a file may have. */
export interface RowBounds {
  readonly min: number;
  readonly max: number;
}

export function getRowBounds(name: ScenarioName, layout: Layout): RowBounds {
  const { hasRows, minEntries: leastEntries } = getScenario(name);
  return { min: countMinRows(leastEntries(layout), layout), max: hasRows ? MAX_ROWS : 0 };
}

/** The least rows with that many entries: two and three in turn, two for the last one. */
function countMinRows(entries: number, layout: Layout): number {
  return layout === "entry" ? entries : Math.max(0, Math.ceil((entries * ROWS_PER_PAIR) / 2) - 1);
}

/** How many of that many entries are special. */
export function countSpecialEntries({ first, step, max: most }: Spread, entries: number): number {
  return entries <= first ? 0 : Math.min(most, Math.floor((entries - 1 - first) / step) + 1);
}

/** The how manieth special entry stands at a position, from 0; -1 for an ordinary one. */
export function findRank({ first, step, max: most }: Spread, position: number): number {
  const rank = (position - first) / step;
  return rank >= 0 && rank < most && Number.isInteger(rank) ? rank : -1;
}

/** What becomes of the entries of a file. */
export interface Forecast {
  readonly entries: number;
  readonly rejected: number;
  /** Left out by the first run, and by no other. */
  readonly deferred: number;
}

const REJECTED_KINDS: ReadonlySet<SpecialKind> = new Set(["faulty", "duplicate"]);

/** Counts entries; a file that fails as a whole has some that nobody reads. */
export function forecastOutcome(name: ScenarioName, layout: Layout, rows: number): Forecast {
  const { specialEntries: special } = getScenario(name);
  const entries = countEntries(rows, layout);
  const specials = special === null ? 0 : countSpecialEntries(special.at(entries, layout), entries);
  return {
    entries,
    rejected: special !== null && REJECTED_KINDS.has(special.as) ? specials : 0,
    deferred: special?.as === "deferred" ? specials : 0,
  };
}
