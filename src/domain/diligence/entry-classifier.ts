import type { Day } from "../entries/dates.ts";
import type { Entry } from "../entries/entry.ts";
import type { ClassifiedEntry } from "./classified-entry.ts";
import { classify, findClassificationRule } from "./classify.ts";
import { computeDeadlines, findNextDeadline } from "./deadlines.ts";
import { findEntryScenario } from "./entry-scenario.ts";
import { computeInterestCents, computeInterestFactor } from "./interest.ts";

/** Everything the model says about single entries as of one day (diligence-model §2). */
export class EntryClassifier {
  readonly #asOf: Day;
  /** By start of interest: entry files have few different days. */
  readonly #factors = new Map<Day, number>();

  constructor(asOf: Day) {
    this.#asOf = asOf;
  }

  classify(entry: Entry): ClassifiedEntry {
    const asOf = this.#asOf;
    const rule = findClassificationRule(classify(entry, asOf));
    const deadlines = computeDeadlines(entry, rule);
    const earnsInterest = rule.grade !== "X";
    return {
      entry,
      classification: rule.classification,
      route: rule.route,
      grade: rule.grade,
      interestCents: earnsInterest
        ? computeInterestCents(entry.ieepaDutyCents, this.#interestFactor(entry))
        : 0,
      daysSinceLiquidation: entry.liquidationDate === null ? null : asOf - entry.liquidationDate,
      deadlines,
      nextDeadline: findNextDeadline(deadlines, rule, asOf),
      scenario: findEntryScenario(entry.entryNumber),
    };
  }

  #interestFactor(entry: Entry): number {
    const start = entry.entrySummaryDate ?? entry.entryDate;
    const known = this.#factors.get(start);
    if (known !== undefined) return known;
    const factor = computeInterestFactor(start, this.#asOf);
    this.#factors.set(start, factor);
    return factor;
  }
}
