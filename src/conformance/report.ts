import { statementText } from "../contract/labels.ts";
import { STATEMENTS } from "../contract/register.ts";
import type { Finding, RuleFacts, RuleResult, RuleVerdict } from "./assess.ts";
import { createNormalizer } from "./normalize.ts";
import type { RuleBasis } from "./rule.ts";
import type { ProgramRun, TrafficRequest } from "./trial.ts";

const DISCLAIMER = "This is a statement by the person who ran it, not a certificate of the service's owner.";

/** A request as a report shows it, equal from run to run. */
export interface ReportedRequest {
  readonly number: number;
  readonly method: string;
  readonly target: string;
  readonly status: number | null;
  readonly outcome: TrafficRequest["outcome"];
  readonly fault: string | null;
  /** As in `key 1`; null without one. */
  readonly idempotencyKey: string | null;
}

interface ReportedFinding {
  readonly scenario: string | null;
  readonly evidence: string;
  readonly requests: readonly ReportedRequest[];
}

export interface ReportedRule {
  readonly id: string;
  readonly basis: RuleBasis;
  readonly title: string;
  /** The statement with its section; null for advice without one. */
  readonly statement: string | null;
  readonly verdict: RuleVerdict;
  /** Whether the list of expected failures has it. */
  readonly isExpected: boolean;
  /** Whether that list should not have it: the rule passes. */
  readonly isStale: boolean;
  readonly findings: readonly ReportedFinding[];
  /** Why it is untouched, if that is known. */
  readonly reason: string | null;
  /** What to change; null unless the rule fails. */
  readonly fix: string | null;
  /** The command that repeats it; null unless the rule fails. */
  readonly repeat: string | null;
}

export interface ReportedScenario {
  readonly id: string;
  readonly requests: number;
  readonly runs: readonly Pick<ProgramRun, "exitCode" | "endedBy">[];
}

export interface ConformanceReport {
  readonly verdict: "passes" | "fails" | "untouched";
  readonly disclaimer: string;
  readonly subject: ReportSubject;
  readonly counts: Readonly<Record<"pass" | "fail" | "untouched" | "notRun", number>>;
  readonly scenarios: readonly ReportedScenario[];
  readonly rules: readonly ReportedRule[];
}

/** What was judged, and how. */
export interface ReportSubject {
  readonly mode: "scenarios" | "passive" | "requests" | "receiver";
  /** The words of the program, or the URL of the receiver. */
  readonly command: readonly string[];
  /** Null for a running sandbox or a receiver. */
  readonly seed: number | null;
  readonly grease: readonly string[];
  readonly version: string;
}

interface ReportInput {
  readonly subject: ReportSubject;
  readonly scenarios: readonly ReportedScenario[];
  readonly results: readonly RuleResult[];
  /** Ids of rules that are expected to fail. */
  readonly expected: ReadonlySet<string>;
  /** The command line that judges one rule in the same way. */
  readonly repeat: (rule: string) => string;
}

export function createReport(input: ReportInput): ConformanceReport {
  const { subject, scenarios, results, expected, repeat } = input;
  const rules = results.map(({ rule, verdict, findings, reason }): ReportedRule => {
    const isExpected = expected.has(rule.id);
    return {
      id: rule.id,
      basis: rule.basis,
      title: rule.title,
      statement: rule.statement && statementText(rule.statement),
      verdict,
      isExpected,
      isStale: isExpected && verdict === "pass",
      findings: findings.map(toReportedFinding),
      reason,
      fix: verdict === "fail" ? rule.fix : null,
      repeat: verdict === "fail" ? repeat(rule.id) : null,
    };
  });
  const count = (verdict: RuleVerdict) => rules.filter((rule) => rule.verdict === verdict).length;
  const counts = {
    pass: count("pass"),
    fail: count("fail"),
    untouched: count("untouched"),
    notRun: count("not_run"),
  };
  const fails = rules.some((rule) => rule.isStale || isUnexpectedFailure(rule));
  const verdict = fails ? "fails" : counts.pass + counts.fail === 0 ? "untouched" : "passes";
  return { verdict, disclaimer: DISCLAIMER, subject, counts, scenarios, rules };
}

/** Only documented rules decide: the others rest on what a service may do differently. */
export const isUnexpectedFailure = ({ basis, verdict, isExpected }: ReportedRule): boolean =>
  basis === "documented" && verdict === "fail" && !isExpected;

function toReportedFinding({ scenario, evidence, requests }: Finding): ReportedFinding {
  const normalize = createNormalizer(requests);
  return {
    scenario,
    evidence: normalize.text(evidence),
    requests: requests.map((request) => ({
      number: request.number,
      method: request.method,
      target: normalize.text(request.target),
      status: request.status,
      outcome: request.outcome,
      fault: request.fault,
      idempotencyKey: normalize.keyOf(request),
    })),
  };
}

/** The statements for programs and about the service that no rule covers, by id. An assumed rule is about what one leaves open. */
export function listUncoveredStatements(
  rules: readonly RuleFacts[],
): readonly { readonly id: string; readonly statement: string }[] {
  const covered = new Set<string>(
    rules.flatMap(({ basis, statement }) => (basis === "assumed" ? [] : (statement ?? []))),
  );
  return Object.entries({ ...STATEMENTS.contract, ...STATEMENTS.client })
    .filter(([id]) => !covered.has(id))
    .map(([id, statement]) => ({ id, statement }));
}
