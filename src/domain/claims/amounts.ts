import { type Classification, findClassificationRule, GRADES, type Grade } from "../diligence/classify.ts";
import type { DiligenceReport, Subtotal } from "../diligence/report.ts";

/** What a claim is about. All amounts are integer US cents. */
export interface ClaimAmounts {
  readonly entryCount: number;
  readonly ieepaDutyCents: number;
  readonly interestCents: number;
  /** Duty + interest, as the report has it. */
  readonly estimatedClaimCents: number;
  /** The part of it whose route is litigation. */
  readonly litigationCents: number;
  /** The whole of it, by grade. */
  readonly byGrade: Readonly<Record<Grade, GradeAmount>>;
}

export interface GradeAmount {
  readonly entries: number;
  readonly claimCents: number;
}

/** Amounts of a claim from the report of its job: the parts add up to the report's totals, to the cent. */
export function computeClaimAmounts({ totals, byClassification, byRoute }: DiligenceReport): ClaimAmounts {
  const { entriesAccepted, ieepaDutyCents, interestCents, estimatedClaimCents } = totals;
  const classes = Object.entries(byClassification) as [Classification, Subtotal][];
  const sumGrade = (grade: Grade): GradeAmount => {
    const subtotals = classes
      .filter(([name]) => findClassificationRule(name).grade === grade)
      .map(([, subtotal]) => subtotal);
    return {
      entries: subtotals.reduce((sum, { entries }) => sum + entries, 0),
      claimCents: subtotals.reduce((sum, subtotal) => sum + claimCentsOf(subtotal), 0),
    };
  };
  return {
    entryCount: entriesAccepted,
    ieepaDutyCents,
    interestCents,
    estimatedClaimCents,
    litigationCents: byRoute.litigation ? claimCentsOf(byRoute.litigation) : 0,
    byGrade: Object.fromEntries(GRADES.map((grade) => [grade, sumGrade(grade)])) as Record<
      Grade,
      GradeAmount
    >,
  };
}

const claimCentsOf = ({ ieepaDutyCents, interestCents }: Subtotal): number => ieepaDutyCents + interestCents;
