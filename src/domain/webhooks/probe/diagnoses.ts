import { type CaseId, getCase, listCaseIds } from "./cases.ts";
import { type ProbeOutcome, REJECTING_OUTCOMES } from "./responses.ts";

/** Answers that a pattern is made of: each of the cases had one of the outcomes, or at least one of them had. */
export interface OutcomeCondition {
  readonly cases: readonly CaseId[];
  readonly outcomes: readonly ProbeOutcome[];
  readonly atLeastOne?: true;
}

/** What a pattern of answers says of a receiver. */
export interface DiagnosisText {
  /** What it does wrong, in one sentence that goes on after "the receiver". */
  readonly title: string;
  readonly fix: string;
  /** Any of them is enough; all conditions of one must hold. */
  readonly patterns: readonly (readonly OutcomeCondition[])[];
  /** Cases that go wrong for this reason, beside those of the pattern. */
  readonly explains: readonly CaseId[];
}

const accepts = (...cases: CaseId[]): OutcomeCondition => ({ cases, outcomes: ["accepted"] });
const refuses = (...cases: CaseId[]): OutcomeCondition => ({ cases, outcomes: REJECTING_OUTCOMES });
const acceptsSome = (...cases: CaseId[]): OutcomeCondition => ({ ...accepts(...cases), atLeastOne: true });
const refusesSome = (...cases: CaseId[]): OutcomeCondition => ({ ...refuses(...cases), atLeastOne: true });

const RAW_CASES = listCaseIds("raw");
const HEADER_CASES = listCaseIds("header");
const FORGED_CASES = listCaseIds("forged");
const DOCUMENTED_CASES = listCaseIds().filter((id) => getCase(id).basis === "documented");

const allDocumented = (...outcomes: ProbeOutcome[]): OutcomeCondition => ({
  cases: DOCUMENTED_CASES,
  outcomes,
});

const LAYOUTS = ["raw.compact", "raw.spaced", "raw.indented"] as const;

/** A printer knows one layout: the two others are lost, and so is what stands behind the body. */
const reprintsAs = (layout: (typeof LAYOUTS)[number]): readonly OutcomeCondition[] => [
  accepts(layout),
  refuses(...LAYOUTS.filter((other) => other !== layout), "raw.trailing_newline", "raw.crlf"),
];

const RAW_BODY_FIX = "verify the raw bytes before anything parses, decodes or prints them (rule 3)";
const BASE_STRING_FIX = "sign the timestamp, a full stop, then the raw body: <timestamp>.<body> (rule 1)";

