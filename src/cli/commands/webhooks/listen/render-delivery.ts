import { formatCount, formatThousands } from "../../../../domain/numbers.ts";
import { formatTimeOfDay } from "../../../../domain/times.ts";
import { createTonePainter } from "../../../output/activity-text.ts";
import type { TerminalStyle } from "../../../output/paint.ts";
import { sanitizeLine } from "../../../output/sanitize.ts";
import { wrapLine } from "../../../output/wrap.ts";
import { adviseOnStatus, isSuccess } from "../receiver-response.ts";
import type { DeliveryEvent } from "./delivery.ts";

const WIDTHS = { time: 8, event: 28, verdict: 14, bytes: 9 } as const;
const INDENT = " ".repeat(WIDTHS.time + 2);

/** Renders a delivery as lines of a terminal, in the colours of the live log of a sandbox. */
export function createDeliveryRenderer(stream: TerminalStyle): (delivery: DeliveryEvent) => string {
  const paint = createTonePainter(stream.hasColour);
  const left = stream.columns - INDENT.length;
  const wrap = (line: string) => (left > 0 ? wrapLine(line, left) : [line]);
  return (delivery) => {
    const lines = [...verdictLines(delivery), ...receiverLines(delivery)];
    const details = lines.flatMap((line) => wrap(sanitizeLine(line))).map((line) => INDENT + line);
    return [summaryLine(delivery, paint), ...details].map((line) => `${line.trimEnd()}\n`).join("");
  };
}

function summaryLine(delivery: DeliveryEvent, paint: ReturnType<typeof createTonePainter>): string {
  const { receivedAt, eventType, claimedEventType, verdict, bytes, responseStatus, forwarded } = delivery;
  const { status, error, durationMs } = forwarded ?? {};
  const app = forwarded ? `  app ${status ?? error?.code ?? "–"}, ${durationMs} ms` : "";
  const name = eventType ?? (claimedEventType ? `${claimedEventType} (claimed)` : "–");
  const shown = sanitizeLine(name.length > WIDTHS.event ? `${name.slice(0, WIDTHS.event - 1)}…` : name);
  const tone = verdict === "valid" ? "success" : isRefused(delivery) ? "failure" : "refusal";
  return [
    paint("dim", formatTimeOfDay(receivedAt)),
    shown.padEnd(WIDTHS.event),
    paint(tone, verdict.padEnd(WIDTHS.verdict)),
    `${formatThousands(bytes)} B`.padStart(WIDTHS.bytes),
    `→ ${responseStatus}${app}`,
  ].join("  ");
}

const isRefused = ({ verdict }: DeliveryEvent): boolean => verdict !== "valid" && verdict !== "unverified";

function verdictLines(delivery: DeliveryEvent): string[] {
  if (!isRefused(delivery)) return [];
  const { reason, causes, tried, complete, failure } = delivery;
  if (causes === null || tried === null) return [reason];
  if (failure !== null) return [reason, `the explanation failed: ${failure}`];
  const count = formatCount(tried, "variation");
  const known = causes.flatMap(({ id, title, certainty, fix }) => [
    `${certainty === "proved" ? "cause" : "likely cause"}: ${title} (${id})`,
    `fix: ${fix}`,
  ]);
  const unknown = `no known cause fits (${count} tried): compare the secret by its fingerprint`;
  return [
    reason,
    ...(causes.length === 0 ? [unknown] : known),
    ...(complete ? [] : [`stopped after ${count}`]),
  ];
}

/** Of the app's response, which may be a whole error page. */
const MAX_BODY_LINES = 6;

function receiverLines(delivery: DeliveryEvent): string[] {
  const { status = null, body = null } = delivery.forwarded ?? {};
  if (status === null) return [];
  const accepted = "refused here, but the app accepted it: it does not verify, or has another secret";
  if (isSuccess(status)) return isRefused(delivery) ? [accepted] : [];
  const lines = (body ?? "").split("\n").filter((text) => text.trim() !== "");
  const prefix = delivery.verdict === "valid" ? "verified here, but the app" : "the app";
  const shown = lines.length > MAX_BODY_LINES ? [...lines.slice(0, MAX_BODY_LINES), "…"] : lines;
  return [`${prefix} responded ${status}: ${adviseOnStatus(status)}`, ...shown.map((text) => `| ${text}`)];
}
