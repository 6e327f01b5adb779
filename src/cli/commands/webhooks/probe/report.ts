import { unreachableError, verificationError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { type CaseId, getCase, type ProbeCase } from "../../../../domain/webhooks/probe/cases.ts";
import {
  DIAGNOSES,
  type Diagnosis,
  type DiagnosisResult,
  diagnose,
  findRemarks,
  type ProbeRemark,
  REMARKS,
} from "../../../../domain/webhooks/probe/diagnoses.ts";
import {
  meetsExpectation,
  type ProbeOutcome,
  type ProbeResponse,
  type ProbeResponses,
} from "../../../../domain/webhooks/probe/responses.ts";
import type { Block, RecordOutput, TableBlock } from "../../../output/output.ts";

type CaseFacts = { readonly id: CaseId } & Pick<ProbeCase, "basis" | "expects" | "sends" | "source">;

export function renderCases(url: URL, ids: readonly CaseId[]): RecordOutput {
  const cases = ids.map(factsOf);
  const rows = cases.map(({ id, sends, expects, source }) => [id, sends, expects, source]);
  const columns = ["case", "sends", "expects", "source"].map((name) => ({ name }));
  return { kind: "record", json: { url: url.href, cases }, blocks: [{ kind: "table", columns, rows }] };
}

export interface CaseResult extends ProbeResponse, CaseFacts {
  readonly met: boolean | null;
}

/** The document of `--json`. */
export interface ProbeReport {
  readonly url: string;
  readonly verdict: "passes" | "fails" | "inconclusive";
  readonly cases: readonly CaseResult[];
  readonly diagnoses: readonly (Diagnosis & { readonly title: string; readonly fix: string })[];
  readonly unexplained: readonly CaseId[];
  readonly remarks: readonly (ProbeRemark & { readonly advice: string })[];
}

/** Every response with its result, the diagnoses, and the advice separately. */
export function renderReport(
  url: URL,
  responses: ProbeResponses,
): RecordOutput & { readonly json: ProbeReport } {
  const cases = [...responses].map(([id, response]): CaseResult => {
    return { ...factsOf(id), ...response, met: meetsExpectation(id, responses) };
  });
  const rules = cases.filter(({ basis }) => basis === "documented");
  const advice = cases.filter(({ basis }) => basis === "advice");
  const passed = rules.filter(({ met }) => met).length;
  const { diagnoses, unexplained } = diagnose(responses);
  const remarks = findRemarks(responses);
  const revealing = remarks.filter(({ id }) => id.startsWith("response.reveals_"));
  const failure = findFailure(rules, diagnoses);
  const verdict = failure ? (failure.kind === "verification" ? "fails" : "inconclusive") : "passes";
  return {
    kind: "record",
    json: {
      url: url.href,
      verdict,
      cases,
      diagnoses: diagnoses.map(({ id, evidence }) => {
        const { title, fix } = DIAGNOSES[id];
        return { id, title, fix, evidence };
      }),
      unexplained,
      remarks: remarks.map(({ id, cases: ids }) => ({ id, advice: REMARKS[id], cases: ids })),
    },
    id: verdict,
    blocks: [
      ...optionalCard("secrets", "Responses that reveal a secret", revealing.map(renderRemark)),
      ...casesTable(`Rules of the interface: ${passed} of ${rules.length} pass`, rules),
      ...casesTable("Advice, which does not affect the result", advice),
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
      ...optionalCard(
        "improvements",
        "Possible improvements",
        listImprovements(
          advice,
          remarks.filter((remark) => !revealing.includes(remark)),
        ),
      ),
    ],
    failure,
  };
}

function factsOf(id: CaseId): CaseFacts {
  const { basis, expects, sends, source } = getCase(id);
  return { id, sends, expects, basis, source };
}

const MARKS = { true: "✓", false: "✗", null: "?" } as const;

function casesTable(title: string, cases: readonly CaseResult[]): readonly TableBlock[] {
  if (cases.length === 0) return [];
  const names = ["", "case", "sends", "expects", "response"];
  const columns = [...names.map((name) => ({ name })), { name: "ms", align: "right" as const }];
  const rows = cases.map(({ id, sends, expects, met, durationMs, outcome, status, firstStatus }) => {
    const mark = expects === "either" ? "·" : MARKS[`${met}`];
    const statuses = firstStatus === null ? `${status}` : `${firstStatus}, then ${status ?? "none"}`;
    const response =
      status === null && firstStatus === null ? OUTCOMES[outcome] : `${OUTCOMES[outcome]}: ${statuses}`;
    return [mark, id, sends, expects, response, durationMs];
  });
  const values = cases.map((each) => {
    const { id, basis, met, sends, expects, outcome, status, durationMs } = each;
    return [id, basis, met, sends, expects, outcome, status, durationMs];
  });
  return [{ kind: "table", section: "cases", title, columns, rows, values }];
}

const OUTCOMES: Readonly<Record<ProbeOutcome, string>> = {
  accepted: "accepted",
  failure_in_body: "accepted, failure in body",
  rejected: "rejected",
  not_found: "rejected",
  rate_limited: "rate limited",
  redirected: "redirected",
  server_error: "server error",
  no_response: "no response",
};

function renderDiagnosis({ id, evidence }: Diagnosis): Block {
  const { title, fix } = DIAGNOSES[id];
  const shown = (Object.keys(OUTCOMES) as ProbeOutcome[]).flatMap((outcome) => {
    const cases = evidence.flatMap((each) => (each.outcome === outcome ? [each.case] : []));
    return cases.length > 0 ? [`${OUTCOMES[outcome]} ${cases.join(", ")}`] : [];
  });
  return {
    kind: "card",
    section: "diagnosis",
    title: `The receiver ${title}`,
    record: { id, title, fix, evidence },
    rows: [
      ["diagnosis", id],
      ["evidence", shown.join("; ")],
      ["fix", fix],
    ],
  };
}

const optionalCard = (
  section: string,
  title: string,
  rows: readonly (readonly [string, string])[],
): readonly Block[] => (rows.length > 0 ? [{ kind: "card", section, title, rows }] : []);

const listImprovements = (advice: readonly CaseResult[], remarks: readonly ProbeRemark[]) => [
  ...advice.flatMap(({ id, met, source }) => (met === false ? [[id, source] as const] : [])),
  ...remarks.map(renderRemark),
];

const renderRemark = ({ id, cases }: ProbeRemark) => [id, `${REMARKS[id]} (${cases.join(", ")})`] as const;

const MAX_LINE = 200;

function firstLineOf(text: string): string {
  const line = text.trimStart().split(/[\r\n]/, 1)[0] ?? "";
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}

function findFailure(rules: readonly CaseResult[], [first]: DiagnosisResult["diagnoses"]) {
  const count = (met: boolean | null) => rules.filter((rule) => rule.met === met).length;
  if (count(false) > 0) {
    const { title, fix } = first ? DIAGNOSES[first.id] : UNKNOWN_PATTERN;
    const message = `${count(false)} of ${formatCount(rules.length, "documented rule")} failed: the receiver ${title}`;
    return verificationError("probe_failed", message, { hint: fix });
  }
  if (count(null) === 0) return undefined;
  const message = `no result for ${count(null)} of ${formatCount(rules.length, "documented rule")}: no response, 429, or an error that comes and goes`;
  return unreachableError("probe_inconclusive", message, {
    hint: "the remarks name the cases; --timeout gives the receiver more time, --only sends fewer cases",
  });
}

const UNKNOWN_PATTERN = {
  title: "responds in no known pattern",
  fix: "look at each failed rule; `claims webhooks verify` shows how a delivery was signed",
};
