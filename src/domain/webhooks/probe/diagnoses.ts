import { type CaseId, CONTROL_CASE, getCase, listCaseIds } from "./cases.ts";
import {
  answersDiffer,
  isDiffering,
  isMixed,
  meetsExpectation,
  type ProbeOutcome,
  type ProbeResponse,
  type ProbeResponses,
  REFUSING_OUTCOMES,
  readClockOffset,
  refusesSimplest,
  UNPROCESSED_OUTCOMES,
} from "./responses.ts";
import type { Trial } from "./trials.ts";

interface DiagnosisText {
  /** What the receiver does wrong; continues a sentence that starts with "the receiver". */
  readonly title: string;
  readonly fix: string;
  /** One pattern is enough; all of its conditions must hold. */
  readonly patterns: readonly (readonly Condition[])[];
  /** Cases that fail for this reason, in addition to those of the pattern. */
  readonly explains: readonly CaseId[];
}

/** The cases that meet it; null if it does not hold. */
type Condition = (responses: ProbeResponses) => readonly CaseId[] | null;

type IsSelected = (response: ProbeResponse) => boolean;

const select =
  (cases: readonly CaseId[], isSelected: IsSelected, min: number): Condition =>
  (responses) => {
    const found = cases.filter((id) => {
      const response = responses.get(id);
      return response !== undefined && isSelected(response);
    });
    return found.length < min ? null : found;
  };
const some = (cases: readonly CaseId[], isSelected: IsSelected): Condition => select(cases, isSelected, 1);
const all = (cases: readonly CaseId[], ...outcomes: readonly ProbeOutcome[]): Condition =>
  select(cases, ({ outcome }) => outcomes.includes(outcome), cases.length);

const accepts = (...cases: CaseId[]): Condition => all(cases, "accepted");
/** A response of 500 to 599 is no evidence: the receiver broke, for whatever reason. */
const rejects = (...cases: CaseId[]): Condition => all(cases, ...REFUSING_OUTCOMES);
const acceptsSome = (...cases: CaseId[]): Condition => some(cases, ({ outcome }) => outcome === "accepted");

const RAW_CASES = listCaseIds("raw");
const HEADER_CASES = listCaseIds("header");
const FORGED_CASES = listCaseIds("forged");
/** Genuine deliveries. */
const GENUINE_CASES = [...RAW_CASES, "timestamp.exact"] as const;
const DOCUMENTED_CASES = listCaseIds().filter((id) => getCase(id).basis === "documented");

/** What a receiver accepts that refuses everything else. */
const accepting = (id: CaseId, fix: string, title = `accepts only ${getCase(id).sends}`): DiagnosisText =>
  diagnosis(title, fix, [accepts(id), rejects(...LAYOUTS, "forged.wrong_secret")], GENUINE_CASES);

const HEX_FIX = "compare with the whole header: 64 of the characters 0-9 and a-f, and nothing before them";

const LAYOUTS = ["raw.compact", "raw.spaced", "raw.indented"] as const;

/**
 * A printer produces one layout: it changes the two others, the white space after the body, escapes and duplicate keys. It
 * does the same with every compact body, so a second one contradicts a receiver that accepts the first delivery only.
 */
const reprintsAs = (layout: (typeof LAYOUTS)[number]): readonly Condition[] => [
  accepts(layout),
  rejects(
    ...LAYOUTS.filter((other) => other !== layout),
    ...(["raw.trailing_newline", "raw.crlf", "raw.escaped", "raw.duplicate_key"] as const),
  ),
  layout === "raw.compact" ? accepts("timestamp.exact") : rejects("timestamp.exact"),
];

/**
 * A receiver that changes only such bodies: it rejects these, and accepts the others.
 *
 * @param neutral cases that a second, similar fault can reject
 */
const changingOnly = (what: string, changed: readonly CaseId[], neutral: readonly CaseId[]): DiagnosisText =>
  diagnosis(`${what} before it checks the signature`, RAW_BODY_FIX, [
    accepts(...GENUINE_CASES.filter((id) => ![...changed, ...neutral, ...SPLIT_CASES].includes(id))),
    rejects(...changed),
  ]);

/** Cases that a receiver rejects for the characters in the body, each for a reason of its own. */
const CHARACTER_CASES = ["raw.non_ascii", "raw.decomposed", "raw.percent"] as const;
const LINE_CASES = ["raw.trailing_newline", "raw.crlf"] as const;
const SPLIT_CASES: readonly CaseId[] = ["raw.two_parts", "raw.split_character"];

const RAW_BODY_FIX =
  "your program changed the message before it checked it; check the bytes exactly as they arrived (rule 3)";
