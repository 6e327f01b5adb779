import type { Grade } from "../diligence/classify.ts";
import { EntryClassifier } from "../diligence/entry-classifier.ts";
import type { GradeSubtotal } from "../diligence/report.ts";
import { Totals } from "../diligence/totals.ts";
import { type Day, formatOptionalDay } from "../entries/dates.ts";
import type { Entry } from "../entries/entry.ts";
import type { PortfolioComparison, ScanChanges } from "./comparison.ts";
import { ScanError } from "./scan-error.ts";

/** A portfolio as it stands on a day; amounts in integer cents. */
export interface ScanResult {
  readonly totals: {
    readonly entries: number;
    readonly enteredValueCents: number;
    readonly ieepaDutyCents: number;
    readonly interestCents: number;
    /** Duty + interest. */
    readonly estimatedClaimCents: number;
  };
  readonly byGrade: Readonly<Record<Grade, GradeSubtotal>>;
  /** `YYYY-MM-DD`. */
  readonly nearestDeadline: string | null;
  readonly urgentEntryCount: number;
  /** Null where there was nothing to compare with. */
  readonly changes: ScanChanges | null;
}

/** Looks at a portfolio, entry by entry, with the model of the diligence jobs (diligence-model §2). */
export class PortfolioScanner {
  readonly #asOf: Day;
  readonly #classifier: EntryClassifier;
  readonly #totals = new Totals();
  readonly #comparison: PortfolioComparison | null;

  /** @param comparison that has all entries of an earlier portfolio; null where there is nothing to compare with */
  constructor(asOf: Day, comparison: PortfolioComparison | null) {
    this.#asOf = asOf;
    this.#classifier = new EntryClassifier(asOf);
    this.#comparison = comparison;
  }

  /** Each entry number once. */
  add(entry: Entry): void {
    const classified = this.#classifier.classify(entry);
    this.#totals.add(classified, true, this.#asOf);
    this.#comparison?.addCurrentEntry(classified);
  }

  /** Throws a {@link ScanError} where a total cannot be told. */
  result(): ScanResult {
    const { total, enteredValueCents, nearestDeadline, urgent } = this.#totals;
    const estimatedClaimCents = total.ieepaDutyCents + total.interestCents;
    requireSafeTotal(Math.max(enteredValueCents, estimatedClaimCents));
    return {
      totals: {
        ...total,
        enteredValueCents,
        estimatedClaimCents,
      },
      byGrade: this.#totals.byGrade(),
      nearestDeadline: formatOptionalDay(nearestDeadline),
      urgentEntryCount: urgent.entries,
      changes: this.#comparison?.listChanges() ?? null,
    };
  }
}

/** JSON numbers are exact up to 2^53 - 1. Each job is below it, several together need not be. */
function requireSafeTotal(largestTotal: number): void {
  if (largestTotal <= Number.MAX_SAFE_INTEGER) return;
  throw new ScanError("A total of the portfolio passes 2^53 - 1 cents. Scan fewer jobs at once.");
}
