import type { Layout } from "../entries/entry.ts";
import { entriesIn } from "./rows.ts";
import { type ScenarioName, type Special, scenarioCalled } from "./scenarios.ts";
import { countIn } from "./spread.ts";

/** What becomes of the entries of a file. */
export interface Forecast {
  readonly entries: number;
  readonly rejected: number;
  /** Left out by the first run, and by no other. */
  readonly deferred: number;
}

const REJECTED: ReadonlySet<Special> = new Set(["faulty", "duplicate"]);

/** Counts entries; a file that fails as a whole has some that nobody reads. */
export function forecast(name: ScenarioName, layout: Layout, rows: number): Forecast {
  const { special } = scenarioCalled(name);
  const entries = entriesIn(rows, layout);
  const specials = special === null ? 0 : countIn(special.at(entries, layout), entries);
  return {
    entries,
    rejected: special !== null && REJECTED.has(special.as) ? specials : 0,
    deferred: special?.as === "deferred" ? specials : 0,
  };
}
