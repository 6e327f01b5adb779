import type { Grade } from "../diligence/classify.ts";
import { type ClassifiedEntry, createClassifier } from "../diligence/entry-classifier.ts";
import type { DutySubtotal, Subtotal } from "../diligence/totals.ts";
import { Totals } from "../diligence/totals.ts";
import { type Day, formatOptionalDay } from "../entries/dates.ts";
import type { Entry } from "../entries/entry.ts";
import type { PortfolioComparison, ScanChanges } from "./comparison.ts";

/** A portfolio as of one day. Amounts are integer cents. */
export interface ScanResult {
  readonly totals: Readonly<Subtotal> & {
    readonly enteredValueCents: number;
    /** The sum of duty and interest. */
    readonly estimatedClaimCents: number;
  };
  readonly byGrade: Readonly<Record<Grade, DutySubtotal>>;
  /** `YYYY-MM-DD`. */
  readonly nearestDeadline: string | null;
  readonly urgentEntryCount: number;
  /** Null without a baseline. */
  readonly changes: ScanChanges | null;
}

export class ScanError extends Error {
  override readonly name = "ScanError";
  readonly code = "AMOUNT_OVERFLOW";
}

/** Applies the model of diligence jobs (diligence-model §2) to the entries of a portfolio. */
export class PortfolioScanner {
  readonly #asOf: Day;
  readonly #classify: (entry: Entry) => ClassifiedEntry;
  readonly #totals = new Totals();
  readonly #comparison: PortfolioComparison | null;

  /** `comparison` has all entries of the baseline; null without a baseline. */
  constructor(asOf: Day, comparison: PortfolioComparison | null) {
    this.#asOf = asOf;
    this.#classify = createClassifier(asOf);
    this.#comparison = comparison;
  }

  /** Each entry number may come once. */
  add(entry: Entry): void {
    const classified = this.#classify(entry);
    this.#totals.add(classified, true, this.#asOf);
    this.#comparison?.addCurrentEntry(classified);
  }

  /** Throws ScanError when a total exceeds 2^53 - 1, which several jobs together can do. */
  result(): ScanResult {
    const { total, enteredValueCents, nearestDeadline, urgent } = this.#totals;
    const estimatedClaimCents = total.ieepaDutyCents + total.interestCents;
    if (Math.max(enteredValueCents, estimatedClaimCents) > Number.MAX_SAFE_INTEGER) {
      throw new ScanError("A total of the portfolio exceeds 2^53 - 1 cents. Scan fewer jobs at once.");
    }
    return {
      totals: { ...total, enteredValueCents, estimatedClaimCents },
      byGrade: this.#totals.byGrade(),
      nearestDeadline: formatOptionalDay(nearestDeadline),
      urgentEntryCount: urgent.entries,
      changes: this.#comparison?.listChanges() ?? null,
    };
  }
}
