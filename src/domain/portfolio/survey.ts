import { Assessor } from "../diligence/assess.ts";
import type { Grade } from "../diligence/classify.ts";
import type { GradeSubtotal } from "../diligence/report.ts";
import { Tally } from "../diligence/tally.ts";
import { type Day, formatOptionalDay } from "../entries/dates.ts";
import type { Entry } from "../entries/entry.ts";
import { Comparison, type PortfolioChanges } from "./changes.ts";

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

/** An earlier portfolio. */
export interface Baseline {
  /** By entry number. */
  readonly entries: Map<string, Entry>;
  readonly asOf: Day;
}

/** Looks at a portfolio, entry by entry, with the model of the diligence jobs (diligence-model §2). */
export class Survey {
  readonly #asOf: Day;
  readonly #assessor: Assessor;
  readonly #tally = new Tally();
  readonly #comparison: Comparison | null;

  constructor(asOf: Day, baseline: Baseline | null) {
    this.#asOf = asOf;
    this.#assessor = new Assessor(asOf);
    this.#comparison = baseline && new Comparison(baseline.entries, baseline.asOf);
  }

  /** Each entry number once. */
  add(entry: Entry): void {
    const assessed = this.#assessor.assess(entry);
    this.#tally.add(assessed, true, this.#asOf);
    this.#comparison?.add(assessed);
  }

  findings(): PortfolioFindings {
    const { total, enteredValueCents, nearestDeadline, urgent } = this.#tally;
    return {
      totals: {
        ...total,
        enteredValueCents,
        estimatedClaimCents: total.ieepaDutyCents + total.interestCents,
      },
      byGrade: this.#tally.byGrade(),
      nearestDeadline: formatOptionalDay(nearestDeadline),
      urgentEntryCount: urgent.entries,
      changes: this.#comparison?.finish() ?? null,
    };
  }
}
