import { formatCount } from "../../../../domain/numbers.ts";
import { formatAge } from "../../../../domain/times.ts";
import { ACTORS, CAUSES, type Cause } from "../../../../domain/webhooks/explain/causes.ts";
import type { Explanation } from "../../../../domain/webhooks/explain/explain.ts";
import { RAW_BODY_EXAMPLES } from "../../../../domain/webhooks/explain/raw-body-examples.ts";
import type { Block } from "../../../output/output.ts";
import type { CaseFinding } from "../input-formats/case-file.ts";

interface VerdictFacts {
  /** Only of a genuine delivery (interface §6). */
  readonly event: string | null;
  /** Fingerprint of the secret that signed. */
  readonly signedBy: string | null;
  /** Of all given secrets. */
  readonly fingerprints: readonly string[];
  readonly expected?: readonly { readonly fingerprint: string; readonly signature: string }[];
}

const TITLES: Readonly<Record<Explanation["verdict"], string>> = {
  valid: "The signature matches",
  stale: "The signature matches, but the delivery is not fresh",
  mismatch: "The signature does not match",
  missing_header: "A header is missing",
  malformed: "A header is malformed",
};

/** The fields of the document besides causes and remarks. */
export const toVerdictRecord = (
  { causes, remarks, secretIndex, failure, ...explanation }: Explanation,
  facts: VerdictFacts,
) => ({ ...explanation, ...facts, ...(failure !== null && { failure }) });

export function renderVerdict(
  explanation: Explanation,
  facts: VerdictFacts,
  finding?: CaseFinding,
): readonly Block[] {
  const { verdict, reason, causes, remarks } = explanation;
  return [
    {
      kind: "card",
      section: "verdict",
      title: TITLES[verdict],
      record: { ...toVerdictRecord(explanation, facts), remarks: remarks.map(({ id }) => id) },
      rows: [["verdict", verdict], ["why", reason], ...listFacts(explanation, facts)],
    },
    ...(finding ? [renderFinding(finding, facts.fingerprints)] : []),
    ...causes.flatMap((cause, index) => renderCause(cause, index, causes)),
    ...(causes.some(({ id }) => id.startsWith("body.")) ? [RAW_BODY_BLOCK] : []),
    ...renderRemarks(remarks),
  ];
}

function listFacts(
  { verdict, ageSeconds, causes, tried, complete, failure }: Explanation,
  { event, signedBy, fingerprints, expected = [] }: VerdictFacts,
): readonly (readonly [name: string, value: string | null])[] {
  const age = ageSeconds === null ? "unknown: the timestamp is not a time" : formatAge(ageSeconds * 1_000);
  const signed = ["signed", age] as const;
  const signatures = expected.map((each) => [`expected with ${each.fingerprint}`, each.signature] as const);
  if (verdict === "valid" || verdict === "stale")
    return [signed, ["event", event], ["secret", signedBy && `fingerprint ${signedBy}`], ...signatures];
  const count = formatCount(tried, "variation");
  const unexplained =
    failure === null ? `no known cause fits (${count} tried)` : `the explanation failed: ${failure}`;
  return [
    signed,
    ["secret", `fingerprint ${fingerprints.join(", ")}`],
    ["tried", `${complete ? "" : "stopped after "}${count}`],
    ...(causes.length === 0 ? [["cause", unexplained] as const] : []),
    ...signatures,
  ];
}

/** A remark is odd, but is not why. */
function renderRemarks(remarks: Explanation["remarks"]): readonly Block[] {
  const lines = remarks.map(({ id, title, evidence }) => `  ${id}: ${title} (${evidence})`);
  const title = "Remarks, which are not the cause";
  return lines.length === 0 ? [] : [{ kind: "paragraph", title, isAdvice: true, lines }];
}

function renderCause(
  { id, title, certainty, evidence, actor, fix }: Cause,
  index: number,
  all: readonly Cause[],
): Block[] {
  const [first = "", ...lines] = evidence.split("\n");
  const card: Block = {
    kind: "card",
    section: `causes.${index}`,
    title: `${certainty === "proved" ? "Cause" : "Likely cause"}: ${title}`,
    record: { id, title, certainty, evidence, actor, fix },
    rows: [
      ["cause", `${id} (${certainty})`],
      ["evidence", first],
      ["who must act", ACTORS[actor]],
      ...(all.findIndex((each) => each.fix === fix) === index ? [["fix", fix] as const] : []),
    ],
  };
  const rest = lines.map((line) => `  ${line}`);
  return rest.length > 0 ? [card, { kind: "paragraph", lines: rest, isAdvice: true }] : [card];
}

/** The examples are too long to indent more. */
const RAW_BODY_BLOCK: Block = {
  kind: "paragraph",
  title: "How to get the raw body",
  lines: Object.entries(RAW_BODY_EXAMPLES).flatMap(([framework, line]) => [`  ${framework}`, `    ${line}`]),
};

function renderFinding({ verdict, causes, fingerprints }: CaseFinding, own: readonly string[]): Block {
  const isShared = fingerprints.some((each) => own.includes(each));
  return {
    kind: "card",
    section: "case",
    title: "Result in the case file",
    record: { verdict, causes, fingerprints },
    rows: [
      ["its verdict", verdict],
      ["its causes", causes.map((id) => `${CAUSES[id].title} (${id})`).join(", ") || null],
      ["its secrets", fingerprints.join(", ") || null],
      ["same secret", isShared ? "yes" : "no: the case has none of your secrets"],
    ],
  };
}
