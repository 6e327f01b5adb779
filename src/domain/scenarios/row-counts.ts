import type { Layout } from "../entries/entry.ts";
import { getScenario, type ScenarioName, type SpecialKind, type Spread } from "./scenarios.ts";

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

export interface RowBounds {
  readonly min: number;
  readonly max: number;
}

export function getRowBounds(name: ScenarioName, layout: Layout): RowBounds {
  const { hasRows, minEntries } = getScenario(name);
  return { min: countMinRows(minEntries(layout), layout), max: hasRows ? MAX_ROWS : 0 };
}

function countMinRows(entries: number, layout: Layout): number {
  return layout === "entry" ? entries : Math.max(0, Math.ceil((entries * ROWS_PER_PAIR) / 2) - 1);
}

function countSpecialEntries({ first, step, max }: Spread, entries: number): number {
  return entries <= first ? 0 : Math.min(max, Math.floor((entries - 1 - first) / step) + 1);
}

/** The index of the special entry at a position; -1 for an ordinary entry. */
export function findRank({ first, step, max }: Spread, position: number): number {
  const rank = (position - first) / step;
  return rank >= 0 && rank < max && Number.isInteger(rank) ? rank : -1;
}

export interface Forecast {
  readonly entries: number;
  readonly rejected: number;
  /** Left out by the first run only. */
  readonly deferred: number;
}

const REJECTED_KINDS: ReadonlySet<SpecialKind> = new Set(["faulty", "duplicate"]);

/** Counts all entries of a file, even if the job fails before it reads them. */
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
