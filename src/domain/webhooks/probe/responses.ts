import { type CaseId, CONTROL_CASE, getCase } from "./cases.ts";

/** What a receiver did with a delivery. */
export type ProbeOutcome =
  /** 200–299. */
  | "accepted"
  /** 200–299 with a body that reports a failure, such as `{"ok":false}`. */
  | "failure_in_body"
  /** 400–499, except those below. */
  | "rejected"
  /** 404 or 405. */
  | "not_found"
  /** 429. */
  | "rate_limited"
  | "redirected"
  /** 500–599, also when the delivery was sent again. */
  | "server_error"
  /** No response. */
  | "no_response";

export interface ProbeResponse {
  readonly outcome: ProbeOutcome;
  /** Null without a response. */
  readonly status: number | null;
  /** Why there was no response, such as `timeout`; null with one. */
  readonly error: string | null;
  /** The status of an earlier response, after which the delivery was sent again; null without one. */
  readonly firstStatus: number | null;
  /** From sending the delivery to the end of the response. */
  readonly durationMs: number;
  /** From our clock to that of the response's Date header, in seconds; null without the header. */
  readonly clockOffset: number | null;
  /** The beginning of the response body, without the secret and the correct signature. */
  readonly text: string;
  /** What the response reveals to the sender of a delivery without a correct signature. */
  readonly reveals: readonly ("secret" | "signature")[];
}

export type ProbeResponses = ReadonlyMap<CaseId, ProbeResponse>;

/** @param text the beginning of the response body */
export function classifyResponse(status: number, text = ""): ProbeOutcome {
  if (status >= 200 && status < 300) return FAILURE_IN_BODY.test(text) ? "failure_in_body" : "accepted";
  if (status === 429) return "rate_limited";
  if (status === 404 || status === 405) return "not_found";
  if (status >= 400 && status < 500) return "rejected";
  return status >= 300 && status < 400 ? "redirected" : "server_error";
}

/** Fields of a JSON object, as `{"ok":false}` and `{"status":"error"}`. */
const FAILURE_IN_BODY =
  /^\s*\{[^{}]*"(?:(?:ok|success|valid|verified|accepted)"\s*:\s*false\b|status"\s*:\s*"(?:error|fail|failed|failure|rejected|invalid|unauthorized)"|error"\s*:\s*(?:"[^"]|true\b|\{))/i;

/** Statuses that say that the delivery was refused. An error of the receiver says nothing about its rules. */
export const REFUSING_OUTCOMES: readonly ProbeOutcome[] = ["rejected", "not_found"];

/** Outcomes of a delivery that was not processed. A redirect can come after processing. */
export const UNPROCESSED_OUTCOMES: readonly ProbeOutcome[] = [...REFUSING_OUTCOMES, "server_error"];

/** Whether the receiver fails on a delivery and accepts or rejects it when it is sent again. */
export const isMixed = ({ outcome, firstStatus }: ProbeResponse): boolean =>
  outcome !== "server_error" && firstStatus !== null && firstStatus >= 500;

/** Whether the receiver refuses a genuine delivery and accepts it when it is sent again. */
export const isDiffering = ({ outcome, firstStatus }: ProbeResponse): boolean =>
  outcome === "accepted" && firstStatus !== null && firstStatus < 500;

export const answersDiffer = (responses: ProbeResponses): boolean =>
  [...responses.values()].some(isDiffering);

/** Whether the receiver does not accept the simplest genuine delivery. */
export const refusesSimplest = (responses: ProbeResponses): boolean =>
  (responses.get(CONTROL_CASE)?.outcome ?? "accepted") !== "accepted";

/** Whether the response to a case is what it expects; null if it proves neither. */
export function meetsExpectation(id: CaseId, responses: ProbeResponses): boolean | null {
  const response = responses.get(id);
  const { expects } = getCase(id);
  if (!response || expects === "either" || answersDiffer(responses)) return null;
  const { outcome } = response;
  if (outcome === "rate_limited") return null;
  if (outcome === "server_error" && [...responses.values()].some(isMixed)) return null;
  // A receiver that refuses the simplest genuine delivery refuses forged ones too, and shows nothing about advice.
  const isShown = !refusesSimplest(responses) || getCase(id).basis === "documented";
  if (expects === "reject") {
    if (outcome === "no_response" || !isShown) return null;
    if (!UNPROCESSED_OUTCOMES.includes(outcome)) return false;
    return refusesSimplest(responses) ? null : true;
  }
  if (!isShown) return null;
  return outcome === "failure_in_body" ? null : outcome === "accepted";
}

/** Seconds that the clock of the receiver is ahead of ours, by the Date headers of its responses; 0 if it is right. */
export function readClockOffset(responses: ProbeResponses): number {
  const offsets = [...responses.values()]
    .flatMap(({ clockOffset }) => clockOffset ?? [])
    .sort((a, b) => a - b);
  const median = offsets[Math.floor(offsets.length / 2)] ?? 0;
  return Math.abs(median) > MAX_CLOCK_DIFFERENCE_SECONDS ? Math.round(median) : 0;
}

/** A response can take some seconds, and the header has no fractions of one. */
const MAX_CLOCK_DIFFERENCE_SECONDS = 60;
