import type { CaseId } from "./cases.ts";
import type { ProbeOutcome, ProbeResponse, ProbeResponses } from "./responses.ts";

/** Holds if each of the cases, or at least one of them, had one of the outcomes. */
export interface OutcomeCondition {
  readonly cases: readonly CaseId[];
  readonly outcomes: readonly ProbeOutcome[];
  readonly atLeastOne?: true;
  /** Only deliveries whose responses it selects. */
  readonly only?: (response: ProbeResponse) => boolean;
}

/** The cases that meet a condition; null if it does not hold. */
export function matchCondition(
  { cases, outcomes, atLeastOne, only }: OutcomeCondition,
  responses: ProbeResponses,
): readonly CaseId[] | null {
  const matching = cases.filter((id) => {
    const response = responses.get(id);
    return response !== undefined && outcomes.includes(response.outcome) && (only?.(response) ?? true);
  });
  const holds = atLeastOne ? matching.length > 0 : matching.length === cases.length;
  return holds ? matching : null;
}
