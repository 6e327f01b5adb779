import { BASES, countVerdicts, explainUntouched } from "../../../conformance/report.ts";
import type {
  ConformanceReport,
  ReportedRequest,
  ReportedRule,
  ReportedScenario,
} from "../../../conformance/report-document.ts";
import type { RuleBasis } from "../../../conformance/rule.ts";
import { type ClaimsError, verificationError } from "../../../domain/errors.ts";
import { groupBy } from "../../../domain/group-by.ts";
import { formatCount } from "../../../domain/numbers.ts";
import { joinFirst } from "../../../domain/text.ts";
import type { CheckReport } from "../../output/check-report.ts";
import type { Block, RecordOutput } from "../../output/output.ts";

const HEADINGS: Readonly<Record<RuleBasis, string>> = {
  documented: "Documented",
  assumed: "Assumed",
  advice: "Advice",
};

const MARKS = { pass: "✓", fail: "✗", untouched: "·", not_run: "·" } as const;
const WORDS = { pass: "pass", fail: "fails", untouched: "untouched", not_run: "not run" } as const;

function labelOf({ verdict, isExpected, isStale }: ReportedRule): string {
  if (isStale) return "pass, but is expected to fail";
  return verdict === "fail" && isExpected ? "fails as expected" : WORDS[verdict];
}

/** What was found and what failed; with -v every rule, each failure with its requests, and the runs. */
export function renderReport(
  report: ConformanceReport,
  failure: ClaimsError | undefined,
  { isVerbose, findings = [] }: { readonly isVerbose: boolean; readonly findings?: readonly Block[] },
): RecordOutput {
  const { rules, scenarios, disclaimer, verdict } = report;
  const subject = subjectOf(report);
  const counts = describeCounts(report.counts);
  const shown: readonly Block[] = isVerbose
    ? [
        ...BASES.flatMap((basis) => rulesTable(basis, subject, rules)),
        ...rules.filter(({ verdict: own }) => own === "fail").map((rule) => failureCard(subject, rule)),
        ...reasonsCard(rules),
        ...(scenarios.length === 0 ? [] : [runsTable(scenarios)]),
        { kind: "paragraph", lines: [counts, disclaimer], isAdvice: true },
      ]
    : [
        ...failuresTable(rules),
        { kind: "paragraph", lines: [`${counts}; -v shows every rule.`], isAdvice: true },
      ];
  return { kind: "record", json: report, id: verdict, blocks: [...findings, ...shown], failure };
}

/** More would fill a screen. */
const MAX_SHOWN_FAILURES = 10;

/** A line for each thing to do, with the rules that fail without it: those that decide first. */
function failuresTable(all: readonly ReportedRule[]): readonly Block[] {
  const failed = all.filter(({ verdict }) => verdict === "fail");
  if (failed.length === 0) return [];
  const rules = failed.toSorted((one, other) => Number(other.isDecisive) - Number(one.isDecisive));
  const groups = [...groupBy(rules, ({ fix, isDecisive }) => `${isDecisive} ${fix}`).values()];
  const left = groups.length - MAX_SHOWN_FAILURES;
  const rows = groups.slice(0, MAX_SHOWN_FAILURES).map((group) => {
    const [{ isDecisive = false, fix = null } = {}] = group;
    const ids = group.map(({ id }) => id);
    return [isDecisive ? MARKS.fail : "\u00b7", joinFirst(ids, MAX_SHOWN_FAILURES), fix];
  });
  return [
    {
      kind: "table",
      section: "failure",
      columns: ["", "rule", "fix"].map((name) => ({ name })),
      rows: left > 0 ? [...rows, ["", `and ${left} more`, null]] : rows,
      values: rules.map(({ id, basis, fix, findings: [first] }) => [id, basis, first?.evidence ?? null, fix]),
    },
  ];
}

const failureCard = (subject: Subject, rule: ReportedRule): Block => ({
  kind: "card",
  section: "failure",
  title: `${rule.id}: ${labelOf(rule)}`,
  rows: [["rule", `${rule.id}: the ${subject} ${rule.title}`], ...listDetails(rule)],
});

type Subject = "program" | "receiver";

const subjectOf = ({ subject: { mode } }: ConformanceReport): Subject =>
  mode === "receiver" ? "receiver" : "program";

const END_WORDS = { results: "results are read", failure: "not 0", any: "any" } as const;

