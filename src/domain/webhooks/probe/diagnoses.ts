import { type CaseId, CONTROL_CASE, getCase, listCaseIds } from "./cases.ts";
import {
  answersDiffer,
  isDiffering,
  isMixed,
  type ProbeOutcome,
  type ProbeResponse,
  type ProbeResponses,
  REFUSING_OUTCOMES,
  readClockOffset,
  refusesSimplest,
  UNPROCESSED_OUTCOMES,
} from "./responses.ts";

const RAW_BODY_FIX =
  "your program changed the message before it checked it; check the bytes exactly as they arrived (rule 3)";
const LOG_FIX = "look for the error in the receiver's log";

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
const rejectsSome = (...cases: CaseId[]): Condition =>
  some(cases, ({ outcome }) => REFUSING_OUTCOMES.includes(outcome));

const FORGED_CASES = listCaseIds("forged");
/** The cases whose delivery is genuine. */
const GENUINE_CASES = [...listCaseIds("raw"), "timestamp.exact"] as const;
const DOCUMENTED_CASES = listCaseIds().filter((id) => getCase(id).basis === "documented");

const LAYOUTS = ["raw.compact", "raw.spaced", "raw.indented"] as const;

/** A printer produces one layout: it changes the two others, the white space after the body, and escapes. */
const reprintsAs = (layout: (typeof LAYOUTS)[number]): readonly Condition[] => [
  accepts(layout),
  rejects(
    ...LAYOUTS.filter((other) => other !== layout),
    ...(["raw.trailing_newline", "raw.crlf", "raw.escaped"] as const),
  ),
  // A printer does the same with every compact body.
  layout === "raw.compact" ? accepts("timestamp.exact") : rejects("timestamp.exact"),
];

/** What receivers write about a header that they did not get. */
const MISSING_HEADER =
  /(?:missing|required|absent|no|without|not found|empty|undefined)\b.{0,40}(?:signature|header|timestamp)|(?:signature|header|timestamp)\b.{0,40}(?:missing|required|absent|not found|empty|undefined)/i;

interface DiagnosisRow {
  /** What the receiver does wrong; continues a sentence that starts with "the receiver". */
  readonly title: string;
  readonly fix: string;
  /** One pattern is enough; all of its conditions must hold. */
  readonly patterns: readonly (readonly Condition[])[];
}

/** Every diagnosis by its stable id. The reference has the same table. */
// biome-ignore format: a table, two lines a diagnosis
export const DIAGNOSES = {
  "receiver.accepts_everything": { title: "accepts everything: it does not check the signature, or answers before it has checked it", fix: "check the signature first, answer 401 if it is wrong, and use the event only after that",
    patterns: [[all(DOCUMENTED_CASES, "accepted")]] },
  "receiver.does_not_verify": { title: "accepts a wrong signature: it does not check it", fix: "compute the signature (HMAC-SHA256) of <timestamp>.<body>, and compare it with X-Service-Signature (rules 1, 2)",
    patterns: [[accepts("raw.compact", "forged.wrong_secret", "forged.byte_changed"), some([...listCaseIds("header"), ...FORGED_CASES], ({ outcome }) => UNPROCESSED_OUTCOMES.includes(outcome))]] },
  "receiver.compares_a_part": { title: "accepts a partly correct signature: it compares only a part", fix: "compare all 64 characters, with the function of your language that takes the same time for any difference (rule 5)",
    patterns: [[acceptsSome("forged.truncated", "forged.beginning"), rejects("forged.wrong_secret", "forged.byte_changed")]] },
  "receiver.accepts_missing_headers": { title: "accepts a delivery with a missing or empty timestamp or signature", fix: "reject a delivery without one of the headers before anything else (rule 4)",
    patterns: [[acceptsSome("header.timestamp_missing", "header.signature_missing"), rejects("forged.wrong_secret")]] },
  "receiver.empty_secret": { title: "accepts deliveries signed with an empty key: its secret is not set, or one of its secrets is empty", fix: "set the secret, and refuse to start without it: anyone can sign with an empty key (rule 2)",
    patterns: [[accepts("forged.empty_key"), rejects("forged.wrong_secret")]] },
  "receiver.signs_another_text": { title: "accepts the signature of another text than <timestamp>.<body>", fix: "the signature is made of the timestamp, a full stop and the body, in this order: <timestamp>.<body>, and of nothing else (rule 1)",
    patterns: [[acceptsSome("forged.body_only", "forged.no_dot"), rejects("forged.wrong_secret")]] },
  "receiver.reserializes": { title: "reads the message as JSON and prints it again before it checks it", fix: RAW_BODY_FIX,
    patterns: [reprintsAs("raw.compact"), reprintsAs("raw.spaced"), reprintsAs("raw.indented")] },
  "receiver.changes_the_body": { title: "refuses bodies with line ends, white space at their end, or characters beyond ASCII: it changes them before it checks the signature", fix: RAW_BODY_FIX,
    patterns: [[accepts(...LAYOUTS, "raw.escaped", "timestamp.exact"), rejectsSome("raw.trailing_newline", "raw.crlf", "raw.non_ascii")]] },
  "receiver.signs_own_clock": { title: "refuses a delivery that is 2 s old: it computes the signature with the time of its clock, or allows too little time", fix: "compute the signature with the time in X-Service-Timestamp, exactly as it arrived (rule 1); allow minutes of age",
    patterns: [[accepts("raw.compact", "raw.spaced"), rejects("timestamp.exact", "forged.wrong_secret")]] },
  "receiver.answers_differ": { title: "refuses a genuine delivery, and accepts it when it is sent again: its instances have different secrets or versions", fix: "give all instances behind this URL the same secret and the same version",
    patterns: [[some(GENUINE_CASES, isDiffering)]] },
  "receiver.rejects_in_body": { title: "answers 200 to 299 and reports the failure in the body, which senders do not read", fix: "answer 401 to a wrong signature",
    patterns: [[some(FORGED_CASES, ({ outcome }) => outcome === "failure_in_body")]] },
  "receiver.gets_no_headers": { title: "says of right deliveries that a header is missing: a proxy, a gateway or a framework before it drops the headers", fix: "let everything before the receiver pass on X-Service-Event, X-Service-Timestamp and X-Service-Signature",
    patterns: [[all(DOCUMENTED_CASES, "rejected"), select(GENUINE_CASES, ({ text }) => MISSING_HEADER.test(text), GENUINE_CASES.length)]] },
  "receiver.refuses_everything": { title: "refuses everything: it has another secret, computes the signature of another text, refuses the time, or a proxy before it refuses", fix: "read the response, as a login or a check of CSRF refuses before the program; otherwise verify one delivery with `claims webhooks verify --secret-file`, with the secret of the program",
    patterns: [[all(DOCUMENTED_CASES, "rejected", "server_error"), all(GENUINE_CASES, "rejected")]] },
  "receiver.breaks": { title: "responds 500 to 599 to right deliveries", fix: LOG_FIX,
    patterns: [[all(LAYOUTS, "server_error")]] },
  "receiver.breaks_sometimes": { title: "responds 500 to 599 to a delivery, and accepts or rejects it when it is sent again", fix: `${LOG_FIX}; the service retries a failed delivery, which takes until its next attempt`,
    patterns: [[some(listCaseIds(), (response) => isMixed(response) && response.outcome !== "no_response")]] },
  "receiver.redirects": { title: "redirects every delivery, and senders do not follow", fix: "register the URL of the redirect: with or without the last slash of its path, or https instead of http",
    patterns: [[all(DOCUMENTED_CASES, "redirected")]] },
  "receiver.absent": { title: "is not at this URL, or does not accept POST", fix: "check the path of the URL",
    patterns: [[all(DOCUMENTED_CASES, "not_found")]] },
  "receiver.reveals_secret": { title: "reveals the signing secret in a response", fix: "respond with a fixed text, and replace the secret",
    patterns: [[some(listCaseIds(), ({ reveals }) => reveals.includes("secret"))]] },
  "receiver.reveals_signature": { title: "reveals the correct signature in the response to a wrong one, so that anyone can sign", fix: "respond with a fixed text",
    patterns: [[some(listCaseIds(), ({ reveals }) => reveals.includes("signature"))]] },
} as const satisfies Record<string, DiagnosisRow>;

