import type { JudgedRequest, RuleResult } from "../assess.ts";
import { isDrillId } from "./drills.ts";
import type { ReceiverRule } from "./rules.ts";
import type { ReceiverTrial } from "./trial.ts";

/**
 * Judges each rule by what was sent to the receiver.
 *
 * @param target the path and the query of its URL
 */
export const assessReceiver = (
  rules: readonly ReceiverRule[],
  trial: ReceiverTrial,
  target: string,
): readonly RuleResult[] =>
  rules.map((rule): RuleResult => {
    const { verdict, evidence, requests: numbers } = rule.judge(trial);
    if (verdict !== "fail")
      return { rule, verdict, findings: [], reason: verdict === "untouched" ? evidence : null };
    const shown = trial.deliveries.filter(({ number }) => numbers.includes(number));
    const [drill = null, ...others] = new Set(shown.map(({ part }) => (isDrillId(part) ? part : null)));
    const requests = shown.map(({ number, response: { status } }): JudgedRequest => {
      const outcome = status === null ? "aborted" : "answered";
      return {
        number,
        operation: null,
        method: "POST",
        target,
        requestHeaders: [],
        status,
        outcome,
        fault: null,
      };
    });
    return {
      rule,
      verdict,
      findings: [{ scenario: others.length > 0 ? null : drill, evidence, requests }],
      reason: null,
    };
  });
