import type { Layout } from "../entries/entry.ts";
import { countEntries } from "./rows.ts";
import { getScenario, type ScenarioName, type SpecialKind } from "./scenarios.ts";
import { countSpecialEntries } from "./spread.ts";

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
