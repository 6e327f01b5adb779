import type { Day } from "../entries/dates.ts";
import type { WarningCode } from "../entries/rules/warnings.ts";
import type { ClassifiedEntry } from "./classified-entry.ts";
import {
  CLASSIFICATION_RULES,
  type Classification,
  findClassificationRule,
  GRADES,
  type Grade,
  type Route,
} from "./classify.ts";
import { isUrgent } from "./deadlines.ts";
import type { GradeSubtotal, Subtotal } from "./report.ts";

/** Entries and their IEEPA duty. */
export interface DutySubtotal {
  entries: number;
  ieepaDutyCents: number;
}

/** Sums over accepted entries, from which a report is made; none of the entries is kept. */
export class Totals {
  readonly #byRule: Subtotal[] = CLASSIFICATION_RULES.map(() => ({
    entries: 0,
    ieepaDutyCents: 0,
    interestCents: 0,
  }));
  readonly #byWarnings = new Map<readonly WarningCode[], number>();
  enteredValueCents = 0;
  nearestDeadline: Day | null = null;
  readonly total: Subtotal = { entries: 0, ieepaDutyCents: 0, interestCents: 0 };
  readonly importerMismatch: DutySubtotal = { entries: 0, ieepaDutyCents: 0 };
  readonly protestWithoutNumber: DutySubtotal = { entries: 0, ieepaDutyCents: 0 };
  readonly urgent: DutySubtotal = { entries: 0, ieepaDutyCents: 0 };

  add(classified: ClassifiedEntry, matchesSeller: boolean, asOf: Day): void {
    const { entry, interestCents, nextDeadline } = classified;
    const duty = entry.ieepaDutyCents;
    const subtotal = this.#byRule[findClassificationRule(classified.classification).index];
    if (subtotal !== undefined) addEntry(subtotal, duty, interestCents);
    addEntry(this.total, duty, interestCents);
    this.enteredValueCents += entry.enteredValueCents;
    if (!matchesSeller) addDuty(this.importerMismatch, duty);
    if (classified.route === "protest" && entry.protestNumber === null)
      addDuty(this.protestWithoutNumber, duty);
    if (isUrgent(nextDeadline, asOf)) addDuty(this.urgent, duty);
    this.nearestDeadline = earlierDay(this.nearestDeadline, nextDeadline);
    // warningsOf answers one array a mask, so arrays are keys.
    if (entry.warnings.length > 0) {
      this.#byWarnings.set(entry.warnings, (this.#byWarnings.get(entry.warnings) ?? 0) + 1);
    }
  }

  /** This and the other together, as a new tally. */
  plus(other: Totals): Totals {
    const sum = new Totals();
    for (const part of [this, other]) sum.#merge(part);
    return sum;
  }

  #merge(part: Totals): void {
    this.#byRule.forEach((subtotal, index) => {
      mergeSubtotal(subtotal, part.#byRule[index]);
    });
    mergeSubtotal(this.total, part.total);
    this.enteredValueCents += part.enteredValueCents;
    mergeDuty(this.importerMismatch, part.importerMismatch);
    mergeDuty(this.protestWithoutNumber, part.protestWithoutNumber);
    mergeDuty(this.urgent, part.urgent);
    this.nearestDeadline = earlierDay(this.nearestDeadline, part.nearestDeadline);
    for (const [codes, entries] of part.#byWarnings) {
      this.#byWarnings.set(codes, (this.#byWarnings.get(codes) ?? 0) + entries);
    }
  }

  subtotalOf(classification: Classification): Subtotal {
    return (
      this.#byRule[findClassificationRule(classification).index] ?? {
        entries: 0,
        ieepaDutyCents: 0,
        interestCents: 0,
      }
    );
  }

  /** Those that occur, in the order of the model's table. */
  byClassification(): Partial<Record<Classification, Subtotal>> {
    const occurring = CLASSIFICATION_RULES.filter(
      (verdict) => this.subtotalOf(verdict.classification).entries > 0,
    );
    return Object.fromEntries(
      occurring.map(({ classification }) => [classification, { ...this.subtotalOf(classification) }]),
    );
  }

  /** Those that occur, in the order of the model's table. */
  byRoute(): Partial<Record<Route, Subtotal>> {
    const routes: Partial<Record<Route, Subtotal>> = {};
    for (const { classification, route } of CLASSIFICATION_RULES) {
      const subtotal = this.subtotalOf(classification);
      if (subtotal.entries === 0) continue;
      const sum = routes[route] ?? { entries: 0, ieepaDutyCents: 0, interestCents: 0 };
      mergeSubtotal(sum, subtotal);
      routes[route] = sum;
    }
    return routes;
  }

  byGrade(): Record<Grade, GradeSubtotal> {
    const grades = Object.fromEntries(
      GRADES.map((grade) => [grade, { entries: 0, ieepaDutyCents: 0 }]),
    ) as Record<Grade, GradeSubtotal>;
    for (const { classification, grade } of CLASSIFICATION_RULES)
      mergeDuty(grades[grade], this.subtotalOf(classification));
    return grades;
  }

  /** Accepted entries by warning, sorted by code. */
  warnings(): Partial<Record<WarningCode, number>> {
    const counts = new Map<WarningCode, number>();
    for (const [codes, entries] of this.#byWarnings) {
      for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + entries);
    }
    return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function addEntry(subtotal: Subtotal, duty: number, interest: number): void {
  addDuty(subtotal, duty);
  subtotal.interestCents += interest;
}

function addDuty(to: DutySubtotal, duty: number): void {
  to.entries += 1;
  to.ieepaDutyCents += duty;
}

function mergeSubtotal(to: Subtotal, from: Subtotal | undefined): void {
  if (from === undefined) return;
  mergeDuty(to, from);
  to.interestCents += from.interestCents;
}

function mergeDuty(to: DutySubtotal, from: DutySubtotal): void {
  to.entries += from.entries;
  to.ieepaDutyCents += from.ieepaDutyCents;
}

function earlierDay(a: Day | null, b: Day | null): Day | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
