import type { Day } from "../entries/dates.ts";
import type { Entry } from "../entries/entry.ts";
import { CLASSIFICATION_RULES, type Classification, type ClassificationRule, classify } from "./classify.ts";
import { computeDeadlines, type Deadlines, findNextDeadline } from "./deadlines.ts";
import { type EntryScenario, findEntryScenario } from "./entry-scenario.ts";
import { computeInterestCents, computeInterestFactor } from "./interest.ts";

/** An accepted entry with everything that the model derives from it. */
export interface ClassifiedEntry extends ClassificationRule {
  readonly entry: Entry;
  readonly classification: Classification;
  readonly interestCents: number;
  /** Negative before a liquidation in the future, null without a date. */
  readonly daysSinceLiquidation: number | null;
  readonly deadlines: Deadlines;
  readonly nextDeadline: Day | null;
  readonly scenario: EntryScenario | null;
}

/** Applies the rules for single entries as of one day (diligence-model §2). */
export class EntryClassifier {
  readonly #asOf: Day;
  /** By first day of interest, because the entries of a file have few different days. */
  readonly #factors = new Map<Day, number>();

  constructor(asOf: Day) {
    this.#asOf = asOf;
  }

  classify(entry: Entry): ClassifiedEntry {
    const asOf = this.#asOf;
    const classification = classify(entry, asOf);
    const { route, grade } = CLASSIFICATION_RULES[classification];
    const deadlines = computeDeadlines(entry, classification);
    return {
      entry,
      classification,
      route,
      grade,
      interestCents: grade === "X" ? 0 : computeInterestCents(entry.ieepaDutyCents, this.#findFactor(entry)),
      daysSinceLiquidation: entry.liquidationDate === null ? null : asOf - entry.liquidationDate,
      deadlines,
      nextDeadline: findNextDeadline(deadlines, route, asOf),
      scenario: findEntryScenario(entry.entryNumber),
    };
  }

  #findFactor({ entrySummaryDate, entryDate }: Entry): number {
    const start = entrySummaryDate ?? entryDate;
    let factor = this.#factors.get(start);
    if (factor === undefined) {
      factor = computeInterestFactor(start, this.#asOf);
      this.#factors.set(start, factor);
    }
    return factor;
  }
}
