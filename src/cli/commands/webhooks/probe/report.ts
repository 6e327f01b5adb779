import type { RuleResult } from "../../../../conformance/assess.ts";
import type { ConformanceReport } from "../../../../conformance/report-document.ts";
import { unreachableError, verificationError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { type CaseId, CONTROL_CASE, getCase } from "../../../../domain/webhooks/probe/cases.ts";
import { type Diagnosis, describeClockOffset } from "../../../../domain/webhooks/probe/diagnoses.ts";
import {
  answersDiffer,
  meetsExpectation,
  type ProbeOutcome,
  type ProbeResponse,
  type ProbeResponses,
  readClockOffset,
  refusesSimplest,
} from "../../../../domain/webhooks/probe/responses.ts";
import type { Block, RecordOutput } from "../../../output/output.ts";
import { findFailure, renderReport } from "../../conformance/render.ts";

export function renderCases(url: URL, ids: readonly CaseId[]): RecordOutput {
  const cases = ids.map(factsOf);
  const rows = cases.map(({ id, sends, expects, source }) => [id, sends, expects, source]);
  const columns = ["case", "sends", "expects", "source"].map((name) => ({ name }));
  return { kind: "record", json: { url: url.href, cases }, blocks: [{ kind: "table", columns, rows }] };
}

export const judgeCases = (ids: readonly CaseId[], responses: ProbeResponses): readonly RuleResult[] =>
  ids.map((id) => {
    const { basis, sends, expects, source } = getCase(id);
    const met = meetsExpectation(id, responses);
    const verdict = met === null ? "untouched" : met ? "pass" : "fail";
    const verb = { accept: "accepts", reject: "rejects", either: "accepts or rejects" }[expects];
    const response = responses.get(id);
    const isRefusedToo = met === false && response?.outcome !== "accepted" && refusesSimplest(responses);
    return {
      id,
      basis,
      statement: source,
      title: `${verb} ${sends}`,
      fix: isRefusedToo ? SAME_FIX : (RULE_FIXES[source] ?? source),
      verdict,
      findings: met === false ? [{ scenario: null, evidence: describeResponse(response), requests: [] }] : [],
      reason: met === null ? explainUntouched(id, responses) : null,
    };
  });

/** A sentence for each rule of the interface; of an advice, its source is one. */
const RULE_FIXES: Readonly<Record<string, string>> = {
  "interface §6, rule 1": "sign <timestamp>.<body>, with the time of the header",
  "interface §6, rule 2": "use HMAC-SHA256 with the whole secret as its key",
  "interface §6, rule 3": "verify the raw bytes, before any parser",
  "interface §6, rule 4": "reject it before anything else",
  "interface §6, rule 5": "compare all 64 digits, in constant time",
};
/** Where no right delivery is accepted, a rule of its own says nothing. */
const SAME_FIX = "no right delivery is accepted: see above";

function explainUntouched(id: CaseId, responses: ProbeResponses): string {
  const { expects } = getCase(id);
  const response = responses.get(id);
  if (expects === "either") return `either is right; the response is: ${describeResponse(response)}`;
  if (answersDiffer(responses)) return "the answers to one delivery differ";
  if (refusesSimplest(responses))
    return `sent, and the response is: ${describeResponse(response)}; it proves nothing, because right deliveries get no better one`;
  return `the response proves neither: ${describeResponse(response)}`;
}

/** `server error: 503, then 500, "BigInt is not supported"`. */
function describeResponse(response: ProbeResponse | undefined): string {
  if (response === undefined) return "not sent";
  const { outcome, status, firstStatus, text } = response;
  const statuses = [firstStatus ?? [], status ?? (firstStatus === null ? [] : "none")].flat().join(", then ");
  const [line = ""] = text
    .trimStart()
    .slice(0, 200)
    .split(/[\r\n]/, 1);
  return `${nameOutcome(outcome)}${statuses === "" ? "" : `: ${statuses}`}${line === "" ? "" : `, "${line}"`}`;
}

const nameOutcome = (outcome: ProbeOutcome): string => outcome.replaceAll("_", " ");

export function renderProbe(
  report: ConformanceReport,
  url: URL,
  responses: ProbeResponses,
  diagnoses: readonly Diagnosis[],
  isVerbose: boolean,
): RecordOutput {
  const cases = [...responses].map(([id, { clockOffset: _, ...response }]) => ({
    ...factsOf(id),
    ...response,
    met: meetsExpectation(id, responses),
  }));
  const failure = findProbeFailure(report, diagnoses);
  const verdict = failure?.kind === "unreachable" ? "inconclusive" : report.verdict;
  const clockOffset = readClockOffset(responses);
  const clock = `The clock of the receiver is ${describeClockOffset(clockOffset)} (its Date header).`;
  const findings: readonly Block[] = [
    ...diagnoses.map((diagnosis) => renderDiagnosis(diagnosis, responses, isVerbose)),
    ...(clockOffset === 0 ? [] : [{ kind: "paragraph", lines: [clock] } as const]),
  ];
  const output = renderReport(report, failure, { isVerbose, findings });
  return {
    ...output,
    json: {
      ...report,
      verdict,
      url: url.href,
      clockOffset,
      cases,
      diagnoses: diagnoses.map((each) => ({ ...each, evidence: each.evidence.slice(0, MAX_EVIDENCE) })),
    },
    id: verdict,
  };
}

function factsOf(id: CaseId) {
  const { basis, expects, sends, source } = getCase(id);
  return { id, sends, expects, basis, source };
}

/** More would be read by no one. */
const MAX_EVIDENCE = 3;

function renderDiagnosis(
  { id, title, fix, evidence }: Diagnosis,
  responses: ProbeResponses,
  isVerbose: boolean,
): Block {
  const shown = evidence.slice(0, MAX_EVIDENCE).map((each) => `${nameOutcome(each.outcome)} ${each.case}`);
  const left = evidence.length - shown.length;
  return {
    kind: "card",
    section: "diagnosis",
    title: `\u2717 The receiver ${title}`,
    tone: "bad",
    record: { id, title, fix, evidence: shown.join("; ") },
    rows: [
      ...(isVerbose ? [["diagnosis", id] as const] : []),
      ["evidence", [...shown, ...(left > 0 ? [`and ${formatCount(left, "more case")}`] : [])].join("; ")],
      ...(refusesSimplest(responses)
        ? [["response", describeResponse(responses.get(CONTROL_CASE))] as const]
        : []),
      ["fix", fix],
    ],
  };
}

/** Names the first diagnosis in place of the rules. */
function findProbeFailure(report: ConformanceReport, [first]: readonly Diagnosis[]) {
  const failure = findFailure(report);
  const { title, fix } = first ?? UNKNOWN_PATTERN;
  const failed = report.rules.filter(({ isDecisive, verdict }) => isDecisive && verdict === "fail");
  if (failed.length > 0) {
    const message = `${failed.length} of ${formatCount(report.rules.length, "rule")} failed: the receiver ${title}`;
    return verificationError("probe_failed", message, { hint: fix });
  }
  const open = report.rules.filter(({ basis, verdict }) => basis === "documented" && verdict === "untouched");
  if (open.length === 0 || failure?.code === "stale_expectation") return failure;
  const why = first ? `the receiver ${title}` : "no response, 429, or an error that comes and goes";
  const message = `no result for ${formatCount(open.length, "documented rule")}: ${why}`;
  const hint = "-v shows the cases; --timeout gives the receiver more time, --only sends fewer cases";
  return unreachableError("probe_inconclusive", message, { hint: first ? fix : hint });
}

const UNKNOWN_PATTERN = {
  title: "responds in no known pattern",
  fix: "look at each failed rule; `claims webhooks verify` shows how a delivery was signed",
};
