import {
  type ConformanceReport,
  isUnexpectedFailure,
  type ReportedRequest,
  type ReportedRule,
} from "../../../conformance/report.ts";
import type { RuleBasis } from "../../../conformance/rule.ts";
import { type ClaimsError, verificationError } from "../../../domain/errors.ts";
import { formatCount } from "../../../domain/numbers.ts";
import type { Check, CheckReport } from "../../output/check-report.ts";
import type { Block, RecordOutput } from "../../output/output.ts";

const BASES: readonly RuleBasis[] = ["documented", "assumed", "advice"];

const HEADINGS: Readonly<Record<RuleBasis, string>> = {
  documented: "Documented",
  assumed: "Assumed, which does not affect the result",
  advice: "Advice, which does not affect the result",
};

const MARKS = { pass: "✓", fail: "✗", untouched: "·", not_run: "·" } as const;

const WORDS = { pass: "pass", fail: "fails", untouched: "untouched", not_run: "not run" } as const;

function labelOf({ verdict, isExpected, isStale }: ReportedRule): string {
  if (isStale) return "pass, but is expected to fail";
  return verdict === "fail" && isExpected ? "fails as expected" : WORDS[verdict];
}

export function renderReport(report: ConformanceReport, failure: ClaimsError | undefined): RecordOutput {
  const { rules, scenarios, disclaimer, verdict } = report;
  const subject = subjectOf(report);
  return {
    kind: "record",
    json: report,
    id: verdict,
    blocks: [
      ...BASES.flatMap((basis) => rulesTable(basis, subject, rules)),
      ...rules.filter((rule) => rule.verdict === "fail").flatMap((rule) => failureCards(subject, rule)),
      ...reasonsCard(rules),
      subject === "receiver" ? deliveriesTable(scenarios) : runsTable(scenarios),
      { kind: "paragraph", lines: [countRules(rules), disclaimer], isAdvice: true },
    ],
    failure,
  };
}

type Subject = "program" | "receiver";

const subjectOf = ({ subject: { mode } }: ConformanceReport): Subject =>
  mode === "receiver" ? "receiver" : "program";

const runsTable = (scenarios: ConformanceReport["scenarios"]): Block => ({
  kind: "table",
  section: "scenario",
  title: "Runs of the program",
  columns: [{ name: "scenario" }, { name: "requests", align: "right" }, { name: "exit" }],
  rows: scenarios.map(({ id, requests, runs }) => [id, requests, runs.map(describeRun).join(", then ")]),
});

const deliveriesTable = (scenarios: ConformanceReport["scenarios"]): Block => ({
  kind: "table",
  section: "scenario",
  title: "Deliveries to the receiver",
  columns: [{ name: "scenario" }, { name: "deliveries", align: "right" }],
  rows: scenarios.map(({ id, requests }) => [id, requests]),
});

/** Why rules are untouched or not run. */
function reasonsCard(rules: readonly ReportedRule[]): readonly Block[] {
  const rows = rules.flatMap(({ id, reason }) => (reason === null ? [] : [[id, reason] as const]));
  return rows.length === 0 ? [] : [{ kind: "card", section: "reason", title: "Untouched or not run", rows }];
}

function rulesTable(basis: RuleBasis, subject: Subject, all: readonly ReportedRule[]): readonly Block[] {
  const rules = all.filter((rule) => rule.basis === basis);
  if (rules.length === 0) return [];
  return [
    {
      kind: "table",
      section: "rule",
      title: `${HEADINGS[basis]}: ${countRules(rules)}`,
      columns: ["", "rule", "verdict", `the ${subject} …`].map((name) => ({ name })),
      rows: rules.map((rule) => [MARKS[rule.verdict], rule.id, labelOf(rule), rule.title]),
      values: rules.map((rule) => [rule.id, basis, rule.verdict, rule.title]),
    },
  ];
}

/** Three counts, and the fourth if there is anything to count. */
function countRules(rules: readonly ReportedRule[]): string {
  const count = (verdict: ReportedRule["verdict"]) => rules.filter((rule) => rule.verdict === verdict).length;
  const notRun = count("not_run");
  const counts = `${count("pass")} pass, ${count("fail")} fail, ${count("untouched")} untouched`;
  return notRun === 0 ? counts : `${counts}, ${notRun} not run`;
}

const describeRun = ({
  exitCode,
  endedBy,
}: {
  readonly exitCode: number | null;
  readonly endedBy: string;
}): string => {
  if (endedBy === "timeout") return "out of time";
  if (endedBy === "scenario") return "killed";
  return exitCode === null ? "signal" : String(exitCode);
};

