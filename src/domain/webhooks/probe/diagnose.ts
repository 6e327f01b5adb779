import { type CaseId, getCase } from "./cases.ts";
import { DIAGNOSES, type DiagnosisId, type DiagnosisText, type OutcomeCondition } from "./diagnoses.ts";
import { meetsExpectation, type ProbeOutcome, type ProbeResponses } from "./responses.ts";

/** What the answers say of a receiver, and the answers that say it. */
export interface Diagnosis {
  readonly id: DiagnosisId;
  readonly evidence: readonly { readonly case: CaseId; readonly outcome: ProbeOutcome }[];
}

export interface DiagnosisResult {
  readonly diagnoses: readonly Diagnosis[];
  /** Failed documented cases that no diagnosis explains. */
  readonly unexplained: readonly CaseId[];
}

/** Every diagnosis whose pattern the answers show; a case that was not sent shows none. */
export function diagnose(responses: ProbeResponses): DiagnosisResult {
  const ids = Object.keys(DIAGNOSES) as DiagnosisId[];
  const diagnoses = ids.flatMap((id) => {
    const evidence = findEvidence(DIAGNOSES[id], responses);
    return evidence ? [{ id, evidence }] : [];
  });
  const explained = new Set<CaseId>(
    diagnoses.flatMap(({ id, evidence }) => [
      ...DIAGNOSES[id].explains,
      ...evidence.map((each) => each.case),
    ]),
  );
  const failed = [...responses].flatMap(([id, answer]) =>
    getCase(id).basis === "documented" && meetsExpectation(id, answer) === false ? [id] : [],
  );
  return { diagnoses, unexplained: failed.filter((id) => !explained.has(id)) };
}

function findEvidence({ patterns }: DiagnosisText, answers: ProbeResponses): Diagnosis["evidence"] | null {
  for (const conditions of patterns) {
    const matched = conditions.map((condition) => matchCondition(condition, answers));
    const cases = new Set(matched.flatMap((each) => each ?? []));
    if (matched.every((each) => each !== null))
      return [...answers].flatMap(([id, { outcome }]) => (cases.has(id) ? [{ case: id, outcome }] : []));
  }
  return null;
}

/** The cases that meet a condition; null where it does not hold. */
function matchCondition(
  { cases, outcomes, atLeastOne }: OutcomeCondition,
  answers: ProbeResponses,
): readonly CaseId[] | null {
  const matching = cases.filter((id) => {
    const answer = answers.get(id);
    return answer !== undefined && outcomes.includes(answer.outcome);
  });
  const holds = atLeastOne ? matching.length > 0 : matching.length === cases.length;
  return holds ? matching : null;
}
