import { type CaseId, getCase } from "./cases.ts";

/**
 * What a receiver made of a delivery: it took it (200–299), refused it (400–499; `absent` for 404 and 405), put it off
 * (429), led elsewhere, broke down (500–599), or gave no whole answer.
 */
export type ProbeOutcome =
  | "accepted"
  | "rejected"
  | "absent"
  | "postponed"
  | "redirected"
  | "broke"
  | "unanswered";

export interface ProbeResponse {
  readonly outcome: ProbeOutcome;
  /** Null where there was no answer. */
  readonly status: number | null;
  /** From sending it to the end of its answer. */
  readonly durationMs: number;
}

/** Answers by case; those that were not sent are not there. */
export type ProbeResponses = ReadonlyMap<CaseId, ProbeResponse>;

export function classifyStatus(status: number): ProbeOutcome {
  if (status >= 200 && status < 300) return "accepted";
  if (status === 429) return "postponed";
  if (status === 404 || status === 405) return "absent";
  if (status >= 400 && status < 500) return "rejected";
  return status >= 300 && status < 400 ? "redirected" : "broke";
}

/** What keeps a delivery from being processed; a redirect may follow on its having been. */
export const REJECTING_OUTCOMES: readonly ProbeOutcome[] = ["rejected", "absent", "broke"];

/** Whether an answer is what its case expects; null where it shows nothing either way. */
export function meetsExpectation(id: CaseId, { outcome }: ProbeResponse): boolean | null {
  const { expects } = getCase(id);
  if (outcome === "postponed") return null;
  if (outcome === "unanswered") return expects === "accept" ? false : null;
  if (expects === "either") return true;
  return expects === "accept" ? outcome === "accepted" : REJECTING_OUTCOMES.includes(outcome);
}