/** Every diagnosis by its stable id. The README's table is checked against this one. */
export const DIAGNOSES = {
  "receiver.accepts_everything": {
    title: "accepts everything: it does not verify, or answers before it does",
    fix: "verify first, answer 401 where the signature does not fit, and work after that",
    patterns: [[allDocumented("accepted")]],
    explains: [],
  },
  "receiver.does_not_verify": {
    title: "accepts a wrong signature: it does not verify",
    fix: "compute the HMAC of <timestamp>.<body> and compare it with X-Service-Signature (rules 1, 2)",
    patterns: [
      [
        accepts("raw.compact", "forged.wrong_secret", "forged.byte_changed"),
        refusesSome(...HEADER_CASES, ...FORGED_CASES),
      ],
    ],
    explains: [...HEADER_CASES, ...FORGED_CASES],
  },
  "receiver.compares_a_part": {
    title: "accepts a signature of which only a part is right: it compares no more than that",
    fix: "compare the lengths, then all 64 digits, with a timing-safe comparison (rule 5)",
    patterns: [
      [
        acceptsSome("forged.truncated", "forged.beginning", "forged.longer"),
        refuses("forged.wrong_secret", "forged.byte_changed"),
      ],
    ],
    explains: ["header.signature_empty"],
  },
  "receiver.accepts_missing_headers": {
    title: "accepts a delivery whose timestamp or signature is missing or empty",
    fix: "refuse a delivery without either header before anything else (rule 4)",
    patterns: [
      [
        acceptsSome("header.timestamp_missing", "header.timestamp_empty", "header.signature_missing"),
        refuses("forged.wrong_secret"),
      ],
      [accepts("header.signature_empty"), refuses("forged.truncated", "forged.wrong_secret")],
    ],
    explains: HEADER_CASES,
  },
  "receiver.empty_secret": {
    title: "accepts what is signed with an empty key: its secret is not set, or an empty one is among them",
    fix: "set the secret, and refuse to start without it: with an empty key anybody can sign (rule 2)",
    patterns: [
      [accepts("forged.empty_key"), refuses("forged.wrong_secret", ...RAW_CASES)],
      [accepts("forged.empty_key", "raw.compact"), refuses("forged.wrong_secret")],
    ],
    explains: RAW_CASES,
  },
  "receiver.signs_body_only": {
    title: "signs the body without the timestamp",
    fix: BASE_STRING_FIX,
    patterns: [[accepts("forged.body_only"), refuses(...LAYOUTS, "forged.wrong_secret")]],
    explains: RAW_CASES,
  },
  "receiver.signs_without_dot": {
    title: "signs timestamp and body without the full stop between them",
    fix: BASE_STRING_FIX,
    patterns: [[accepts("forged.no_dot"), refuses(...LAYOUTS, "forged.wrong_secret")]],
    explains: RAW_CASES,
  },
  "receiver.second_base_string": {
    title: "accepts another base string beside the documented one",
    fix: `${BASE_STRING_FIX}, and nothing else`,
    patterns: [
      [
        accepts("raw.compact"),
        acceptsSome("forged.body_only", "forged.no_dot"),
        refuses("forged.wrong_secret"),
      ],
    ],
    explains: [],
  },
  "receiver.reserializes": {
    title: "parses the body and prints it again before it verifies",
    fix: RAW_BODY_FIX,
    patterns: LAYOUTS.map(reprintsAs),
    explains: RAW_CASES,
  },
  "receiver.trims": {
    title: "cuts off white space after the body before it verifies",
    fix: RAW_BODY_FIX,
    patterns: [[accepts(...LAYOUTS), refuses("raw.trailing_newline")]],
    explains: [],
  },
  "receiver.changes_line_ends": {
    title: "changes CRLF in the body before it verifies",
    fix: RAW_BODY_FIX,
    patterns: [[accepts(...LAYOUTS), refuses("raw.crlf")]],
    explains: [],
  },
  "receiver.decodes": {
    title: "decodes the body as another text than UTF-8 before it verifies",
    fix: RAW_BODY_FIX,
    patterns: [[accepts(...LAYOUTS, "raw.escaped"), refuses("raw.non_ascii")]],
    explains: [],
  },
  "receiver.refuses_everything": {
    title: "refuses everything: its secret or its base string is another one, or somebody before it refuses",
    fix: "compare the secrets with `claims webhooks fingerprint`, then verify one delivery with `claims webhooks verify`",
    patterns: [[allDocumented("rejected", "broke"), { cases: RAW_CASES, outcomes: ["rejected"] }]],
    explains: [],
  },
  "receiver.breaks_on_genuine": {
    title: "refuses what is forged and breaks on what is genuine: the fault comes after verifying",
    fix: "look for the error in the log of the receiver",
    patterns: [
      [
        { cases: LAYOUTS, outcomes: ["broke"] },
        { cases: ["forged.wrong_secret", "forged.byte_changed"], outcomes: ["rejected"] },
      ],
    ],
    explains: RAW_CASES,
  },
  "receiver.breaks": {
    title: "breaks on every delivery",
    fix: "look for the error in the log of the receiver",
    patterns: [[allDocumented("broke")]],
    explains: [],
  },
  "receiver.redirects": {
    title: "redirects every delivery, and no sender follows",
    fix: "register the address that it leads to: a path with or without its last slash, https in place of http",
    patterns: [[allDocumented("redirected")]],
    explains: [],
  },
  "receiver.absent": {
    title: "is not at this address, or does not take POST",
    fix: "check the path of the URL",
    patterns: [[allDocumented("absent")]],
    explains: [],
  },
} as const satisfies Record<string, DiagnosisText>;

export type DiagnosisId = keyof typeof DIAGNOSES;