const BASE_STRING_FIX =
  "the signature is made of the timestamp, a full stop and the body, in this order: <timestamp>.<body> (rule 1)";
const TIMESTAMP_FIX =
  "compute the signature with the time in X-Service-Timestamp, exactly as it arrived (rule 1)";
const LOG_FIX = "look for the error in the receiver's log";

const diagnosis = (
  title: string,
  fix: string,
  pattern: readonly Condition[],
  explains: DiagnosisText["explains"] = [],
  otherPatterns: DiagnosisText["patterns"] = [],
): DiagnosisText => ({ title, fix, patterns: [pattern, ...otherPatterns], explains });

/** What receivers write about a header that they did not get. */
const MISSING_HEADER =
  /(?:missing|required|absent|no|without|not found|empty|undefined)\b.{0,40}(?:signature|header|timestamp)|(?:signature|header|timestamp)\b.{0,40}(?:missing|required|absent|not found|empty|undefined)/i;

/** Every diagnosis by its stable id. The reference has the same table. */
export const DIAGNOSES = {
  "receiver.accepts_everything": diagnosis(
    "accepts everything: it does not check the signature, or answers before it has checked it",
    "check the signature first, answer 401 if it is wrong, and use the event only after that",
    [all(DOCUMENTED_CASES, "accepted")],
  ),
  "receiver.does_not_verify": diagnosis(
    "accepts a wrong signature: it does not check it",
    "compute the signature (HMAC-SHA256) of <timestamp>.<body>, and compare it with X-Service-Signature (rules 1, 2)",
    [
      accepts("raw.compact", "forged.wrong_secret", "forged.byte_changed"),
      some([...HEADER_CASES, ...FORGED_CASES], ({ outcome }) => UNPROCESSED_OUTCOMES.includes(outcome)),
    ],
    [...HEADER_CASES, ...FORGED_CASES],
  ),
  "receiver.compares_a_part": diagnosis(
    "accepts a partly correct signature: it compares only a part",
    "compare all 64 characters, with the function of your language that takes the same time for any difference (rule 5)",
    [
      acceptsSome("forged.truncated", "forged.beginning", "forged.end", "forged.longer"),
      rejects("forged.wrong_secret", "forged.byte_changed"),
    ],
    ["header.signature_empty"],
  ),
  "receiver.accepts_missing_headers": diagnosis(
    "accepts a delivery with a missing or empty timestamp or signature",
    "reject a delivery without one of the headers before anything else (rule 4)",
    [
      acceptsSome("header.timestamp_missing", "header.timestamp_empty", "header.signature_missing"),
      rejects("forged.wrong_secret"),
    ],
    HEADER_CASES,
    [[accepts("header.signature_empty"), rejects("forged.truncated", "forged.wrong_secret")]],
  ),
  "receiver.empty_secret": diagnosis(
    "accepts deliveries signed with an empty key: its secret is not set, or one of its secrets is empty",
    "set the secret, and refuse to start without it: anyone can sign with an empty key (rule 2)",
    [accepts("forged.empty_key"), rejects("forged.wrong_secret", ...RAW_CASES)],
    GENUINE_CASES,
    [[accepts("forged.empty_key", "raw.compact"), rejects("forged.wrong_secret")]],
  ),
  "receiver.signs_body_only": accepting(
    "forged.body_only",
    BASE_STRING_FIX,
    "computes the signature of the body without the timestamp",
  ),
  "receiver.signs_without_dot": accepting(
    "forged.no_dot",
    BASE_STRING_FIX,
    "computes the signature of timestamp and body without the full stop between them",
  ),
  "receiver.second_base_string": diagnosis(
    "accepts signatures of other texts than <timestamp>.<body> too",
    `${BASE_STRING_FIX}, and nothing else`,
    [
      accepts("raw.compact"),
      acceptsSome("forged.body_only", "forged.no_dot"),
      rejects("forged.wrong_secret"),
    ],
  ),
  "receiver.reserializes": diagnosis(
    "reads the message as JSON and prints it again before it checks it",
    RAW_BODY_FIX,
    reprintsAs("raw.compact"),
    GENUINE_CASES,
    [reprintsAs("raw.spaced"), reprintsAs("raw.indented")],
  ),
  "receiver.trims": changingOnly(
    "removes spaces or line ends after the message",
    ["raw.trailing_newline"],
    ["raw.crlf", ...CHARACTER_CASES],
  ),
  "receiver.changes_line_ends": changingOnly(
    "changes the line ends in the message",
    ["raw.crlf"],
    ["raw.trailing_newline", ...CHARACTER_CASES],
  ),
  "receiver.decodes": changingOnly(
    "reads the characters of the message in another encoding than UTF-8",
    ["raw.non_ascii", "raw.decomposed", "raw.split_character"],
    ["raw.percent", ...LINE_CASES],
  ),
  "receiver.url_decodes": changingOnly(
    "replaces %20 and the like in the message, as if it were an address,",
    ["raw.percent"],
    ["raw.non_ascii", "raw.decomposed", ...LINE_CASES],
  ),
  "receiver.composes": changingOnly(
    "replaces letters by others that look the same (Unicode normalization)",
    ["raw.decomposed"],
    ["raw.percent", ...LINE_CASES],
  ),
  "receiver.decodes_chunks": diagnosis(
    "decodes each chunk of the body alone, which destroys a character that is split between two chunks",
    "collect the bytes of all chunks, verify them, and decode them once after that (rule 3)",
    [accepts("raw.non_ascii", "raw.two_parts"), rejects("raw.split_character")],
  ),
  "receiver.reads_one_chunk": diagnosis(
    "reads only one chunk of the body",
    "read the body to its end, and verify the bytes of all chunks (rule 3)",
    [accepts("raw.compact", "timestamp.exact"), rejects(...SPLIT_CASES)],
  ),
  "receiver.signs_own_clock": diagnosis(
    "computes the signature with the time of its clock instead of the time in the header",
    TIMESTAMP_FIX,
    [
      accepts("raw.compact", "forged.other_timestamp"),
      rejects("timestamp.exact", "forged.wrong_secret", "forged.byte_changed"),
    ],
    GENUINE_CASES,
  ),
  "receiver.refuses_2_seconds": diagnosis(
    "refuses a delivery that is 2 s old: it computes the signature with the time of its clock, or allows too little time",
    `${TIMESTAMP_FIX}; allow minutes of age`,
    [
      accepts("raw.compact", "raw.spaced", "raw.percent"),
      rejects("timestamp.exact", "advice.old_20_seconds", "forged.other_timestamp"),
    ],
    GENUINE_CASES,
  ),
  "receiver.expects_uppercase": accepting("advice.uppercase", HEX_FIX),
  "receiver.expects_milliseconds": accepting(
    "advice.timestamp_milliseconds",
    "read a timestamp of ten digits as seconds: the interface does not show the unit (§6), and the sandbox sends seconds",
  ),
  "receiver.answers_differ": diagnosis(
    "refuses a genuine delivery, and accepts it when it is sent again: its instances have different secrets or versions",
    "give all instances behind this URL the same secret and the same version",
    [some(GENUINE_CASES, isDiffering)],
    listCaseIds(),
  ),
  "receiver.accepts_first_only": diagnosis(
    "accepts the first delivery and rejects all others: it keeps something of the first one",
    "compute each signature with the body and the time of the same request (rule 1)",
    [accepts("raw.compact"), rejects(...GENUINE_CASES.filter((id) => id !== "raw.compact"))],
  ),
  "receiver.rejects_in_body": diagnosis(
    "answers 200 to 299 and reports the failure in the body, which senders do not read",
    "answer 401 to a wrong signature",
    [some(FORGED_CASES, ({ outcome }) => outcome === "failure_in_body")],
    [...HEADER_CASES, ...FORGED_CASES],
  ),
  "receiver.gets_no_headers": diagnosis(
    "says of right deliveries that a header is missing: a proxy, a gateway or a framework before it drops the headers",
    "let everything before the receiver pass on X-Service-Event, X-Service-Timestamp and X-Service-Signature",
    [
      all(DOCUMENTED_CASES, "rejected"),
      select(GENUINE_CASES, ({ text }) => MISSING_HEADER.test(text), GENUINE_CASES.length),
    ],
  ),
  "receiver.refuses_everything": diagnosis(
    "refuses everything: it has another secret, computes the signature of another text, refuses the time, or a proxy before it refuses",
    "verify one delivery with `claims webhooks verify --secret-file`, with the secret of the program",
    [all(DOCUMENTED_CASES, "rejected", "server_error"), all(GENUINE_CASES, "rejected")],
  ),
  "receiver.breaks_on_genuine": diagnosis(
    "rejects forged deliveries, and responds 500 to 599 to genuine ones",
    LOG_FIX,
    [all(LAYOUTS, "server_error"), all(["forged.wrong_secret", "forged.byte_changed"], "rejected")],
    GENUINE_CASES,
  ),
  "receiver.breaks_sometimes": diagnosis(
    "responds 500 to 599 to a delivery, and accepts or rejects it when it is sent again",
    `${LOG_FIX}; the service retries a failed delivery, which takes until its next attempt`,
    [some(listCaseIds(), (response) => isMixed(response) && response.outcome !== "no_response")],
  ),
  "receiver.breaks": diagnosis("fails on every delivery", LOG_FIX, [all(DOCUMENTED_CASES, "server_error")]),
  "receiver.redirects": diagnosis(
    "redirects every delivery, and senders do not follow",
    "register the URL of the redirect: with or without the last slash of its path, or https instead of http",
    [all(DOCUMENTED_CASES, "redirected")],
  ),
  "receiver.absent": diagnosis("is not at this URL, or does not accept POST", "check the path of the URL", [
    all(DOCUMENTED_CASES, "not_found"),
  ]),
} as const satisfies Record<string, DiagnosisText>;

