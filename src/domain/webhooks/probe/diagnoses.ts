import { type CaseId, getCase, listCaseIds } from "./cases.ts";
import { meetsExpectation, type ProbeOutcome, type ProbeResponses, REJECTING_OUTCOMES } from "./responses.ts";

/** Holds if each of the cases, or at least one of them, had one of the outcomes. */
interface OutcomeCondition {
  readonly cases: readonly CaseId[];
  readonly outcomes: readonly ProbeOutcome[];
  readonly atLeastOne?: true;
}

interface DiagnosisText {
  /** What the receiver does wrong; continues a sentence that starts with "the receiver". */
  readonly title: string;
  readonly fix: string;
  /** One pattern is enough; all of its conditions must hold. */
  readonly patterns: readonly (readonly OutcomeCondition[])[];
  /** Cases that fail for this reason, in addition to those of the pattern. */
  readonly explains: readonly CaseId[];
}

const accepts = (...cases: CaseId[]): OutcomeCondition => ({ cases, outcomes: ["accepted"] });
const rejects = (...cases: CaseId[]): OutcomeCondition => ({ cases, outcomes: REJECTING_OUTCOMES });
const acceptsSome = (...cases: CaseId[]): OutcomeCondition => ({ ...accepts(...cases), atLeastOne: true });
const rejectsSome = (...cases: CaseId[]): OutcomeCondition => ({ ...rejects(...cases), atLeastOne: true });

const RAW_CASES = listCaseIds("raw");
const HEADER_CASES = listCaseIds("header");
const FORGED_CASES = listCaseIds("forged");
const DOCUMENTED_CASES = listCaseIds().filter((id) => getCase(id).basis === "documented");

const allDocumented = (...outcomes: ProbeOutcome[]): OutcomeCondition => ({
  cases: DOCUMENTED_CASES,
  outcomes,
});

const LAYOUTS = ["raw.compact", "raw.spaced", "raw.indented"] as const;

/** A printer produces one layout: it changes the two others, and the white space after the body. */
const reprintsAs = (layout: (typeof LAYOUTS)[number]): readonly OutcomeCondition[] => [
  accepts(layout),
  rejects(...LAYOUTS.filter((other) => other !== layout), "raw.trailing_newline", "raw.crlf"),
];

const RAW_BODY_FIX = "verify the raw bytes before you parse, decode or print them (rule 3)";
const BASE_STRING_FIX = "sign the timestamp, a full stop, then the raw body: <timestamp>.<body> (rule 1)";
const LOG_FIX = "look for the error in the receiver's log";

const diagnosis = (
  title: string,
  fix: string,
  patterns: DiagnosisText["patterns"],
  explains: DiagnosisText["explains"] = [],
): DiagnosisText => ({ title, fix, patterns, explains });

