import { type CaseId, getCase } from "./cases.ts";
import { DIAGNOSES, type DiagnosisId, type DiagnosisText, type OutcomeCondition } from "./diagnoses.ts";
import { meetsExpectation, type ProbeOutcome, type ProbeResponses } from "./responses.ts";

export interface Diagnosis {
  readonly id: DiagnosisId;
  /** The responses that match the pattern. */
  readonly evidence: readonly { readonly case: CaseId; readonly outcome: ProbeOutcome }[];
}

export interface DiagnosisResult {
  readonly diagnoses: readonly Diagnosis[];
  /** Failed documented cases that no diagnosis explains. */
  readonly unexplained: readonly CaseId[];
}

/** Every diagnosis with a pattern that the responses match; a case that was not sent matches none. */
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
  const failed = [...responses].flatMap(([id, response]) =>
    getCase(id).basis === "documented" && meetsExpectation(id, response) === false ? [id] : [],
  );
  return { diagnoses, unexplained: failed.filter((id) => !explained.has(id)) };
}

function findEvidence({ patterns }: DiagnosisText, responses: ProbeResponses): Diagnosis["evidence"] | null {
  for (const conditions of patterns) {
    const matched = conditions.map((condition) => matchCondition(condition, responses));
    const cases = new Set(matched.flatMap((each) => each ?? []));
    if (matched.every((each) => each !== null))
      return [...responses].flatMap(([id, { outcome }]) => (cases.has(id) ? [{ case: id, outcome }] : []));
  }
  return null;
}

/** The cases that meet a condition; null if it does not hold. */
function matchCondition(
  { cases, outcomes, atLeastOne }: OutcomeCondition,
  responses: ProbeResponses,
): readonly CaseId[] | null {
  const matching = cases.filter((id) => {
    const response = responses.get(id);
    return response !== undefined && outcomes.includes(response.outcome);
  });
  const holds = atLeastOne ? matching.length > 0 : matching.length === cases.length;
  return holds ? matching : null;
}
