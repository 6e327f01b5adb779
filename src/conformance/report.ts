import type { RuleResult } from "./assess.ts";
import type { ConformanceReport, ReportedRule, ReportedScenario, ReportSubject } from "./report-document.ts";
import type { RuleBasis } from "./rule.ts";

const DISCLAIMER = "This is a statement by the person who ran it, not a certificate of the service's owner.";

/** When the command fails, besides for documented rules. */
export interface Gate {
  /** The basis up to which a failure decides; a list of expected failures makes each basis decide. */
  readonly failOn: RuleBasis;
  /** Ids of rules that are expected to fail; null without a list. */
  readonly expected: ReadonlySet<string> | null;
  /** Groups and rules that have to be touched. */
  readonly required: readonly string[];
}

interface ReportInput {
  readonly subject: ReportSubject;
  readonly scenarios: readonly ReportedScenario[];
  readonly results: readonly RuleResult[];
  readonly gate: Gate;
  /** Whether the program sends nothing that counts. */
  readonly isSilent?: boolean;
  readonly repeat: (rule: string) => string;
}

/** In the order in which `--fail-on` extends what decides. */
export const BASES: readonly RuleBasis[] = ["documented", "assumed", "advice"];

/** `submit` names `submit.lost_answer`, and not `submits`. */
export const isNamed = ({ id }: { readonly id: string }, word: string): boolean =>
  id === word || id.startsWith(`${word}.`);

export function createReport(input: ReportInput): ConformanceReport {
  const { subject, scenarios, results, gate, isSilent = false, repeat } = input;
  const { failOn, expected, required } = gate;
  const rules = results.map((rule): ReportedRule => {
    const { id, basis, verdict, fix } = rule;
    const isExpected = expected?.has(id) ?? false;
    const isStale = isExpected && verdict === "pass";
    const decides = expected !== null || BASES.indexOf(basis) <= BASES.indexOf(failOn);
    const isFailure = verdict === "fail";
    return {
      ...rule,
      isExpected,
      isStale,
      isDecisive: isStale || (decides && isFailure && !isExpected),
      fix: isFailure ? fix : null,
      repeat: isFailure ? repeat(id) : null,
    };
  });
  const counts = countVerdicts(rules);
  const isTouched = (word: string) =>
    rules.some((rule) => isNamed(rule, word) && (rule.verdict === "pass" || rule.verdict === "fail"));
  const missing = required.filter((word) => !isTouched(word) && !expected?.has(word));
  const fails = missing.length > 0 || rules.some(({ isDecisive }) => isDecisive);
  const isUntouched = counts.fail === 0 && (isSilent || counts.pass === 0);
  const verdict = fails ? "fails" : isUntouched ? "untouched" : "passes";
  return { verdict, disclaimer: DISCLAIMER, subject, counts, scenarios, rules, missing };
}

export function countVerdicts(rules: readonly ReportedRule[]): ConformanceReport["counts"] {
  const count = (verdict: ReportedRule["verdict"]) => rules.filter((rule) => rule.verdict === verdict).length;
  return {
    pass: count("pass"),
    fail: count("fail"),
    untouched: count("untouched"),
    notRun: count("not_run"),
  };
}

export function explainUntouched({ rules, scenarios }: ConformanceReport): string {
  const exitCode = scenarios[0]?.runs.at(-1)?.exitCode;
  if (exitCode) return `the program exits ${exitCode}; --verbose shows what it prints`;
  return (
    rules.find(({ reason }) => reason !== null)?.reason ??
    "it has to send its requests to CLAIMS_BASE_URL; --verbose shows what it prints"
  );
}
