import type { Day } from "../entries/dates.ts";
import type { Entry } from "../entries/entry.ts";
import type { AssessedEntry } from "./assessed-entry.ts";
import { classify, verdictOf } from "./classify.ts";
import { deadlinesOf, nextDeadline } from "./deadlines.ts";
import { interestCents, interestFactor } from "./interest.ts";
import { scenarioOf } from "./scenario.ts";

/** Everything the model says about single entries as of one day (diligence-model §2). */
export class Assessor {
  readonly #asOf: Day;
  /** By start of interest: entry files have few different days. */
  readonly #factors = new Map<Day, number>();

  constructor(asOf: Day) {
    this.#asOf = asOf;
  }

  assess(entry: Entry): AssessedEntry {
    const asOf = this.#asOf;
    const verdict = verdictOf(classify(entry, asOf));
    const deadlines = deadlinesOf(entry, verdict);
    const earns = verdict.grade !== "X";
    return {
      entry,
      classification: verdict.classification,
      route: verdict.route,
      grade: verdict.grade,
      interestCents: earns ? interestCents(entry.ieepaDutyCents, this.#factor(entry)) : 0,
      daysSinceLiquidation: entry.liquidationDate === null ? null : asOf - entry.liquidationDate,
      deadlines,
      nextDeadline: nextDeadline(deadlines, verdict, asOf),
      scenario: scenarioOf(entry.entryNumber),
    };
  }

  #factor(entry: Entry): number {
    const start = entry.entrySummaryDate ?? entry.entryDate;
    const known = this.#factors.get(start);
    if (known !== undefined) return known;
    const factor = interestFactor(start, this.#asOf);
    this.#factors.set(start, factor);
    return factor;
  }
}