export type DiagnosisId = keyof typeof DIAGNOSES;
const DIAGNOSIS_IDS = Object.keys(DIAGNOSES) as DiagnosisId[];

export interface Diagnosis {
  /** Of this table, or of a trial. */
  readonly id: DiagnosisId | `receiver.${string}`;
  readonly title: string;
  readonly fix: string;
  readonly evidence: readonly { readonly case: string; readonly outcome: ProbeOutcome }[];
}

/**
 * Every diagnosis with a pattern that the responses match; a case that was not sent matches none. `unexplained` are the failed
 * documented cases that no diagnosis explains.
 */
export function diagnose(responses: ProbeResponses, accepted?: Trial) {
  // Other patterns would be those of several receivers at once.
  const ids = answersDiffer(responses) ? (["receiver.answers_differ"] as const) : DIAGNOSIS_IDS;
  const diagnoses = ids.flatMap((id) => {
    const evidence = findEvidence(DIAGNOSES[id], responses);
    const { title, fix, explains } = DIAGNOSES[id];
    return evidence ? [{ id, title, fix, evidence, explains }] : [];
  });
  // It says no more than a diagnosis with a cause.
  const known = diagnoses.filter(({ id }) => id !== "receiver.refuses_everything");
  const ofTrial = accepted ? [diagnoseTrial(accepted)] : listClock(responses);
  const found = [...ofTrial, ...known];
  const shown = found.length > 0 ? found : diagnoses;
  const explained = new Set<string>(
    shown.flatMap(({ explains, evidence }) => [...explains, ...evidence.map((each) => each.case)]),
  );
  const failed = [...responses.keys()].filter(
    (id) => getCase(id).basis === "documented" && meetsExpectation(id, responses) === false,
  );
  return {
    diagnoses: shown.map(({ explains: _, ...each }): Diagnosis => each),
    unexplained: failed.filter((id) => !explained.has(id)),
  };
}

