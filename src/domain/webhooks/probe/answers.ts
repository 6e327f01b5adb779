import { type CaseId, caseOf } from "./cases.ts";

/**
 * What a receiver made of a delivery: it took it (200–299), refused it (400–499; `absent` for 404 and 405), put it off
 * (429), led elsewhere, broke down (500–599), or gave no whole answer.
 */
export type Outcome =
  | "accepted"
  | "rejected"
  | "absent"
  | "postponed"
  | "redirected"
  | "broke"
  | "unanswered";

export interface ProbeAnswer {
  readonly outcome: Outcome;
  /** Null where there was no answer. */
  readonly status: number | null;
  /** From sending it to the end of its answer. */
  readonly milliseconds: number;
}

/** Answers by case; those that were not sent are not there. */
export type ProbeAnswers = ReadonlyMap<CaseId, ProbeAnswer>;

export function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return "accepted";
  if (status === 429) return "postponed";
  if (status === 404 || status === 405) return "absent";
  if (status >= 400 && status < 500) return "rejected";
  return status >= 300 && status < 400 ? "redirected" : "broke";
}

/** What keeps a delivery from being processed; a redirect may follow on its having been. */
export const REFUSALS: readonly Outcome[] = ["rejected", "absent", "broke"];

/** Whether an answer is what its case expects; null where it shows nothing either way. */
export function isMet(id: CaseId, { outcome }: ProbeAnswer): boolean | null {
  const { expects } = caseOf(id);
  if (outcome === "postponed") return null;
  if (outcome === "unanswered") return expects === "accept" ? false : null;
  if (expects === "either") return true;
  return expects === "accept" ? outcome === "accepted" : REFUSALS.includes(outcome);
}
