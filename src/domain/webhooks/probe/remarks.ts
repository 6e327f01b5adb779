import { type CaseId, getCase } from "./cases.ts";
import { type ProbeOutcome, type ProbeResponses, REJECTING_OUTCOMES } from "./responses.ts";

/** The interface does not show the sender's timeout (§6); many use 5 to 15 seconds, and the sandbox 15. */
const SLOW_MS = 5_000;

/** Advice on the responses, whatever their cases. It does not decide the exit code. */
export const REMARKS = {
  "answer.slow": `some responses take longer than ${SLOW_MS / 1000} s: respond first and process the event after that`,
  "answer.redirect": "senders do not follow redirects: respond at the registered URL",
  "answer.server_error": "the service retries a delivery that you reject with 500 to 599: respond 401 or 400",
  "answer.postponed":
    "429 proves nothing about a rule: raise the rate limit for the probe, or send fewer cases with --only",
  "answer.none":
    "no complete response, or none within the timeout: look for a crash, and respond to rejected deliveries too",
} as const;

export interface Remark {
  readonly id: keyof typeof REMARKS;
  readonly cases: readonly CaseId[];
}

export function findRemarks(responses: ProbeResponses): readonly Remark[] {
  const findByOutcome = (...outcomes: ProbeOutcome[]) =>
    [...responses].filter(([, { outcome }]) => outcomes.includes(outcome));
  const found: readonly (readonly [Remark["id"], ReturnType<typeof findByOutcome>])[] = [
    [
      "answer.slow",
      findByOutcome("accepted", ...REJECTING_OUTCOMES).filter(([, { durationMs }]) => durationMs > SLOW_MS),
    ],
    ["answer.redirect", findByOutcome("redirected")],
    ["answer.server_error", findByOutcome("server_error").filter(([id]) => getCase(id).expects === "reject")],
    ["answer.postponed", findByOutcome("rate_limited")],
    ["answer.none", findByOutcome("no_response")],
  ];
  return found
    .map(([id, cases]) => ({ id, cases: cases.map(([each]) => each) }))
    .filter(({ cases }) => cases.length > 0);
}