/** Every diagnosis by its stable id. The reference has the same table. */
export const DIAGNOSES = {
  "receiver.accepts_everything": diagnosis(
    "accepts everything: it does not verify, or responds before it verifies",
    "verify first, respond 401 to a wrong signature, and process the event after that",
    [[allDocumented("accepted")]],
  ),
  "receiver.does_not_verify": diagnosis(
    "accepts a wrong signature: it does not verify",
    "compute the HMAC of <timestamp>.<body> and compare it with X-Service-Signature (rules 1, 2)",
    [
      [
        accepts("raw.compact", "forged.wrong_secret", "forged.byte_changed"),
        rejectsSome(...HEADER_CASES, ...FORGED_CASES),
      ],
    ],
    [...HEADER_CASES, ...FORGED_CASES],
  ),
  "receiver.compares_a_part": diagnosis(
    "accepts a partly correct signature: it compares only a part",
    "compare the lengths, then all 64 digits, with a timing-safe comparison (rule 5)",
    [
      [
        acceptsSome("forged.truncated", "forged.beginning", "forged.longer"),
        rejects("forged.wrong_secret", "forged.byte_changed"),
      ],
    ],
    ["header.signature_empty"],
  ),
  "receiver.accepts_missing_headers": diagnosis(
    "accepts a delivery with a missing or empty timestamp or signature",
    "reject a delivery without one of the headers before anything else (rule 4)",
    [
      [
        acceptsSome("header.timestamp_missing", "header.timestamp_empty", "header.signature_missing"),
        rejects("forged.wrong_secret"),
      ],
      [accepts("header.signature_empty"), rejects("forged.truncated", "forged.wrong_secret")],
    ],
    HEADER_CASES,
  ),
  "receiver.empty_secret": diagnosis(
    "accepts deliveries signed with an empty key: its secret is not set, or one of its secrets is empty",
    "set the secret, and refuse to start without it: anyone can sign with an empty key (rule 2)",
    [
      [accepts("forged.empty_key"), rejects("forged.wrong_secret", ...RAW_CASES)],
      [accepts("forged.empty_key", "raw.compact"), rejects("forged.wrong_secret")],
    ],
    RAW_CASES,
  ),
  "receiver.signs_body_only": diagnosis(
    "signs the body without the timestamp",
    BASE_STRING_FIX,
    [[accepts("forged.body_only"), rejects(...LAYOUTS, "forged.wrong_secret")]],
    RAW_CASES,
  ),
  "receiver.signs_without_dot": diagnosis(
    "signs timestamp and body without the full stop between them",
    BASE_STRING_FIX,
    [[accepts("forged.no_dot"), rejects(...LAYOUTS, "forged.wrong_secret")]],
    RAW_CASES,
  ),
  "receiver.second_base_string": diagnosis(
    "accepts another base string in addition to the documented one",
    `${BASE_STRING_FIX}, and nothing else`,
    [
      [
        accepts("raw.compact"),
        acceptsSome("forged.body_only", "forged.no_dot"),
        rejects("forged.wrong_secret"),
      ],
    ],
  ),
  "receiver.reserializes": diagnosis(
    "parses the body and prints it again before it verifies",
    RAW_BODY_FIX,
    LAYOUTS.map(reprintsAs),
    RAW_CASES,
  ),
  "receiver.trims": diagnosis("removes white space after the body before it verifies", RAW_BODY_FIX, [
    [accepts(...LAYOUTS), rejects("raw.trailing_newline")],
  ]),
  "receiver.changes_line_ends": diagnosis("changes CRLF in the body before it verifies", RAW_BODY_FIX, [
    [accepts(...LAYOUTS), rejects("raw.crlf")],
  ]),
  "receiver.decodes": diagnosis(
    "decodes the body in another encoding than UTF-8 before it verifies",
    RAW_BODY_FIX,
    [[accepts(...LAYOUTS, "raw.escaped"), rejects("raw.non_ascii")]],
  ),
  "receiver.refuses_everything": diagnosis(
    "rejects everything: it uses another secret or base string, or a proxy before it rejects",
    "compare the secrets with `claims webhooks fingerprint`, then verify one delivery with `claims webhooks verify`",
    [[allDocumented("rejected", "server_error"), { cases: RAW_CASES, outcomes: ["rejected"] }]],
  ),
  "receiver.breaks_on_genuine": diagnosis(
    "rejects forged deliveries and fails on genuine ones: the error comes after verifying",
    LOG_FIX,
    [
      [
        { cases: LAYOUTS, outcomes: ["server_error"] },
        { cases: ["forged.wrong_secret", "forged.byte_changed"], outcomes: ["rejected"] },
      ],
    ],
    RAW_CASES,
  ),
  "receiver.breaks": diagnosis("fails on every delivery", LOG_FIX, [[allDocumented("server_error")]]),
  "receiver.redirects": diagnosis(
    "redirects every delivery, and senders do not follow",
    "register the URL of the redirect: with or without the last slash of its path, or https instead of http",
    [[allDocumented("redirected")]],
  ),
  "receiver.absent": diagnosis("is not at this URL, or does not accept POST", "check the path of the URL", [
    [allDocumented("not_found")],
  ]),
} as const satisfies Record<string, DiagnosisText>;

export type DiagnosisId = keyof typeof DIAGNOSES;