const runsTable = (scenarios: readonly ReportedScenario[]): Block => ({
  kind: "table",
  section: "scenario",
  title: "Runs of the program",
  columns: [
    { name: "scenario" },
    { name: "requests", align: "right" },
    { name: "exit" },
    { name: "correct end" },
  ],
  rows: scenarios.map(({ id, requests, runs, end }) => [
    id,
    requests,
    runs.map(describeRun).join(", then "),
    END_WORDS[end],
  ]),
});

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
      title: `${HEADINGS[basis]}: ${describeCounts(countVerdicts(rules))}`,
      columns: ["", "rule", "verdict", `the ${subject} …`].map((name) => ({ name })),
      rows: rules.map((rule) => [MARKS[rule.verdict], rule.id, labelOf(rule), rule.title]),
      values: rules.map((rule) => [rule.id, basis, rule.verdict, rule.title]),
    },
  ];
}

/** Three counts, and the fourth if there is anything to count. */
function describeCounts({ pass, fail, untouched, notRun }: ConformanceReport["counts"]): string {
  const counts = `${pass} pass, ${fail} fail, ${untouched} untouched`;
  return notRun === 0 ? counts : `${counts}, ${notRun} not run`;
}

const describeRun = ({ exitCode, endedBy }: ReportedScenario["runs"][number]): string => {
  if (endedBy === "timeout") return "out of time";
  if (endedBy === "scenario") return "killed";
  return exitCode === null ? "signal" : String(exitCode);
};

/** The first failure of a rule, and where else it fails: the others are mostly the same, and the JSON has all. */
function listDetails({ statement, fix, repeat, findings }: ReportedRule) {
  const [first] = findings;
  if (!first) return [];
  const { scenario, evidence, requests } = first;
  const scenarios = findings.flatMap((finding) => finding.scenario ?? []);
  const left = requests.length - MAX_SHOWN_REQUESTS;
  const values: readonly (readonly [name: string, value: string | null])[] = [
    ["scenario", scenario],
    ["evidence", evidence],
    ...requests.slice(0, MAX_SHOWN_REQUESTS).map((each) => ["request", describeRequest(each)] as const),
    ["request", left > 0 ? `and ${formatCount(left, "more request")}` : null],
    ["also in", scenarios.length > 1 ? scenarios.slice(1).join(", ") : null],
    ["interface", statement],
    ["fix", fix],
    ["repeat", repeat],
  ];
  return values.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

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
  const { rules, verdict, missing } = report;
  const failed = rules.filter(({ isDecisive, verdict: own }) => isDecisive && own === "fail");
  const [first] = failed;
  if (first) {
    const kind = failed.every(({ basis }) => basis === "documented") ? "documented rule" : "rule";
    const message = `${formatCount(failed.length, `${kind} fails`, `${kind}s fail`)}: ${failed.map(({ id }) => id).join(", ")}`;
    return verificationError("conformance_failed", message, { hint: `${first.id}: ${first.fix}` });
  }
  const stale = rules.filter(({ isStale }) => isStale).map(({ id }) => id);
  if (stale.length > 0)
    return verificationError("stale_expectation", `expected to fail, but pass: ${stale.join(", ")}`, {
      hint: "remove them from the file of --expected",
    });
  if (missing.length > 0)
    return verificationError("nothing_touched", `required, but untouched: ${missing.join(", ")}`, {
      hint: "the program no longer does what these rules are about; give --require only for what it does",
    });
  if (verdict !== "untouched") return undefined;
  const message = `the ${subjectOf(report)} touched no rule: nothing occurred that a rule is about`;
  return verificationError("nothing_touched", message, { hint: explainUntouched(report) });
}

export function toCheckReport(report: ConformanceReport): CheckReport {
  const { subject, scenarios, rules, disclaimer } = report;
  const words = subject.command.join(" ");
  const runs = scenarios.flatMap(({ id, runs: own }) =>
    own.length === 0 ? [] : [`${id} ${own.map(describeRun).join(", then ")}`],
  );
  return {
    title: `claims ${subject.mode === "receiver" ? "webhooks probe" : "conformance"}${words === "" ? "" : `: ${words}`}`,
    notes: [
      `${describeCounts(report.counts)}.`,
      disclaimer,
      ...(runs.length === 0 ? [] : [`Exit codes of the program: ${runs.join("; ")}.`]),
    ],
    checks: rules.map((rule) => ({
      id: rule.id,
      group: rule.basis,
      title: `the ${subjectOf(report)} ${rule.title}`,
      verdict: rule.isDecisive ? "fail" : CHECK_VERDICTS[rule.verdict],
      label: labelOf(rule),
      details: listDetails(rule).map(([name, value]) => `${name}: ${value}`),
    })),
    json: report,
  };
}

/** Of a rule that does not decide. */
const CHECK_VERDICTS = { pass: "pass", fail: "notice", untouched: "skipped", not_run: "skipped" } as const;
