import { CAUSES, type Cause } from "../../../../domain/webhooks/explain/causes.ts";
import type { Explanation } from "../../../../domain/webhooks/explain/explain.ts";
import type { Block } from "../../../output/output.ts";
import type { CaseFinding } from "../input-formats/case-file.ts";
import { RAW_BODY_EXAMPLES } from "./raw-body-examples.ts";

/** What is shown beside the explanation itself. */
export interface VerdictFacts {
  /** Of the secret that signed it, and of all that were tried. */
  readonly signedBy: string | null;
  readonly fingerprints: readonly string[];
  /** The canonical event name: told of a genuine delivery only (interface §6). */
  readonly event: string | null;
  readonly expected: readonly { readonly fingerprint: string; readonly signature: string }[];
  readonly finding: CaseFinding | null;
}

const VERDICT_TITLES: Readonly<Record<Explanation["verdict"], string>> = {
  valid: "The signature is right",
  stale: "The signature is right, the delivery is not fresh",
  mismatch: "The signature does not fit",
  missing_header: "A header is missing",
  malformed: "A header is not what it has to be",
};

/** An explanation for a person: the verdict, then each cause with its evidence and its fix. */
export function renderVerdict(explanation: Explanation, beside: VerdictFacts): readonly Block[] {
  const { verdict, reason, causes } = explanation;
  return [
    {
      kind: "card",
      title: VERDICT_TITLES[verdict],
      rows: [["verdict", verdict], ["why", reason], ...listFacts(explanation, beside)],
    },
    ...(beside.finding ? [renderFinding(beside.finding, beside.fingerprints)] : []),
    ...causes.flatMap(renderCause),
    ...(causes.some(({ id }) => id.startsWith("body.")) ? [RAW_BODY_BLOCK] : []),
  ];
}

function listFacts(
  { verdict, ageSeconds, causes, tried, complete, failure }: Explanation,
  beside: VerdictFacts,
): [string, string | null][] {
  const { event, signedBy, fingerprints, expected } = beside;
  const isGenuine = verdict === "valid" || verdict === "stale";
  const effort = complete ? `${tried} variations` : `stopped after ${tried} variations`;
  const unexplained =
    failure === null
      ? "unexplained: no fault that is known explains it"
      : `the explanation failed: ${failure}`;
  return [
    ["signed", ageSeconds === null ? "the timestamp tells no time" : formatAge(ageSeconds)],
    ...(isGenuine
      ? [
          ["event", event] as [string, string | null],
          ["secret", signedBy && `fingerprint ${signedBy}`] as [string, string | null],
        ]
      : [
          ["secret", `fingerprint ${fingerprints.join(", ")}`] as [string, string],
          ["tried", effort] as [string, string],
          ...(causes.length === 0 ? [["cause", unexplained] as [string, string]] : []),
        ]),
    ...expected.map(({ fingerprint, signature }): [string, string] => [
      `expected with ${fingerprint}`,
      signature,
    ]),
  ];
}

const UNITS = { days: 86_400, hours: 3_600, minutes: 60 } as const;

function formatAge(seconds: number): string {
  const age = Math.abs(seconds);
  const [name, length] = Object.entries(UNITS).find(([, each]) => age >= 2 * each) ?? ["s", 1];
  return `${Math.round(age / length)} ${name} ${seconds < 0 ? "ahead of now" : "ago"}`;
}

function renderCause({ id, certainty, evidence, fix }: Cause): Block[] {
  const [first = "", ...lines] = evidence.split("\n");
  return [
    {
      kind: "card",
      title: `${certainty === "proved" ? "Cause" : "Likely cause"}: ${CAUSES[id].title}`,
      rows: [
        ["cause", `${id} (${certainty})`],
        ["evidence", first],
        ["fix", fix],
      ],
    },
    ...(lines.length > 0 ? [{ kind: "paragraph", lines: lines.map((line) => `  ${line}`) } as const] : []),
  ];
}

/** Code is not broken over lines. */
const RAW_BODY_BLOCK: Block = {
  kind: "paragraph",
  title: "The line that keeps the raw body",
  lines: Object.entries(RAW_BODY_EXAMPLES).flatMap(([framework, line]) => [`  ${framework}`, `    ${line}`]),
};

/** What the one who sent the case found, and whether both have the same secret. */
export function renderFinding(
  { verdict, causes, fingerprints }: CaseFinding,
  own: readonly string[] = [],
): Block {
  const isShared = fingerprints.some((each) => own.includes(each));
  return {
    kind: "card",
    title: "What the case file says",
    rows: [
      ["verdict there", verdict],
      ["causes there", causes.join(", ") || null],
      ["secrets there", fingerprints.join(", ") || null],
      ...(own.length === 0
        ? []
        : [["same secret", isShared ? "yes" : "no: none of theirs is one of yours"] as const]),
    ],
  };
}