export type DiagnosisId = keyof typeof DIAGNOSES;
const DIAGNOSIS_IDS = Object.keys(DIAGNOSES) as DiagnosisId[];

export interface Diagnosis {
  /** Of this table, or of a trial. */
  readonly id: DiagnosisId | `receiver.${string}`;
  readonly title: string;
  readonly fix: string;
  readonly evidence: readonly { readonly case: string; readonly outcome: ProbeOutcome }[];
}

/** Every diagnosis with a pattern that the responses match; a case that was not sent matches none. */
export function diagnose(responses: ProbeResponses, accepted: Diagnosis | null = null): readonly Diagnosis[] {
  // Other patterns would be those of several receivers at once.
  const ids: readonly DiagnosisId[] = answersDiffer(responses)
    ? ["receiver.answers_differ", "receiver.reveals_secret"]
    : DIAGNOSIS_IDS;
  const diagnoses = ids.flatMap((id): Diagnosis[] => {
    const { title, fix, patterns } = DIAGNOSES[id];
    const evidence = findEvidence(patterns, responses);
    return evidence ? [{ id, title, fix, evidence }] : [];
  });
  // It says no more than a diagnosis with a cause.
  const known = diagnoses.filter(({ id }) => id !== "receiver.refuses_everything");
  const ofTrial = accepted ? [accepted] : listClock(responses);
  const found = [...ofTrial, ...known];
  return found.length > 0 ? found : diagnoses;
}

/** A clock that is off explains a receiver that refuses everything; otherwise it is worth a remark. */
function listClock(responses: ProbeResponses): readonly Diagnosis[] {
  const seconds = readClockOffset(responses);
  if (seconds === 0 || !refusesSimplest(responses)) return [];
  return [
    {
      id: "receiver.clock_differs",
      title: `refuses everything, and its clock is ${describeClockOffset(seconds)}: its responses say so`,
      fix: "set the clock of the receiver by NTP; it refuses a time that is too far from its own",
      evidence: [{ case: CONTROL_CASE, outcome: responses.get(CONTROL_CASE)?.outcome ?? "rejected" }],
    },
  ];
}

/** Of a clock: `32 min behind ours`. */
export function describeClockOffset(seconds: number): string {
  const size = Math.abs(seconds);
  const text = size >= 7_200 ? `${Math.round(size / 3_600)} h` : `${Math.round(size / 60)} min`;
  return `${text} ${seconds > 0 ? "ahead of" : "behind"} ours`;
}

function findEvidence(patterns: DiagnosisRow["patterns"], responses: ProbeResponses) {
  for (const conditions of patterns) {
    const matched = conditions.map((condition) => condition(responses));
    const cases = new Set(matched.flatMap((each) => each ?? []));
    if (matched.every((each) => each !== null))
      return [...responses].flatMap(([id, { outcome }]) => (cases.has(id) ? [{ case: id, outcome }] : []));
  }
  return null;
}
