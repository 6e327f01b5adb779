import { formatCount } from "../../../../domain/numbers.ts";
import { capitalize } from "../../../../domain/text.ts";
import { formatAge } from "../../../../domain/times.ts";
import { ACTORS, CAUSES, type Cause } from "../../../../domain/webhooks/explain/causes.ts";
import type { Explanation } from "../../../../domain/webhooks/explain/explain-signature.ts";
import {
  FREQUENT_FRAMEWORKS,
  type Framework,
  RAW_BODY_EXAMPLES,
} from "../../../../domain/webhooks/explain/raw-body-examples.ts";
import { isGenuine } from "../../../../domain/webhooks/signature.ts";
import type { Document } from "../../../documents/index.ts";
import type { Block } from "../../../output/output.ts";
import type { CaseFinding } from "../input-formats/case-file.ts";

type VerdictFacts = Pick<Document<"SignatureVerdict">, "event" | "signedBy" | "fingerprints" | "expected">;

/** Where {@link mayBeOtherSecret}. */
export const BODY_OR_SECRET =
  "either the body here is not what was sent, or the secret is not the one of this endpoint: verify another delivery of the same endpoint to find out";

/**
 * Whether only guesses about the body explain a mismatch, or nothing: then the secret may be the wrong one, too.
 *
 * @param labels of `labelCause`
 */
export const mayBeOtherSecret = (labels: readonly string[]): boolean =>
  labels.every((label) => /^body\..*\(likely\)$/.test(label));

/** A right delivery that a receiver refuses is a fault of the receiver. */
export const NEXT_STEP =
  "next, if a receiver refuses it: `claims webhooks probe URL` tests that receiver; `verify FILE --computed HEX` says what it signed";

interface VerdictView {
  readonly facts: VerdictFacts;
  readonly isVerbose: boolean;
  /** Of the receiver; null if it is not known. */
  readonly framework: Framework | null;
  readonly caseFinding: CaseFinding | undefined;
}

export function renderVerdict(
  explanation: Explanation,
  { facts, isVerbose, framework, caseFinding }: VerdictView,
): readonly Block[] {
  const { causes, remarks } = explanation;
  const blocks: Block[] = [renderVerdictCard(explanation, facts, isVerbose)];
  if (caseFinding) blocks.push(renderFinding(caseFinding, facts.fingerprints));
  for (const [index, cause] of causes.entries())
    blocks.push(...renderCause(cause, causes.slice(0, index), isVerbose));
  if (isGenuine(explanation) || isVerbose) blocks.push(...renderRemarks(remarks));
  const didReceiverChangeBody = causes.some(
    ({ id, actor }) => actor === "receiver" && id.startsWith("body."),
  );
  if (didReceiverChangeBody && (isVerbose || framework !== null)) blocks.push(renderExamples(framework));
  return blocks;
}

function renderVerdictCard(explanation: Explanation, facts: VerdictFacts, isVerbose: boolean): Block {
  const { verdict, reason, complete } = explanation;
  const isValid = verdict === "valid";
  return {
    kind: "card",
    section: "verdict",
    title: `${isValid ? "\u2713" : "\u2717"} ${capitalize(reason)}`,
    tone: isValid ? "good" : "bad",
    record: {
      verdict,
      reason,
      ...(isGenuine(explanation) && { event: facts.event }),
      ...(!complete && { complete }),
      fingerprint: facts.signedBy ?? facts.fingerprints.join(" "),
      ...(facts.expected && { expected: facts.expected }),
    },
    rows: listFacts(explanation, facts, isVerbose),
  };
}

function listFacts(
  { verdict, ageSeconds, causes, tried, complete, failure }: Explanation,
  { event, signedBy, fingerprints, expected = [] }: VerdictFacts,
  isVerbose: boolean,
): readonly (readonly [name: string, value: string | null])[] {
  const age = ageSeconds === null ? "unknown: the timestamp is not a time" : formatAge(ageSeconds * 1_000);
  const signed = ["signed", age] as const;
  const signatures = expected.map((each) => [`expected with ${each.fingerprint}`, each.signature] as const);
  if (isGenuine({ verdict }))
    return [signed, ["event", event], ["secret", signedBy && `fingerprint ${signedBy}`], ...signatures];
  const count = formatCount(tried, "variation");
  const unexplained =
    failure === null ? `no known cause fits (${count} tried)` : `the explanation failed: ${failure}`;
  return [
    ...(isVerbose || causes.length === 0
      ? ([signed, ["secret", `fingerprint ${fingerprints.join(", ")}`]] as const)
      : []),
    ...(isVerbose || !complete ? [["tried", `${complete ? "" : "stopped after "}${count}`] as const] : []),
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

/** Says once what several causes have in common. */
function renderCause(
  { id, title, certainty, evidence, actor, fix }: Cause,
  before: readonly Cause[],
  isVerbose: boolean,
): Block[] {
  const [first = "", ...lines] = evidence.split("\n");
  const isNew = (has: (cause: Cause) => boolean) => !before.some(has);
  const hasEvidence = isNew((each) => each.evidence.startsWith(first));
  const hasFix = isNew((each) => each.fix === fix);
  const card: Block = {
    kind: "card",
    section: `causes.${before.length}`,
    title: `${certainty === "proved" ? "Cause" : "Likely cause"}: ${title}`,
    record: {
      id,
      certainty,
      title,
      ...(hasEvidence && { evidence: first }),
      actor,
      ...(hasFix && { fix }),
    },
    rows: [
      ...(hasEvidence ? [["evidence", first] as const] : []),
      ...(isNew((each) => each.actor === actor) ? [["who must act", ACTORS[actor]] as const] : []),
      ...(hasFix ? [["fix", fix] as const] : []),
    ],
  };
  const rest = lines.map((line) => `  ${line}`);
  return isVerbose && rest.length > 0 ? [card, { kind: "paragraph", lines: rest, isAdvice: true }] : [card];
}

/** The line of the framework that the record names; otherwise those of the most frequent ones. */
function renderExamples(framework: Framework | null): Block {
  const names = framework === null ? FREQUENT_FRAMEWORKS : [framework];
  return {
    kind: "paragraph",
    title: "How to get the raw body",
    isAdvice: true,
    lines: [
      ...names.flatMap((name) => [`  ${name}`, `    ${RAW_BODY_EXAMPLES[name]}`]),
      ...(framework === null ? ["  --framework NAME shows that of another one"] : []),
    ],
  };
}

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