export interface Diagnosis {
  readonly id: DiagnosisId;
  readonly evidence: readonly { readonly case: CaseId; readonly outcome: ProbeOutcome }[];
}

export interface DiagnosisResult {
  readonly diagnoses: readonly Diagnosis[];
  /** Failed documented cases that no diagnosis explains. */
  readonly unexplained: readonly CaseId[];
}

/** Every diagnosis with a pattern that the responses match; a case that was not sent matches none. */
export function diagnose(responses: ProbeResponses): DiagnosisResult {
  const ids = Object.keys(DIAGNOSES) as DiagnosisId[];
  const diagnoses = ids.flatMap((id) => {
    const evidence = findEvidence(DIAGNOSES[id], responses);
    return evidence ? [{ id, evidence }] : [];
  });
  const explained = new Set<CaseId>(
    diagnoses.flatMap(({ id, evidence }) => [
      ...DIAGNOSES[id].explains,
      ...evidence.map((each) => each.case),
    ]),
  );
  const failed = [...responses].flatMap(([id, response]) =>
    getCase(id).basis === "documented" && meetsExpectation(id, response) === false ? [id] : [],
  );
  return { diagnoses, unexplained: failed.filter((id) => !explained.has(id)) };
}

function findEvidence({ patterns }: DiagnosisText, responses: ProbeResponses): Diagnosis["evidence"] | null {
  for (const conditions of patterns) {
    const matched = conditions.map((condition) => matchCondition(condition, responses));
    const cases = new Set(matched.flatMap((each) => each ?? []));
    if (matched.every((each) => each !== null))
      return [...responses].flatMap(([id, { outcome }]) => (cases.has(id) ? [{ case: id, outcome }] : []));
  }
  return null;
}

/** The cases that meet a condition; null if it does not hold. */
function matchCondition(
  { cases, outcomes, atLeastOne }: OutcomeCondition,
  responses: ProbeResponses,
): readonly CaseId[] | null {
  const matching = cases.filter((id) => {
    const response = responses.get(id);
    return response !== undefined && outcomes.includes(response.outcome);
  });
  const holds = atLeastOne ? matching.length > 0 : matching.length === cases.length;
  return holds ? matching : null;
}

/** The interface does not show the sender's timeout (§6); many use 5 to 15 seconds, and the sandbox 15. */
const SLOW_MS = 5_000;

/** Advice on the responses, whatever their cases. It does not decide the exit code. */
export const REMARKS = {
  "answer.slow": `some responses take longer than ${SLOW_MS / 1000} s: respond first and process the event after that`,
  "answer.redirect": "senders do not follow redirects: respond at the registered URL",
  "answer.server_error": "the service retries a delivery that you reject with 500 to 599: respond 401 or 400",
  "answer.postponed":
    "429 proves nothing about a rule: raise the rate limit for the probe, or send fewer cases with --only",
  "answer.none":
    "no complete response, or none within the timeout: look for a crash, and respond to rejected deliveries too",
} as const;

export interface Remark {
  readonly id: keyof typeof REMARKS;
  readonly cases: readonly CaseId[];
}

export function findRemarks(responses: ProbeResponses): readonly Remark[] {
  const findByOutcome = (...outcomes: ProbeOutcome[]) =>
    [...responses].filter(([, { outcome }]) => outcomes.includes(outcome));
  const found: readonly (readonly [Remark["id"], ReturnType<typeof findByOutcome>])[] = [
    [
      "answer.slow",
      findByOutcome("accepted", ...REJECTING_OUTCOMES).filter(([, { durationMs }]) => durationMs > SLOW_MS),
    ],
    ["answer.redirect", findByOutcome("redirected")],
    ["answer.server_error", findByOutcome("server_error").filter(([id]) => getCase(id).expects === "reject")],
    ["answer.postponed", findByOutcome("rate_limited")],
    ["answer.none", findByOutcome("no_response")],
  ];
  return found
    .map(([id, cases]) => ({ id, cases: cases.map(([each]) => each) }))
    .filter(({ cases }) => cases.length > 0);
}
