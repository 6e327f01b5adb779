import { judgeSuccess } from "../ends.ts";
import { inScenario } from "../judge.ts";
import type { Rule } from "../rule.ts";
import type { ScenarioId } from "../scenarios.ts";

/** A program need not cope with such a service, but must not report success. */
const honest = (
  scenario: ScenarioId,
  statement: Rule["statement"],
  facts: Pick<Rule, "title" | "fix">,
): Rule => ({
  id: scenario,
  basis: "advice",
  statement,
  ...facts,
  scenarios: [scenario],
  judge: inScenario(judgeSuccess),
});

/** What services do that the interface does not describe. */
export const SERVICE_RULES: readonly Rule[] = [
  honest("service.empty_response", "diligence", {
    title: "does not report success when a 202 has no body",
    fix: "take the job id from Location, or exit with another code than 0",
  }),
  honest("service.login_page", "errors", {
    title: "does not report success when a login page comes with 200",
    fix: "check the Content-Type of each response, and exit with another code than 0",
  }),
];
