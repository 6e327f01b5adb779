import type { DiligenceReport } from "../diligence/assessment.ts";
import { CLASSIFICATION_RULES, type Classification, GRADES, type Grade } from "../diligence/classify.ts";
import type { Subtotal } from "../diligence/totals.ts";

/** The amounts of a claim. All are integer US cents. */
export interface ClaimAmounts {
  readonly entryCount: number;
  readonly ieepaDutyCents: number;
  readonly interestCents: number;
  /** Duty + interest, as in the report. */
  readonly estimatedClaimCents: number;
  readonly litigationCents: number;
  readonly byGrade: Readonly<Record<Grade, GradeAmount>>;
}

export interface GradeAmount {
  readonly entries: number;
  readonly claimCents: number;
}

/** The amounts of a claim from the report of its job. The grades add up to the totals of the report. */
export function computeClaimAmounts({ totals, byClassification, byRoute }: DiligenceReport): ClaimAmounts {
  const { entriesAccepted: entryCount, ieepaDutyCents, interestCents, estimatedClaimCents } = totals;
  const byGrade = Object.fromEntries(GRADES.map((grade) => [grade, { entries: 0, claimCents: 0 }])) as Record<
    Grade,
    { entries: number; claimCents: number }
  >;
  for (const [name, subtotal] of Object.entries(byClassification)) {
    const sum = byGrade[CLASSIFICATION_RULES[name as Classification].grade];
    sum.entries += subtotal.entries;
    sum.claimCents += claimCentsOf(subtotal);
  }
  const litigationCents = byRoute.litigation ? claimCentsOf(byRoute.litigation) : 0;
  return { entryCount, ieepaDutyCents, interestCents, estimatedClaimCents, litigationCents, byGrade };
}

const claimCentsOf = ({ ieepaDutyCents, interestCents }: Subtotal): number => ieepaDutyCents + interestCents;
