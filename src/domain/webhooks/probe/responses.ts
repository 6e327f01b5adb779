import { type CaseId, getCase } from "./cases.ts";

/** What a receiver did with a delivery. */
export type ProbeOutcome =
  /** 200–299. */
  | "accepted"
  /** 400–499, except those below. */
  | "rejected"
  /** 404 or 405. */
  | "not_found"
  /** 429. */
  | "rate_limited"
  | "redirected"
  /** 500–599. */
  | "server_error"
  /** No response, or an incomplete one. */
  | "no_response";

export interface ProbeResponse {
  readonly outcome: ProbeOutcome;
  /** Null without a response. */
  readonly status: number | null;
  /** From sending the delivery to the end of the response. */
  readonly durationMs: number;
}

export type ProbeResponses = ReadonlyMap<CaseId, ProbeResponse>;

export function classifyStatus(status: number): ProbeOutcome {
  if (status >= 200 && status < 300) return "accepted";
  if (status === 429) return "rate_limited";
  if (status === 404 || status === 405) return "not_found";
  if (status >= 400 && status < 500) return "rejected";
  return status >= 300 && status < 400 ? "redirected" : "server_error";
}

/** Outcomes of a delivery that was not processed. A redirect can come after processing. */
export const REJECTING_OUTCOMES: readonly ProbeOutcome[] = ["rejected", "not_found", "server_error"];

/** Whether the response is what its case expects; null if it proves neither. */
export function meetsExpectation(id: CaseId, { outcome }: ProbeResponse): boolean | null {
  const { expects } = getCase(id);
  if (outcome === "rate_limited") return null;
  if (outcome === "no_response") return expects === "accept" ? false : null;
  if (expects === "either") return true;
  return expects === "accept" ? outcome === "accepted" : REJECTING_OUTCOMES.includes(outcome);
}
