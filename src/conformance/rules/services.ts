import { judgeSuccess } from "../ends.ts";
import { copesWith, inScenario } from "../judge.ts";
import { advice, type Rule } from "../rule.ts";
import type { ScenarioId } from "../scenarios.ts";
import { requestHeader } from "../traffic.ts";

/** A program need not cope with such a service, but must not report success. */
const honest = (
  scenarios: readonly [ScenarioId, ...ScenarioId[]],
  statement: Rule["statement"],
  facts: Pick<Rule, "title" | "fix">,
): Rule => ({
  id: scenarios[0],
  basis: "advice",
  statement,
  ...facts,
  scenarios,
  judge: inScenario(judgeSuccess),
});

/** What services do that the interface does not describe. */
export const SERVICE_RULES: readonly Rule[] = [
  honest(["service.empty_response"], "diligence", {
    title: "does not report success when a 202 has no body",
    fix: "take the job id from Location, or exit with another code than 0",
  }),
  {
    id: "service.compressed",
    ...advice(null),
    title: "reads a compressed response if it asks for one",
    fix: "leave out Accept-Encoding, or decode what it names",
    scenarios: ["service.compressed"],
    judgesEnd: true,
    judge: copesWith((each) => /gzip/i.test(requestHeader(each, "accept-encoding") ?? "")),
  },
  honest(["service.login_page", "service.login_page_at_once"], "errors", {
    title: "does not report success when a login page comes with 200",
    fix: "check the Content-Type of each response, and exit with another code than 0",
  }),
];
