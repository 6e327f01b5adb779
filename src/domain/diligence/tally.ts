import type { Day } from "../entries/dates.ts";
import type { WarningCode } from "../entries/entry.ts";
import type { AssessedEntry } from "./assessed-entry.ts";
import { type Classification, GRADES, type Grade, type Route, VERDICTS, verdictOf } from "./classify.ts";
import { isUrgent } from "./deadlines.ts";
import type { GradeSubtotal, Subtotal } from "./report.ts";

/** Entries and their IEEPA duty. */
export interface Count {
  entries: number;
  ieepaDutyCents: number;
}

/** Sums over accepted entries, from which a report is made; none of the entries is kept. */
export class Tally {
  readonly #byVerdict: Subtotal[] = VERDICTS.map(() => ({ entries: 0, ieepaDutyCents: 0, interestCents: 0 }));
  readonly #byWarnings = new Map<readonly WarningCode[], number>();
  enteredValueCents = 0;
  nearestDeadline: Day | null = null;
  readonly total: Subtotal = { entries: 0, ieepaDutyCents: 0, interestCents: 0 };
  readonly importerMismatch: Count = { entries: 0, ieepaDutyCents: 0 };
  readonly protestWithoutNumber: Count = { entries: 0, ieepaDutyCents: 0 };
  readonly urgent: Count = { entries: 0, ieepaDutyCents: 0 };

  add(assessed: AssessedEntry, matchesSeller: boolean, asOf: Day): void {
    const { entry, interestCents, nextDeadline } = assessed;
    const duty = entry.ieepaDutyCents;
    const subtotal = this.#byVerdict[verdictOf(assessed.classification).index];
    if (subtotal !== undefined) addTo(subtotal, duty, interestCents);
    addTo(this.total, duty, interestCents);
    this.enteredValueCents += entry.enteredValueCents;
    if (!matchesSeller) count(this.importerMismatch, duty);
    if (assessed.route === "protest" && entry.protestNumber === null) count(this.protestWithoutNumber, duty);
    if (isUrgent(nextDeadline, asOf)) count(this.urgent, duty);
    this.nearestDeadline = earlier(this.nearestDeadline, nextDeadline);
    // warningsOf answers one array a mask, so arrays are keys.
    if (entry.warnings.length > 0) {
      this.#byWarnings.set(entry.warnings, (this.#byWarnings.get(entry.warnings) ?? 0) + 1);
    }
  }

  /** This and the other together, as a new tally. */
  plus(other: Tally): Tally {
    const sum = new Tally();
    for (const part of [this, other]) sum.#absorb(part);
    return sum;
  }

  #absorb(part: Tally): void {
    this.#byVerdict.forEach((subtotal, index) => {
      merge(subtotal, part.#byVerdict[index]);
    });
    merge(this.total, part.total);
    this.enteredValueCents += part.enteredValueCents;
    mergeCount(this.importerMismatch, part.importerMismatch);
    mergeCount(this.protestWithoutNumber, part.protestWithoutNumber);
    mergeCount(this.urgent, part.urgent);
    this.nearestDeadline = earlier(this.nearestDeadline, part.nearestDeadline);
    for (const [codes, entries] of part.#byWarnings) {
      this.#byWarnings.set(codes, (this.#byWarnings.get(codes) ?? 0) + entries);
    }
  }

  of(classification: Classification): Subtotal {
    return (
      this.#byVerdict[verdictOf(classification).index] ?? { entries: 0, ieepaDutyCents: 0, interestCents: 0 }
    );
  }

  /** Those that occur, in the order of the model's table. */
  byClassification(): Partial<Record<Classification, Subtotal>> {
    const occurring = VERDICTS.filter((verdict) => this.of(verdict.classification).entries > 0);
    return Object.fromEntries(
      occurring.map(({ classification }) => [classification, { ...this.of(classification) }]),
    );
  }

  /** Those that occur, in the order of the model's table. */
  byRoute(): Partial<Record<Route, Subtotal>> {
    const routes: Partial<Record<Route, Subtotal>> = {};
    for (const { classification, route } of VERDICTS) {
      const subtotal = this.of(classification);
      if (subtotal.entries === 0) continue;
      const sum = routes[route] ?? { entries: 0, ieepaDutyCents: 0, interestCents: 0 };
      merge(sum, subtotal);
      routes[route] = sum;
    }
    return routes;
  }

  byGrade(): Record<Grade, GradeSubtotal> {
    const grades = Object.fromEntries(
      GRADES.map((grade) => [grade, { entries: 0, ieepaDutyCents: 0 }]),
    ) as Record<Grade, GradeSubtotal>;
    for (const { classification, grade } of VERDICTS) mergeCount(grades[grade], this.of(classification));
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

function addTo(subtotal: Subtotal, duty: number, interest: number): void {
  count(subtotal, duty);
  subtotal.interestCents += interest;
}

function count(to: Count, duty: number): void {
  to.entries += 1;
  to.ieepaDutyCents += duty;
}

function merge(to: Subtotal, from: Subtotal | undefined): void {
  if (from === undefined) return;
  mergeCount(to, from);
  to.interestCents += from.interestCents;
}

function mergeCount(to: Count, from: Count): void {
  to.entries += from.entries;
  to.ieepaDutyCents += from.ieepaDutyCents;
}

function earlier(a: Day | null, b: Day | null): Day | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
