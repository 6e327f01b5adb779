import type { Judgement, Rule } from "./rule.ts";
import type { TrafficRequest, Trial } from "./trial.ts";

const untouched: Judgement = { verdict: "untouched", evidence: "", requests: [] };

const findHeader = ({ requestHeaders }: TrafficRequest, name: string): string | undefined =>
  requestHeaders.find(([each]) => each.toLowerCase() === name)?.[1];

const bearer: Rule = {
  id: "credential.bearer",
  basis: "documented",
  statement: "bearer",
  title: "sends the credential as Authorization: Bearer",
  fix: "send Authorization: Bearer with the managed credential",
  scenarios: "any",
  judge({ requests }: Trial) {
    const sent = requests.filter(({ operation }) => operation !== null && operation !== "oauth.token");
    const wrong = sent.filter((request) => !/^Bearer /i.test(findHeader(request, "authorization") ?? ""));
    if (sent.length === 0) return untouched;
    if (wrong.length === 0) return { verdict: "pass", evidence: "", requests: [] };
    return {
      verdict: "fail",
      evidence: "requests have no Authorization: Bearer",
      requests: wrong.map(({ number }) => number),
    };
  },
};

const lostAnswer: Rule = {
  id: "submit.lost_answer",
  basis: "assumed",
  statement: "errors",
  title: "makes one job after a lost response, by the key",
  fix: "send an Idempotency-Key with the submission, and repeat it with the same key",
  scenarios: ["submit.lost_answer"],
  judge({ requests, jobs }: Trial) {
    const sent = requests.filter(({ operation }) => operation === "diligence.submit");
    if (!sent.some(({ outcome }) => outcome === "lost")) return untouched;
    if (jobs.length <= 1) return { verdict: "pass", evidence: "", requests: [] };
    return {
      verdict: "fail",
      evidence: `one file became ${jobs.length} jobs`,
      requests: sent.map(({ number }) => number),
    };
  },
};

/** In the order of the report. */
export const RULES: readonly Rule[] = [bearer, lostAnswer];
