import { ClaimsError } from "../../../../domain/errors.ts";
import { type CaseId, getCase, type ProbeCase } from "../../../../domain/webhooks/probe/cases.ts";
import {
  type Diagnosis,
  type DiagnosisResult,
  diagnose,
} from "../../../../domain/webhooks/probe/diagnose.ts";
import { DIAGNOSES } from "../../../../domain/webhooks/probe/diagnoses.ts";
import { findRemarks, REMARKS, type Remark } from "../../../../domain/webhooks/probe/remarks.ts";
import {
  meetsExpectation,
  type ProbeResponse,
  type ProbeResponses,
} from "../../../../domain/webhooks/probe/responses.ts";
import type { Block, RecordOutput, Table } from "../../../output/output.ts";

/** `--dry-run`: what would be sent. */
export function renderCases(url: URL, ids: readonly CaseId[]): RecordOutput {
  const cases = ids.map((id) => ({ id, ...caseFacts(id) }));
  const rows = cases.map(({ id, sends, expects, source }) => [id, sends, expects, source]);
  return {
    kind: "record",
    json: { url: url.href, cases },
    blocks: [{ kind: "table", columns: columnsNamed("case", "sends", "expects", "source"), rows }],
  };
}

/** A case judged. */
interface CaseResult extends ProbeResponse, Pick<ProbeCase, "basis" | "expects" | "sends" | "source"> {
  readonly id: CaseId;
  readonly met: boolean | null;
}

/** Every answer with its verdict, what they say together, and advice apart. */
export function renderReport(url: URL, answers: ProbeResponses): RecordOutput {
  const results = [...answers].map(
    ([id, answer]): CaseResult => ({
      id,
      ...caseFacts(id),
      ...answer,
      met: isConclusive(id, answers) ? meetsExpectation(id, answer) : null,
    }),
  );
  const rules = results.filter(({ basis }) => basis === "documented");
  const passed = rules.filter(({ met }) => met).length;
  const diagnosis = diagnose(answers);
  const remarks = findRemarks(answers);
  const failure = findFailure(rules, diagnosis);
  const verdict = failure ? (failure.kind === "verification" ? "fails" : "unclear") : "passes";
  return {
    kind: "record",
    json: {
      ...{ url: url.href, verdict, cases: results },
      diagnoses: diagnosis.diagnoses.map(({ id, evidence }) => ({ id, ...diagnosisText(id), evidence })),
      unexplained: diagnosis.unexplained,
      remarks: remarks.map(({ id, cases }) => ({ id, advice: REMARKS[id], cases })),
    },
    id: verdict,
    blocks: [
      ...casesTable(`Rules of the interface: ${passed} of ${rules.length} hold`, rules),
      ...casesTable(
        "Advice, which decides nothing",
        results.filter(({ basis }) => basis === "advice"),
      ),
      ...diagnosis.diagnoses.map(renderDiagnosis),
      ...renderUnexplained(diagnosis),
      ...renderAdvice(results, remarks),
    ],
    failure,
  };
}

/** Where the plainest genuine delivery is refused, it is not for what advice is about that others are. */
function isConclusive(id: CaseId, answers: ProbeResponses): boolean {
  const { basis, expects } = getCase(id);
  const isTaken = (answers.get("raw.compact")?.outcome ?? "accepted") === "accepted";
  return isTaken || basis === "documented" || expects !== "accept";
}

function caseFacts(id: CaseId): Pick<ProbeCase, "basis" | "expects" | "sends" | "source"> {
  const { basis, expects, sends, source } = getCase(id);
  return { sends, expects, basis, source };
}

const diagnosisText = (id: Diagnosis["id"]): { title: string; fix: string } => {
  const { title, fix } = DIAGNOSES[id];
  return { title, fix };
};

const columnsNamed = (...names: string[]): Table["columns"] => names.map((name) => ({ name }));

const MARKS = { true: "✓", false: "✗", null: "?" } as const;

function casesTable(title: string, judged: readonly CaseResult[]): readonly Table[] {
  if (judged.length === 0) return [];
  const rows = judged.map(({ id, sends, expects, met, durationMs: milliseconds, ...answer }) => [
    expects === "either" ? "·" : MARKS[`${met}`],
    id,
    sends,
    expects,
    describeResponse(answer),
    milliseconds,
  ]);
  const columns = [
    ...columnsNamed("", "case", "sends", "expects", "answer"),
    { name: "ms", align: "right" as const },
  ];
  return [{ kind: "table", title, columns, rows }];
}

const VERBS = {
  accepted: "accepted",
  rejected: "refused",
  absent: "refused",
  postponed: "put off",
  redirected: "redirected",
  broke: "broke",
  unanswered: "no answer",
} as const;

const describeResponse = ({ outcome, status }: Pick<ProbeResponse, "outcome" | "status">): string =>
  status === null ? VERBS[outcome] : `${VERBS[outcome]}: ${status}`;

function renderDiagnosis({ id, evidence }: Diagnosis): Block {
  const { title, fix } = DIAGNOSES[id];
  const shown = (["accepted", "rejected", "absent", "broke", "redirected"] as const).flatMap((outcome) => {
    const cases = evidence.flatMap((each) => (each.outcome === outcome ? [each.case] : []));
    return cases.length > 0 ? [`${VERBS[outcome]} ${cases.join(", ")}`] : [];
  });
  return {
    kind: "card",
    title: `The receiver ${title}`,
    rows: [
      ["diagnosis", id],
      ["evidence", shown.join("; ")],
      ["fix", fix],
    ],
  };
}

function renderUnexplained({ unexplained }: DiagnosisResult): readonly Block[] {
  if (unexplained.length === 0) return [];
  return [
    {
      kind: "card",
      title: "No pattern that is known explains",
      rows: unexplained.map((id) => [id, getCase(id).source]),
    },
  ];
}

function renderAdvice(judged: readonly CaseResult[], remarks: readonly Remark[]): readonly Block[] {
  const unmet = judged.filter(({ basis, met }) => basis === "advice" && met === false);
  const rows = [
    ...unmet.map(({ id, source }) => [id, source] as const),
    ...remarks.map(({ id, cases }) => [id, `${REMARKS[id]} (${cases.join(", ")})`] as const),
  ];
  return rows.length > 0 ? [{ kind: "card", title: "What could be better", rows }] : [];
}

function findFailure(rules: readonly CaseResult[], { diagnoses }: DiagnosisResult): ClaimsError | undefined {
  const failed = rules.filter(({ met }) => met === false).length;
  const [first] = diagnoses;
  const { title, fix } = first ? DIAGNOSES[first.id] : UNKNOWN_PATTERN;
  if (failed > 0) {
    const message = `${failed} of ${rules.length} documented rules failed: the receiver ${title}`;
    return new ClaimsError("verification", "probe_failed", message, { hint: fix });
  }
  const open = rules.filter(({ met }) => met === null).length;
  if (open === 0) return undefined;
  const message = `${open} of ${rules.length} documented rules could not be judged: no answer, or 429`;
  return new ClaimsError("unreachable", "probe_unclear", message, {
    hint: "the remarks name them; --timeout gives the receiver more time, --only sends fewer",
  });
}

const UNKNOWN_PATTERN = {
  title: "answers in no pattern that is known",
  fix: "look at each of them: `claims webhooks verify` says what a delivery is signed with",
};