type Explaining = Diagnosis & { readonly explains: readonly CaseId[] };

const diagnoseTrial = ({ id, diagnosis: kind, title, fix }: Trial): Explaining => ({
  id: `receiver.${kind}`,
  title,
  fix,
  evidence: [{ case: id, outcome: "accepted" }],
  explains: GENUINE_CASES,
});

/** A clock that is off explains a receiver that refuses everything; otherwise it is worth a remark. */
function listClock(responses: ProbeResponses): readonly Explaining[] {
  const seconds = readClockOffset(responses);
  if (seconds === 0 || !refusesSimplest(responses)) return [];
  return [
    {
      id: "receiver.clock_differs",
      title: `refuses everything, and its clock is ${describeClockOffset(seconds)}: its responses say so`,
      fix: "set the clock of the receiver by NTP; it refuses a time that is too far from its own",
      evidence: [{ case: CONTROL_CASE, outcome: responses.get(CONTROL_CASE)?.outcome ?? "rejected" }],
      explains: GENUINE_CASES,
    },
  ];
}

/** `32 min behind ours`. */
export function describeClockOffset(seconds: number): string {
  const size = Math.abs(seconds);
  const text = size >= 7_200 ? `${Math.round(size / 3_600)} h` : `${Math.round(size / 60)} min`;
  return `${text} ${seconds > 0 ? "ahead of" : "behind"} ours`;
}

function findEvidence({ patterns }: DiagnosisText, responses: ProbeResponses): Diagnosis["evidence"] | null {
  for (const conditions of patterns) {
    const matched = conditions.map((condition) => condition(responses));
    const cases = new Set(matched.flatMap((each) => each ?? []));
    if (matched.every((each) => each !== null))
      return [...responses].flatMap(([id, { outcome }]) => (cases.has(id) ? [{ case: id, outcome }] : []));
  }
  return null;
}
