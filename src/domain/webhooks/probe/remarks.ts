import { type CaseId, getCase } from "./cases.ts";
import { type ProbeOutcome, type ProbeResponses, REJECTING_OUTCOMES } from "./responses.ts";

/** Milliseconds. No limit of the sender is shown (interface §6); many wait 5 to 15 seconds, and the sandbox 15. */
const SLOW_MS = 5_000;

/** What is worth a word about the answers, whatever they answer: advice, which never decides anything. */
export const REMARKS = {
  "answer.slow": `some answers take longer than ${SLOW_MS / 1000} s: answer first and work after that, before the sender gives up`,
  "answer.redirect": "a redirect is followed by nobody: answer at the address that is registered",
  "answer.server_error": "a refusal with 500 to 599 asks for another try: answer 401, or 400",
  "answer.postponed":
    "429 shows nothing of a rule: lift the limit on requests for the probe, or send fewer at once with --only",
  "answer.none": "no whole answer came, or none in time: look for a crash, and answer what you refuse, too",
} as const;

export interface Remark {
  readonly id: keyof typeof REMARKS;
  readonly cases: readonly CaseId[];
}

export function findRemarks(answers: ProbeResponses): readonly Remark[] {
  const having = (...outcomes: ProbeOutcome[]) =>
    [...answers].filter(([, { outcome }]) => outcomes.includes(outcome));
  const found: Record<keyof typeof REMARKS, ReturnType<typeof having>> = {
    "answer.slow": having("accepted", ...REJECTING_OUTCOMES).filter(
      ([, { durationMs: milliseconds }]) => milliseconds > SLOW_MS,
    ),
    "answer.redirect": having("redirected"),
    "answer.server_error": having("broke").filter(([id]) => getCase(id).expects === "refuse"),
    "answer.postponed": having("postponed"),
    "answer.none": having("unanswered"),
  };
  return (Object.keys(REMARKS) as (keyof typeof REMARKS)[]).flatMap((id) => {
    const cases = found[id].map(([each]) => each);
    return cases.length > 0 ? [{ id, cases }] : [];
  });
}
