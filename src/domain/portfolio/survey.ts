import { Assessor } from "../diligence/assess.ts";
import type { Grade } from "../diligence/classify.ts";
import type { GradeSubtotal } from "../diligence/report.ts";
import { Tally } from "../diligence/tally.ts";
import { type Day, formatOptionalDay } from "../entries/dates.ts";
import type { Entry } from "../entries/entry.ts";
import type { Comparison, PortfolioChanges } from "./changes.ts";
import { PortfolioFault } from "./portfolio-fault.ts";

/** A portfolio as it stands on a day; amounts in integer cents. */
export interface PortfolioFindings {
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
  readonly changes: PortfolioChanges | null;
}

/** Looks at a portfolio, entry by entry, with the model of the diligence jobs (diligence-model §2). */
export class Survey {
  readonly #asOf: Day;
  readonly #assessor: Assessor;
  readonly #tally = new Tally();
  readonly #comparison: Comparison | null;

  /** @param comparison that has all entries of an earlier portfolio; null where there is nothing to compare with */
  constructor(asOf: Day, comparison: Comparison | null) {
    this.#asOf = asOf;
    this.#assessor = new Assessor(asOf);
    this.#comparison = comparison;
  }

  /** Each entry number once. */
  add(entry: Entry): void {
    const assessed = this.#assessor.assess(entry);
    this.#tally.add(assessed, true, this.#asOf);
    this.#comparison?.add(assessed);
  }

  /** Throws a {@link PortfolioFault} where a total cannot be told. */
  findings(): PortfolioFindings {
    const { total, enteredValueCents, nearestDeadline, urgent } = this.#tally;
    const estimatedClaimCents = total.ieepaDutyCents + total.interestCents;
    requireExact(Math.max(enteredValueCents, estimatedClaimCents));
    return {
      totals: {
        ...total,
        enteredValueCents,
        estimatedClaimCents,
      },
      byGrade: this.#tally.byGrade(),
      nearestDeadline: formatOptionalDay(nearestDeadline),
      urgentEntryCount: urgent.entries,
      changes: this.#comparison?.changes() ?? null,
    };
  }
}

/** JSON numbers are exact up to 2^53 - 1. Each job is below it, several together need not be. */
function requireExact(largestTotal: number): void {
  if (largestTotal <= Number.MAX_SAFE_INTEGER) return;
  throw new PortfolioFault("A total of the portfolio passes 2^53 - 1 cents. Scan fewer jobs at once.");
}
