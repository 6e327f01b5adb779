import type { Day } from "../entries/dates.ts";
import type { Entry } from "../entries/entry.ts";
import type { Classification, Grade, Route } from "./classify.ts";
import type { Deadlines } from "./deadlines.ts";
import type { EntryScenario } from "./entry-scenario.ts";

/** An accepted entry with everything the model says about it. */
export interface ClassifiedEntry {
  readonly entry: Entry;
  readonly classification: Classification;
  readonly route: Route;
  readonly grade: Grade;
  readonly interestCents: number;
  /** Negative before a liquidation date in the future, null without one. */
  readonly daysSinceLiquidation: number | null;
  readonly deadlines: Deadlines;
  readonly nextDeadline: Day | null;
  readonly scenario: EntryScenario | null;
}
