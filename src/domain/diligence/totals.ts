import type { Day } from "../entries/dates.ts";
import type { WarningCode } from "../entries/rules/warnings.ts";
import {
  CLASSIFICATION_RULES,
  CLASSIFICATIONS,
  type Classification,
  GRADES,
  type Grade,
  type Route,
} from "./classify.ts";
import type { ClassifiedEntry } from "./entry-classifier.ts";
import { isUrgent } from "./entry-classifier.ts";

export interface DutySubtotal {
  entries: number;
  ieepaDutyCents: number;
}

export interface Subtotal extends DutySubtotal {
  interestCents: number;
}

const createSubtotal = (): Subtotal => ({ entries: 0, ieepaDutyCents: 0, interestCents: 0 });

/** Sums over accepted entries, without the entries. A report follows from them. */
export class Totals {
  readonly total = createSubtotal();
  readonly importerMismatch = createSubtotal();
  readonly protestWithoutNumber = createSubtotal();
  readonly urgent = createSubtotal();
  enteredValueCents = 0;
  nearestDeadline: Day | null = null;
  readonly #byClassification = new Map(CLASSIFICATIONS.map((name) => [name, createSubtotal()]));
  /** `decodeWarnings` returns the same array for the same warnings, so arrays can be keys. */
  readonly #byWarnings = new Map<readonly WarningCode[], number>();

  add(classified: ClassifiedEntry, matchesSeller: boolean, asOf: Day): void {
    const { entry, route, nextDeadline } = classified;
    const subtotal = {
      entries: 1,
      ieepaDutyCents: entry.ieepaDutyCents,
      interestCents: classified.interestCents,
    };
    addSubtotal(this.subtotalOf(classified.classification), subtotal);
    addSubtotal(this.total, subtotal);
    this.enteredValueCents += entry.enteredValueCents;
    if (!matchesSeller) addSubtotal(this.importerMismatch, subtotal);
    if (route === "protest" && entry.protestNumber === null) addSubtotal(this.protestWithoutNumber, subtotal);
    if (isUrgent(nextDeadline, asOf)) addSubtotal(this.urgent, subtotal);
    this.nearestDeadline = earlierDay(this.nearestDeadline, nextDeadline);
    if (entry.warnings.length > 0) this.#countWarnings(entry.warnings, 1);
  }

  plus(other: Totals): Totals {
    const sum = new Totals();
    for (const part of [this, other]) sum.#merge(part);
    return sum;
  }

  #merge(part: Totals): void {
    for (const [name, subtotal] of part.#byClassification) addSubtotal(this.subtotalOf(name), subtotal);
    for (const name of ["total", "importerMismatch", "protestWithoutNumber", "urgent"] as const)
      addSubtotal(this[name], part[name]);
    this.enteredValueCents += part.enteredValueCents;
    this.nearestDeadline = earlierDay(this.nearestDeadline, part.nearestDeadline);
    for (const [codes, entries] of part.#byWarnings) this.#countWarnings(codes, entries);
  }

  #countWarnings(codes: readonly WarningCode[], entries: number): void {
    this.#byWarnings.set(codes, (this.#byWarnings.get(codes) ?? 0) + entries);
  }

  subtotalOf(classification: Classification): Subtotal {
    return this.#byClassification.get(classification) ?? createSubtotal();
  }

  /** The classifications that occur, in the order of the model's table. */
  byClassification(): Partial<Record<Classification, Subtotal>> {
    const occurring = [...this.#byClassification].filter(([, { entries }]) => entries > 0);
    return Object.fromEntries(occurring.map(([name, subtotal]) => [name, { ...subtotal }]));
  }

  /** The routes that occur, in the order of the model's table. */
  byRoute(): Partial<Record<Route, Subtotal>> {
    const routes: Partial<Record<Route, Subtotal>> = {};
    for (const [name, subtotal] of this.#byClassification) {
      if (subtotal.entries === 0) continue;
      const { route } = CLASSIFICATION_RULES[name];
      routes[route] ??= createSubtotal();
      addSubtotal(routes[route], subtotal);
    }
    return routes;
  }

  byGrade(): Record<Grade, DutySubtotal> {
    const grades = GRADES.map((grade) => [grade, { entries: 0, ieepaDutyCents: 0 }]);
    const byGrade: Record<Grade, DutySubtotal> = Object.fromEntries(grades);
    for (const [name, { entries, ieepaDutyCents }] of this.#byClassification) {
      const subtotal = byGrade[CLASSIFICATION_RULES[name].grade];
      subtotal.entries += entries;
      subtotal.ieepaDutyCents += ieepaDutyCents;
    }
    return byGrade;
  }

  /** The number of entries with each warning, sorted by code. */
  warnings(): Partial<Record<WarningCode, number>> {
    const counts = new Map<WarningCode, number>();
    for (const [codes, entries] of this.#byWarnings) {
      for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + entries);
    }
    return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function addSubtotal(to: Subtotal, { entries, ieepaDutyCents, interestCents }: Subtotal): void {
  to.entries += entries;
  to.ieepaDutyCents += ieepaDutyCents;
  to.interestCents += interestCents;
}

function earlierDay(a: Day | null, b: Day | null): Day | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
