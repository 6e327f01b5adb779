import { CAUSES, type Cause } from "../../../../domain/webhooks/explain/causes.ts";
import { formatThousands } from "../../../output/numbers.ts";
import { sanitizeLine } from "../../../output/printable.ts";
import { adviceOn } from "./advice.ts";
import type { Forwarded } from "./forward.ts";
import type { Verdict } from "./judge.ts";
import type { Told } from "./told.ts";

const WIDTHS = { time: 9, event: 28, verdict: 14, bytes: 9 } as const;

/** Lines of an answer's body that are shown. */
const MOST_LINES = 6;

const INDENT = " ".repeat(WIDTHS.time + 2);

/** A delivery for a person: a line, and on trouble what it was and what to do, indented below it. */
export function toldAsText(told: Told): string {
  return [line(told), ...verdictDetails(told), ...told.forwarded.flatMap((each) => appDetails(each, told))]
    .map((text) => `${sanitizeLine(text).trimEnd()}\n`)
    .join("");
}

function line({ receivedAt, event, claimedEvent, verdict, bytes, answered, forwarded }: Told): string {
  const [only, ...others] = forwarded;
  const app = only && others.length === 0 ? `  app ${outcome(only)}` : "";
  const name = event ?? (claimedEvent ? `${claimedEvent} (claimed)` : "–");
  return [
    `${receivedAt.slice(11, 19)}Z`.padEnd(WIDTHS.time),
    cut(name).padEnd(WIDTHS.event),
    verdict.padEnd(WIDTHS.verdict),
    `${formatThousands(bytes)} B`.padStart(WIDTHS.bytes),
    `→ ${answered}${app}`,
  ].join("  ");
}

const cut = (text: string): string =>
  text.length > WIDTHS.event ? `${text.slice(0, WIDTHS.event - 1)}…` : text;

const outcome = ({ status, problem, milliseconds }: Forwarded): string =>
  `${status ?? problem?.code ?? "–"}, ${milliseconds} ms`;

function verdictDetails({ verdict, reason, explanation }: Told): string[] {
  if (verdict === "valid" || verdict === "unverified") return [];
  return [`${INDENT}${reason}`, ...(explanation ? explanationLines(explanation) : [])];
}

function explanationLines({ causes, tried, complete, failure }: NonNullable<Told["explanation"]>): string[] {
  if (failure !== null) return [`${INDENT}the explanation failed: ${failure}`];
  const stopped = complete ? [] : [`${INDENT}stopped after ${tried} variations`];
  return [...(causes.length === 0 ? [UNEXPLAINED] : causes.flatMap(causeLines)), ...stopped];
}

const UNEXPLAINED = `${INDENT}unexplained: compare the secret by its fingerprint`;

const causeLines = ({ id, certainty, fix }: Cause): string[] => [
  `${INDENT}${certainty === "proved" ? "cause" : "likely cause"}: ${CAUSES[id].title} (${id})`,
  `${INDENT}fix: ${fix}`,
];

/** What the verdict here and the app's answer say together. */
function appDetails({ url, status, body, ...app }: Forwarded, { verdict, forwarded }: Told): string[] {
  const several = forwarded.length > 1 ? [`${INDENT}${url}: ${outcome({ url, status, body, ...app })}`] : [];
  if (status === null) return several;
  const isTaken = status >= 200 && status < 300;
  if (isTaken) return [...several, ...(isRefused(verdict) ? [TOO_TRUSTING] : [])];
  const said = (body ?? "").split("\n").filter((text) => text.trim() !== "");
  return [
    ...several,
    `${INDENT}${verdict === "valid" ? "good here, the app" : "the app"} said ${status}: ${adviceOn(status)}`,
    ...said.slice(0, MOST_LINES).map((text) => `${INDENT}| ${text}`),
    ...(said.length > MOST_LINES ? [`${INDENT}| …`] : []),
  ];
}

const isRefused = (verdict: Verdict): boolean => verdict !== "valid" && verdict !== "unverified";

const TOO_TRUSTING = `${INDENT}refused here, the app took it: it does not verify, or has another secret`;
