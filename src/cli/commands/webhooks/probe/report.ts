import { ClaimsError } from "../../../../domain/errors.ts";
import { isMet, type ProbeAnswer, type ProbeAnswers } from "../../../../domain/webhooks/probe/answers.ts";
import { type CaseId, caseOf, type ProbeCase } from "../../../../domain/webhooks/probe/cases.ts";
import { type Diagnosed, type Diagnosis, diagnose } from "../../../../domain/webhooks/probe/diagnose.ts";
import { DIAGNOSES } from "../../../../domain/webhooks/probe/diagnoses.ts";
import { REMARKS, type Remark, remarksOn } from "../../../../domain/webhooks/probe/remarks.ts";
import type { Block, RecordOutput, Table } from "../../../output/output.ts";

/** `--dry-run`: what would be sent. */
export function casesOutput(url: URL, ids: readonly CaseId[]): RecordOutput {
  const cases = ids.map((id) => ({ id, ...facts(id) }));
  const rows = cases.map(({ id, sends, expects, source }) => [id, sends, expects, source]);
  return {
    kind: "record",
    json: { url: url.href, cases },
    blocks: [{ kind: "table", columns: named("case", "sends", "expects", "source"), rows }],
  };
}

/** A case judged. */
interface Judged extends ProbeAnswer, Pick<ProbeCase, "basis" | "expects" | "sends" | "source"> {
  readonly id: CaseId;
  readonly met: boolean | null;
}

/** Every answer with its verdict, what they say together, and advice apart. */
export function reportOutput(url: URL, answers: ProbeAnswers): RecordOutput {
  const judged = [...answers].map(
    ([id, answer]): Judged => ({
      id,
      ...facts(id),
      ...answer,
      met: showsSomething(id, answers) ? isMet(id, answer) : null,
    }),
  );
  const rules = judged.filter(({ basis }) => basis === "documented");
  const holding = rules.filter(({ met }) => met).length;
  const found = diagnose(answers);
  const remarks = remarksOn(answers);
  const failure = failureOf(rules, found);
  const verdict = failure ? (failure.kind === "verification" ? "fails" : "unclear") : "passes";
  return {
    kind: "record",
    json: {
      ...{ url: url.href, verdict, cases: judged },
      diagnoses: found.diagnoses.map(({ id, evidence }) => ({ id, ...textOf(id), evidence })),
      unexplained: found.unexplained,
      remarks: remarks.map(({ id, cases }) => ({ id, advice: REMARKS[id], cases })),
    },
    id: verdict,
    blocks: [
      ...casesTable(`Rules of the interface: ${holding} of ${rules.length} hold`, rules),
      ...casesTable(
        "Advice, which decides nothing",
        judged.filter(({ basis }) => basis === "advice"),
      ),
      ...found.diagnoses.map(diagnosisBlock),
      ...unexplainedBlock(found),
      ...adviceBlock(judged, remarks),
    ],
    failure,
  };
}

/** Where the plainest genuine delivery is refused, it is not for what advice is about that others are. */
function showsSomething(id: CaseId, answers: ProbeAnswers): boolean {
  const { basis, expects } = caseOf(id);
  const isTaken = (answers.get("raw.compact")?.outcome ?? "accepted") === "accepted";
  return isTaken || basis === "documented" || expects !== "accept";
}

function facts(id: CaseId): Pick<ProbeCase, "basis" | "expects" | "sends" | "source"> {
  const { basis, expects, sends, source } = caseOf(id);
  return { sends, expects, basis, source };
}

const textOf = (id: Diagnosis["id"]): { title: string; fix: string } => {
  const { title, fix } = DIAGNOSES[id];
  return { title, fix };
};

const named = (...names: string[]): Table["columns"] => names.map((name) => ({ name }));

const MARKS = { true: "✓", false: "✗", null: "?" } as const;

function casesTable(title: string, judged: readonly Judged[]): readonly Table[] {
  if (judged.length === 0) return [];
  const rows = judged.map(({ id, sends, expects, met, milliseconds, ...answer }) => [
    expects === "either" ? "·" : MARKS[`${met}`],
    id,
    sends,
    expects,
    inWords(answer),
    milliseconds,
  ]);
  const columns = [
    ...named("", "case", "sends", "expects", "answer"),
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

const inWords = ({ outcome, status }: Pick<ProbeAnswer, "outcome" | "status">): string =>
  status === null ? VERBS[outcome] : `${VERBS[outcome]}: ${status}`;

function diagnosisBlock({ id, evidence }: Diagnosis): Block {
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

function unexplainedBlock({ unexplained }: Diagnosed): readonly Block[] {
  if (unexplained.length === 0) return [];
  return [
    {
      kind: "card",
      title: "No pattern that is known explains",
      rows: unexplained.map((id) => [id, caseOf(id).source]),
    },
  ];
}

function adviceBlock(judged: readonly Judged[], remarks: readonly Remark[]): readonly Block[] {
  const unmet = judged.filter(({ basis, met }) => basis === "advice" && met === false);
  const rows = [
    ...unmet.map(({ id, source }) => [id, source] as const),
    ...remarks.map(({ id, cases }) => [id, `${REMARKS[id]} (${cases.join(", ")})`] as const),
  ];
  return rows.length > 0 ? [{ kind: "card", title: "What could be better", rows }] : [];
}

function failureOf(rules: readonly Judged[], { diagnoses }: Diagnosed): ClaimsError | undefined {
  const failed = rules.filter(({ met }) => met === false).length;
  const [first] = diagnoses;
  const { title, fix } = first ? DIAGNOSES[first.id] : NO_PATTERN;
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

const NO_PATTERN = {
  title: "answers in no pattern that is known",
  fix: "look at each of them: `claims webhooks verify` says what a delivery is signed with",
};