/** Shows the first failure of a rule, and where else it fails: the others are mostly the same. */
function failureCards(subject: Subject, rule: ReportedRule): readonly Block[] {
  const { id, title, statement, fix, repeat, findings } = rule;
  const [first] = findings;
  if (!first) return [];
  const { scenario, evidence, requests } = first;
  const scenarios = findings.flatMap((finding) => finding.scenario ?? []);
  return [
    {
      kind: "card",
      section: "failure",
      title: `${id}: ${labelOf(rule)}`,
      record: { id, scenarios, evidence, requests: listShownRequests(requests), statement, fix, repeat },
      rows: [
        ["rule", `the ${subject} ${title}`],
        ...(scenario === null ? [] : [["scenario", scenario] as const]),
        ["evidence", evidence],
        ...listShownRequests(requests).map((request) => ["request", request] as const),
        ...(scenarios.length > 1 ? [["also in", scenarios.slice(1).join(", ")] as const] : []),
        ["interface", statement],
        ["fix", fix],
        ["repeat", repeat],
      ],
    },
  ];
}

function listShownRequests(requests: readonly ReportedRequest[]): readonly string[] {
  const shown = requests.slice(0, MAX_SHOWN_REQUESTS).map(describeRequest);
  const left = requests.length - shown.length;
  return left === 0 ? shown : [...shown, `and ${formatCount(left, "more request")}`];
}

/** In a failure; the JSON has all. */
const MAX_SHOWN_REQUESTS = 8;

function describeRequest(request: ReportedRequest): string {
  const { number, method, target, status, outcome, fault, idempotencyKey } = request;
  const notes = [
    outcome === "answered" ? "" : outcome,
    fault === null ? "" : `fault: ${fault}`,
    idempotencyKey === null ? "" : `Idempotency-Key: ${idempotencyKey}`,
  ].filter(Boolean);
  return `#${number} ${method} ${target} ${[status ?? "no response", ...notes].join("; ")}`;
}

export function findFailure(report: ConformanceReport): ClaimsError | undefined {
  const { rules, verdict } = report;
  const failed = rules.filter(isUnexpectedFailure);
  const [first] = failed;
  if (first) {
    const message = `${formatCount(failed.length, "documented rule fails", "documented rules fail")}: ${failed.map(({ id }) => id).join(", ")}`;
    return verificationError("conformance_failed", message, { hint: `${first.id}: ${first.fix}` });
  }
  const stale = rules.filter(({ isStale }) => isStale).map(({ id }) => id);
  if (stale.length > 0)
    return verificationError("stale_expectation", `expected to fail, but pass: ${stale.join(", ")}`, {
      hint: "remove them from the file of --expected, or write it again with --write-expected",
    });
  if (verdict !== "untouched") return undefined;
  if (subjectOf(report) === "receiver")
    return verificationError("nothing_touched", "no rule is touched, so that nothing is shown", {
      hint: rules.find(({ reason }) => reason !== null)?.reason ?? "leave out --only",
    });
  return verificationError(
    "nothing_touched",
    "the program touched no rule: it sent nothing that a rule is about",
    {
      hint: "it has to send its requests to CLAIMS_BASE_URL; --verbose shows what it prints",
    },
  );
}

export function toCheckReport(report: ConformanceReport): CheckReport {
  const { subject, scenarios, rules, disclaimer } = report;
  const words = subject.command.join(" ");
  const runs = scenarios.flatMap(({ id, runs: own }) =>
    own.length === 0 ? [] : [`${id} ${own.map(describeRun).join(", then ")}`],
  );
  return {
    title: `claims conformance${words === "" ? "" : `: ${words}`}`,
    notes: [
      `${countRules(rules)}.`,
      disclaimer,
      ...(runs.length === 0 ? [] : [`Exit codes of the program: ${runs.join("; ")}.`]),
    ],
    checks: rules.map(toCheck),
    json: report,
  };
}

function toCheck(rule: ReportedRule): Check {
  const { id, basis, title, verdict, isStale, statement, fix, repeat, findings } = rule;
  const isFailed = isStale || isUnexpectedFailure(rule);
  const details = [
    ...findings.flatMap(({ scenario, evidence, requests }) => [
      scenario === null ? evidence : `${scenario}: ${evidence}`,
      ...listShownRequests(requests),
    ]),
    ...(statement === null || verdict !== "fail" ? [] : [`interface: ${statement}`]),
    ...(fix === null ? [] : [`fix: ${fix}`]),
    ...(repeat === null ? [] : [`repeat: ${repeat}`]),
  ];
  const outcome = isFailed ? "fail" : verdict === "fail" ? "notice" : verdict === "pass" ? "pass" : "skipped";
  return { id, group: basis, title: `the program ${title}`, verdict: outcome, label: labelOf(rule), details };
}
