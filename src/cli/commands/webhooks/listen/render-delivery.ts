import { CAUSES, type Cause } from "../../../../domain/webhooks/explain/causes.ts";
import { formatThousands } from "../../../output/numbers.ts";
import { sanitizeLine } from "../../../output/sanitize.ts";
import type { DeliveryVerdict } from "./check-delivery.ts";
import type { DeliveryEvent } from "./delivery-event.ts";
import type { ForwardResult } from "./forwarder.ts";
import { adviseOnStatus } from "./status-advice.ts";

const WIDTHS = { time: 9, event: 28, verdict: 14, bytes: 9 } as const;

/** Lines of an answer's body that are shown. */
const MAX_BODY_LINES = 6;

const INDENT = " ".repeat(WIDTHS.time + 2);

/** A delivery for a person: a line, and on trouble what it was and what to do, indented below it. */
export function renderDelivery(told: DeliveryEvent): string {
  return [
    summaryLine(told),
    ...verdictLines(told),
    ...told.forwarded.flatMap((each) => receiverLines(each, told)),
  ]
    .map((text) => `${sanitizeLine(text).trimEnd()}\n`)
    .join("");
}

function summaryLine({
  receivedAt,
  event,
  claimedEvent,
  verdict,
  bytes,
  answered,
  forwarded,
}: DeliveryEvent): string {
  const [only, ...others] = forwarded;
  const app = only && others.length === 0 ? `  app ${describeResult(only)}` : "";
  const name = event ?? (claimedEvent ? `${claimedEvent} (claimed)` : "–");
  return [
    `${receivedAt.slice(11, 19)}Z`.padEnd(WIDTHS.time),
    truncate(name).padEnd(WIDTHS.event),
    verdict.padEnd(WIDTHS.verdict),
    `${formatThousands(bytes)} B`.padStart(WIDTHS.bytes),
    `→ ${answered}${app}`,
  ].join("  ");
}

const truncate = (text: string): string =>
  text.length > WIDTHS.event ? `${text.slice(0, WIDTHS.event - 1)}…` : text;

const describeResult = ({ status, problem, milliseconds }: ForwardResult): string =>
  `${status ?? problem?.code ?? "–"}, ${milliseconds} ms`;

function verdictLines({ verdict, reason, explanation }: DeliveryEvent): string[] {
  if (verdict === "valid" || verdict === "unverified") return [];
  return [`${INDENT}${reason}`, ...(explanation ? explanationLines(explanation) : [])];
}

function explanationLines({
  causes,
  tried,
  complete,
  failure,
}: NonNullable<DeliveryEvent["explanation"]>): string[] {
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
function receiverLines(
  { url, status, body, ...app }: ForwardResult,
  { verdict, forwarded }: DeliveryEvent,
): string[] {
  const several =
    forwarded.length > 1 ? [`${INDENT}${url}: ${describeResult({ url, status, body, ...app })}`] : [];
  if (status === null) return several;
  const isTaken = status >= 200 && status < 300;
  if (isTaken) return [...several, ...(isRefused(verdict) ? [APP_DOES_NOT_VERIFY] : [])];
  const said = (body ?? "").split("\n").filter((text) => text.trim() !== "");
  return [
    ...several,
    `${INDENT}${verdict === "valid" ? "good here, the app" : "the app"} said ${status}: ${adviseOnStatus(status)}`,
    ...said.slice(0, MAX_BODY_LINES).map((text) => `${INDENT}| ${text}`),
    ...(said.length > MAX_BODY_LINES ? [`${INDENT}| …`] : []),
  ];
}

const isRefused = (verdict: DeliveryVerdict): boolean => verdict !== "valid" && verdict !== "unverified";

const APP_DOES_NOT_VERIFY = `${INDENT}refused here, the app took it: it does not verify, or has another secret`;
