import { isMet, type Outcome, type ProbeAnswers } from "./answers.ts";
import { type CaseId, caseOf } from "./cases.ts";
import { type Condition, DIAGNOSES, type DiagnosisId, type DiagnosisText } from "./diagnoses.ts";

/** What the answers say of a receiver, and the answers that say it. */
export interface Diagnosis {
  readonly id: DiagnosisId;
  readonly evidence: readonly { readonly case: CaseId; readonly outcome: Outcome }[];
}

export interface Diagnosed {
  readonly diagnoses: readonly Diagnosis[];
  /** Failed documented cases that no diagnosis explains. */
  readonly unexplained: readonly CaseId[];
}

/** Every diagnosis whose pattern the answers show; a case that was not sent shows none. */
export function diagnose(answers: ProbeAnswers): Diagnosed {
  const ids = Object.keys(DIAGNOSES) as DiagnosisId[];
  const diagnoses = ids.flatMap((id) => {
    const evidence = evidenceOf(DIAGNOSES[id], answers);
    return evidence ? [{ id, evidence }] : [];
  });
  const explained = new Set<CaseId>(
    diagnoses.flatMap(({ id, evidence }) => [
      ...DIAGNOSES[id].explains,
      ...evidence.map((each) => each.case),
    ]),
  );
  const failed = [...answers].flatMap(([id, answer]) =>
    caseOf(id).basis === "documented" && isMet(id, answer) === false ? [id] : [],
  );
  return { diagnoses, unexplained: failed.filter((id) => !explained.has(id)) };
}

function evidenceOf({ patterns }: DiagnosisText, answers: ProbeAnswers): Diagnosis["evidence"] | null {
  for (const conditions of patterns) {
    const shown = conditions.map((condition) => shownBy(condition, answers));
    const cases = new Set(shown.flatMap((each) => each ?? []));
    if (shown.every((each) => each !== null))
      return [...answers].flatMap(([id, { outcome }]) => (cases.has(id) ? [{ case: id, outcome }] : []));
  }
  return null;
}

/** The cases that meet a condition; null where it does not hold. */
function shownBy(
  { cases, outcomes, atLeastOne }: Condition,
  answers: ProbeAnswers,
): readonly CaseId[] | null {
  const meeting = cases.filter((id) => {
    const answer = answers.get(id);
    return answer !== undefined && outcomes.includes(answer.outcome);
  });
  const holds = atLeastOne ? meeting.length > 0 : meeting.length === cases.length;
  return holds ? meeting : null;
}
