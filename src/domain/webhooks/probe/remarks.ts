import { type CaseId, getCase } from "./cases.ts";
import { breaksSometimes, type ProbeOutcome, type ProbeResponse, type ProbeResponses } from "./responses.ts";

/** The interface does not show the sender's timeout (§6); many use 5 to 15 seconds, and the sandbox 15. */
const SLOW_MS = 5_000;

type Matches = (response: ProbeResponse, id: CaseId, responses: ProbeResponses) => boolean;

const remark = (advice: string, matches: Matches) => ({ advice, matches });

const hasOutcome =
  (...outcomes: ProbeOutcome[]): Matches =>
  ({ outcome }) =>
    outcomes.includes(outcome);

/** Advice on the responses, whatever their cases, in the order of the report. It does not decide the exit code. */
export const REMARKS = {
  "response.reveals_secret": remark(
    "the response contains the signing secret: respond with a fixed text, and replace the secret",
    ({ reveals }) => reveals.includes("secret"),
  ),
  "response.reveals_signature": remark(
    "the response to a wrong signature contains the correct one, so that anyone can sign: respond with a fixed text",
    ({ reveals }) => reveals.includes("signature"),
  ),
  "response.slow": remark(
    `some responses take longer than ${SLOW_MS / 1000} s: respond first and process the event after that`,
    ({ durationMs, outcome }) =>
      durationMs > SLOW_MS && !(["redirected", "rate_limited", "no_response"] as string[]).includes(outcome),
  ),
  "response.redirect": remark(
    "senders do not follow redirects: respond at the registered URL",
    hasOutcome("redirected"),
  ),
  "response.server_error": remark(
    "the service retries a delivery that you reject with 500 to 599: respond 401 or 400",
    ({ outcome }, id, responses) =>
      !breaksSometimes(responses) && outcome === "server_error" && getCase(id).expects === "reject",
  ),
  "response.failure_in_body": remark(
    "a 2xx response reports a failure in its body; a sender reads only the status: respond 401 or 400 if it is one",
    hasOutcome("failure_in_body"),
  ),
  "response.rate_limited": remark(
    "429 proves nothing about a rule: raise the rate limit for the probe, or send fewer cases with --only",
    hasOutcome("rate_limited"),
  ),
  "response.none": remark(
    "no complete response, or none within the timeout: look for a crash, and respond to rejected deliveries too",
    hasOutcome("no_response"),
  ),
} as const;

export interface ProbeRemark {
  readonly id: keyof typeof REMARKS;
  readonly cases: readonly CaseId[];
}

export const findRemarks = (responses: ProbeResponses): readonly ProbeRemark[] =>
  (Object.keys(REMARKS) as ProbeRemark["id"][])
    .map((id) => {
      const { matches } = REMARKS[id];
      const cases = [...responses].filter(([each, response]) => matches(response, each, responses));
      return { id, cases: cases.map(([each]) => each) };
    })
    .filter(({ cases }) => cases.length > 0);
