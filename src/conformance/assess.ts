import { statementText } from "../contract/labels.ts";
import { judgeEnd } from "./ends.ts";
import { mergeJudgements, UNTOUCHED } from "./judge.ts";
import type { ReportedRequest, ReportedRule } from "./report-document.ts";
import type { Judgement, Rule, Verdict } from "./rule.ts";
import { PLAIN_SCENARIO, SCENARIOS, type ScenarioId } from "./scenarios.ts";
import { requestHeader } from "./traffic.ts";
import type { LoggedRequest, Trial } from "./trial.ts";

/** What the trials show of a rule, or the responses of a receiver. */
export interface RuleResult
  extends Pick<ReportedRule, "id" | "basis" | "title" | "statement" | "verdict" | "findings" | "reason"> {
  readonly fix: string;
}

export const toFacts = ({ id, basis, statement, title, fix }: Rule) => ({
  id,
  basis,
  title,
  fix,
  statement: statement && statementText(statement),
});

/** Judges each rule by the trials that can touch it. One failure decides. */
export const assess = (rules: readonly Rule[], trials: readonly Trial[]): readonly RuleResult[] =>
  rules.map((rule) => {
    const own = trials.filter(({ scenario }) => canTouch(rule, scenario));
    const judgements = own.map((trial) => ({ trial, ...judgeTrial(rule, trial) }));
    const findings = judgements.flatMap(({ trial, verdict, evidence, requests: numbers }) => {
      if (verdict !== "fail") return [];
      const requests = trial.requests.filter(({ number }) => numbers.includes(number));
      return [{ scenario: trial.scenario, evidence, requests: toReported(requests) }];
    });
    const verdict = mergeVerdicts(rule, judgements);
    const [reason] = judgements.flatMap(({ evidence }) => (evidence === "" ? [] : [evidence]));
    const why = verdict === "not_run" ? reasonNotToRun(rule, trials) : (reason ?? null);
    const isDecided = verdict === "pass" || verdict === "fail";
    return { ...toFacts(rule), verdict, findings, reason: isDecided ? null : why };
  });

function toReported(requests: readonly LoggedRequest[]): readonly ReportedRequest[] {
  const keyOf = (request: LoggedRequest) => requestHeader(request, "idempotency-key");
  const keys = [...new Set(requests.map(keyOf).filter((key) => key !== null))];
  return requests.map((request) => {
    const { number, method, target, status, outcome, fault } = request;
    const key = keyOf(request);
    const idempotencyKey = key === null ? null : `key ${keys.indexOf(key) + 1}`;
    return { number, method, target, status, outcome, fault, idempotencyKey };
  });
}

/** A program that ends otherwise fails the rule of the scenario; one that ends as it should proves nothing by that. */
function judgeTrial({ judge, judgesEnd }: Rule, trial: Trial): Judgement {
  const judgement = judge(trial);
  if (judgement.verdict === "fail" || !judgesEnd || trial.scenario === null) return judgement;
  const end = SCENARIOS[trial.scenario].end === "results" ? judgeEnd(trial) : UNTOUCHED;
  return end.verdict === "pass" ? judgement : mergeJudgements([end, judgement]);
}

/** Null without scenarios: then the mode is the reason. */
function reasonNotToRun({ grease }: Rule, trials: readonly Trial[]): string | null {
  if (trials.every(({ scenario }) => scenario === null)) return null;
  if (trials.every(({ plain }) => plain?.isSilent))
    return "the program sends nothing that counts where everything works";
  return grease === undefined ? null : `needs --grease ${grease}`;
}

const isVariedIn = ({ requests }: Trial, grease: string): boolean =>
  requests.some(({ varied }) => varied.some((each) => each.startsWith(`${grease}=`)));

/** Traffic that no scenario made may contain anything. */
const canTouch = ({ scenarios }: Rule, scenario: ScenarioId | null): boolean =>
  scenario === null || scenarios === "any" || scenarios.includes(scenario);

function mergeVerdicts(
  { scenarios, grease }: Rule,
  judgements: readonly { readonly trial: Trial; readonly verdict: Verdict }[],
): RuleResult["verdict"] {
  const verdicts = judgements.map(({ verdict }) => verdict);
  if (verdicts.includes("fail")) return "fail";
  if (verdicts.includes("pass")) return "pass";
  const isVaried = grease === undefined || judgements.some(({ trial }) => isVariedIn(trial, grease));
  if (!isVaried) return "not_run";
  const hasRun = scenarios === "any" || judgements.some(({ trial }) => trial.scenario !== null);
  return hasRun ? "untouched" : "not_run";
}

/** The scenarios that can touch one of the rules; any traffic comes from the ordinary one. */
export function selectScenarios(rules: readonly Rule[]): readonly ScenarioId[] {
  const needed = new Set(
    rules.flatMap(({ scenarios, shownBy = [] }) => (scenarios === "any" ? shownBy : scenarios)),
  );
  if (needed.size === 0 || [...needed].some((id) => id !== PLAIN_SCENARIO)) needed.add(PLAIN_SCENARIO);
  return (Object.keys(SCENARIOS) as ScenarioId[]).filter((id) => needed.has(id));
}
