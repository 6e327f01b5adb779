import type { RuleResult } from "../../../../conformance/assess.ts";
import type { ConformanceReport } from "../../../../conformance/report.ts";
import { unreachableError, verificationError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { type CaseId, getCase } from "../../../../domain/webhooks/probe/cases.ts";
import { DIAGNOSES, type Diagnosis, diagnose } from "../../../../domain/webhooks/probe/diagnoses.ts";
import { findRemarks, type ProbeRemark, REMARKS } from "../../../../domain/webhooks/probe/remarks.ts";
import {
  answersDiffer,
  meetsExpectation,
  type ProbeOutcome,
  type ProbeResponse,
  type ProbeResponses,
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

interface ProbeSettings {
  readonly hasSecondSecret: boolean;
}

export const judgeCases = (
  ids: readonly CaseId[],
  responses: ProbeResponses,
  settings: ProbeSettings,
): readonly RuleResult[] =>
  ids.map((id) => {
    const { basis, sends, expects, source } = getCase(id);
    const met = meetsExpectation(id, responses);
    const verdict = met === null ? "untouched" : met ? "pass" : "fail";
    const verb = { accept: "accepts", reject: "rejects", either: "accepts or rejects" }[expects];
    const response = responses.get(id);
    return {
      rule: { id, basis, statement: source, title: `${verb} ${sends}`, fix: source },
      verdict,
      findings: met === false ? [{ scenario: null, evidence: describeResponse(response), requests: [] }] : [],
      reason: met === null ? explainUntouched(id, responses, settings) : null,
    };
  });

function explainUntouched(id: CaseId, responses: ProbeResponses, settings: ProbeSettings): string {
  const { expects, needsSecondSecret, findsCause } = getCase(id);
  const response = responses.get(id);
  if (needsSecondSecret && !settings.hasSecondSecret)
    return "not sent: give a second --secret-file, with the secret that replaces the first one";
  if (findsCause) return "sent only to a receiver that refuses everything, to find out why";
  if (expects === "either") return `either is right; the response is: ${describeResponse(response)}`;
  if (answersDiffer(responses)) return "the answers to one delivery differ";
  if (refusesSimplest(responses))
    return "the receiver does not accept an ordinary delivery, so that it shows nothing else";
  return `the response proves neither: ${describeResponse(response)}`;
}

/** `server error: 503, then 500`. */
function describeResponse(response: ProbeResponse | undefined): string {
  if (response === undefined) return "not sent";
  const { outcome, status, firstStatus } = response;
  const statuses = [firstStatus ?? [], status ?? (firstStatus === null ? [] : "none")].flat().join(", then ");
  return `${nameOutcome(outcome)}${statuses === "" ? "" : `: ${statuses}`}`;
}

const nameOutcome = (outcome: ProbeOutcome): string => outcome.replaceAll("_", " ");

export function renderProbe(report: ConformanceReport, url: URL, responses: ProbeResponses): RecordOutput {
  const cases = [...responses].map(([id, response]) => ({
    ...factsOf(id),
    ...response,
    met: meetsExpectation(id, responses),
  }));
  const { diagnoses, unexplained } = diagnose(responses);
  const remarks = findRemarks(responses);
  const isRevealing = ({ id }: ProbeRemark) => id.startsWith("response.reveals_");
  const failure = findProbeFailure(report, diagnoses);
  const verdict = failure?.kind === "unreachable" ? "inconclusive" : report.verdict;
  const output = renderReport(report, failure, [
    ...diagnoses.map(renderDiagnosis),
    ...optionalCard(
      "unexplained",
      "Failed rules without a known pattern",
      unexplained.map((id) => [id, getCase(id).source]),
    ),
    ...optionalCard(
      "responses",
      "Responses to failed cases",
      cases.flatMap(({ id, met, text }) => (met === false && text !== "" ? [[id, firstLineOf(text)]] : [])),
    ),
    ...remarksCard(
      "improvements",
      "Possible improvements",
      remarks.filter((remark) => !isRevealing(remark)),
    ),
  ]);
  return {
    ...output,
    json: {
      ...report,
      verdict,
      url: url.href,
      cases,
      diagnoses: diagnoses.map(({ id, evidence }) => {
        const { title, fix } = DIAGNOSES[id];
        return { id, title, fix, evidence: evidence.slice(0, MAX_EVIDENCE) };
      }),
      unexplained,
      remarks: remarks.map(({ id, cases: ids }) => ({ id, advice: REMARKS[id].advice, cases: ids })),
    },
    id: verdict,
    blocks: [
      ...remarksCard("secrets", "Responses that reveal a secret", remarks.filter(isRevealing)),
      ...output.blocks,
    ],
  };
}

function factsOf(id: CaseId) {
  const { basis, expects, sends, source } = getCase(id);
  return { id, sends, expects, basis, source };
}

/** More would be read by no one. */
const MAX_EVIDENCE = 3;

function renderDiagnosis({ id, evidence }: Diagnosis): Block {
  const { title, fix } = DIAGNOSES[id];
  const shown = evidence.slice(0, MAX_EVIDENCE).map((each) => `${nameOutcome(each.outcome)} ${each.case}`);
  const left = evidence.length - shown.length;
  return {
    kind: "card",
    section: "diagnosis",
    title: `The receiver ${title}`,
    record: { id, title, fix, evidence },
    rows: [
      ["diagnosis", id],
      ["evidence", [...shown, ...(left > 0 ? [`and ${formatCount(left, "more case")}`] : [])].join("; ")],
      ["fix", fix],
    ],
  };
}

const optionalCard = (
  section: string,
  title: string,
  rows: readonly (readonly [string, string])[],
): readonly Block[] => (rows.length > 0 ? [{ kind: "card", section, title, rows }] : []);

const remarksCard = (section: string, title: string, remarks: readonly ProbeRemark[]) =>
  optionalCard(
    section,
    title,
    remarks.map(({ id, cases }) => [id, `${REMARKS[id].advice} (${cases.join(", ")})`]),
  );

const firstLineOf = (text: string): string =>
  text
    .trimStart()
    .slice(0, 200)
    .split(/[\r\n]/, 1)[0] ?? "";

/** Names the first diagnosis in place of the rules. */
function findProbeFailure(report: ConformanceReport, [first]: readonly Diagnosis[]) {
  const failure = findFailure(report);
  const { title, fix } = first ? DIAGNOSES[first.id] : UNKNOWN_PATTERN;
  const failed = report.rules.filter(({ isDecisive, verdict }) => isDecisive && verdict === "fail");
  if (failed.length > 0) {
    const message = `${failed.length} of ${formatCount(report.rules.length, "rule")} failed: the receiver ${title}`;
    return verificationError("probe_failed", message, { hint: fix });
  }
  const open = report.rules.filter(({ basis, verdict }) => basis === "documented" && verdict === "untouched");
  if (open.length === 0 || failure?.code === "stale_expectation") return failure;
  const why = first ? `the receiver ${title}` : "no response, 429, or an error that comes and goes";
  const message = `no result for ${formatCount(open.length, "documented rule")}: ${why}`;
  const hint = "the remarks name the cases; --timeout gives the receiver more time, --only sends fewer cases";
  return unreachableError("probe_inconclusive", message, { hint: first ? fix : hint });
}

const UNKNOWN_PATTERN = {
  title: "responds in no known pattern",
  fix: "look at each failed rule; `claims webhooks verify` shows how a delivery was signed",
};
