import { formatCount } from "../../../../domain/numbers.ts";
import { capitalize, joinFirst } from "../../../../domain/text.ts";
import { formatDuration, formatTime } from "../../../../domain/times.ts";
import { ACTORS, CAUSES, type CauseId } from "../../../../domain/webhooks/explain/causes.ts";
import {
  FREQUENT_FRAMEWORKS,
  RAW_BODY_EXAMPLES,
} from "../../../../domain/webhooks/explain/raw-body-examples.ts";
import type { Separator, TriageGroup, TriageReport } from "../../../../domain/webhooks/triage.ts";
import { escapeMarkdown } from "../../../output/check-report.ts";
import { type Block, toTable } from "../../../output/output.ts";

/** A clock that is further off than this is worth a word. */
const NOTABLE_OFFSET_SECONDS = 60;

export const countDeliveries = (count: number): string => formatCount(count, "delivery", "deliveries");

/** How many, from when to when, and what the receiver made of those that verify. */
export function summarize(report: TriageReport): string {
  const { total, valid, firstAt, lastAt } = report;
  const result = valid === total ? "all valid" : `${valid} valid, ${total - valid} not`;
  const [from, to] = [firstAt, lastAt].map((at) => at && formatTime(at));
  const times = from === to ? `, at ${from}` : `, from ${from} to ${to}`;
  return [`${countDeliveries(total)}: ${result}${from ? times : ""}`, ...describeRefusals(report)].join("; ");
}

function describeRefusals({ valid, refused, otherResponses, doubts }: TriageReport): string[] {
  const others = Object.entries(otherResponses).map(
    ([status, count]) =>
      `${count} ${count === 1 ? "was" : "were"} answered ${status}, which is not about the signature`,
  );
  if (!refused) return others;
  const where = describePlace(refused);
  const place = where.startsWith("for example") ? "" : `, ${where}`;
  const isOne = refused.count === 1;
  const count = refused.count < valid ? `${refused.count} of them` : isOne ? "it" : "all of them";
  const advice = doubts.length > 0 ? "" : `: look at this receiver, not at the deliver${isOne ? "y" : "ies"}`;
  return [
    `${valid} verif${valid === 1 ? "ies" : "y"} with this secret; the receiver refused ${count}${place}${advice}`,
    ...others,
  ];
}

/** A warning for each kind of doubt about deliveries that verify. */
export const describeDoubts = ({ doubts }: TriageReport): readonly string[] =>
  doubts.map(({ kind, what, advice, count, example }) => {
    const place = kind === "repeated" ? "" : `${example}: `;
    const others = count > 1 ? ` (and ${count - 1} more like it)` : "";
    return `warning: ${place}${what}${others}. ${advice}`;
  });

/** One line for each group: how many, why, and what separates them from the valid ones. */
export function renderTriage(report: TriageReport): readonly Block[] {
  const items = [...report.groups, ...(report.refused ? [report.refused] : [])];
  // A table without rows is only a head.
  if (items.length === 0) return [{ kind: "paragraph", lines: [summarize(report)], isAdvice: true }];
  return [
    toTable<TriageGroup>({
      title: summarize(report),
      columns: [
        { name: "count", align: "right" },
        { name: "cause", value: describeCauses },
        { name: "who must act", value: describeActors },
        { name: "where", value: describePlace },
      ],
      items,
    }),
  ];
}

function describeActors({ actions, verdict }: TriageGroup): string | null {
  const actors = actions.map(({ actor }) => actor);
  const all = verdict === "valid" && actors.length === 0 ? (["receiver"] as const) : actors;
  return [...new Set(all)].map((actor) => ACTORS[actor]).join(", ") || null;
}

function describeCauses({ causes, verdict }: TriageGroup): string {
  if (verdict === "valid") return ["the receiver refused it, and it verifies", ...causes].join(": ");
  const others = verdict === "stale" ? "stale: the timestamp is too far off" : "no known cause fits";
  return causes.join(", ") || others;
}

/** `all through 10.0.3.7, since 2026-11-29 14:02 UTC; the 19 before it are valid` */
function describePlace(group: TriageGroup): string {
  const { separators, clockOffset, isClockConstant } = group;
  const [first, ...others] = separators.map(describeSeparator);
  const more = joinFirst(others, MAX_SHOWN);
  const parts = [
    first === undefined ? null : `all ${first}${more === "" ? "" : ` (equally: ${more})`}`,
    describeTurningPoint(group),
    clockOffset !== null && Math.abs(clockOffset) > NOTABLE_OFFSET_SECONDS
      ? describeLateness(clockOffset, isClockConstant)
      : null,
  ];
  return parts.filter((part) => part !== null).join(", ") || `for example ${group.example}`;
}

/** Nothing arrives before it is signed. A late delivery is a clock only if several are equally late. */
function describeLateness(offset: number, isClockConstant: boolean): string {
  const distance = formatDuration(Math.abs(offset) * 1000);
  const isZone = Math.abs(offset) % 1_800 < NOTABLE_OFFSET_SECONDS;
  const zone = isZone ? ", or the log has local time" : "";
  if (offset < 0 || isClockConstant)
    return `the receiver's clock is ${distance} ${offset < 0 ? "behind" : "ahead"}${zone}`;
  return `received ${distance} after signing: held in a queue, sent again late or by somebody else${zone}`;
}

/** Fields that separate equally, besides the first. */
const MAX_SHOWN = 3;

function describeSeparator({ field, value }: Separator): string {
  const named = field.startsWith("header ") ? `the ${field}: ${value}` : `${field} ${value}`;
  return `${/(?:host|hostname|instance|pod|node|server)$/i.test(field) ? "on" : "with"} ${named}`;
}

/** When the group began and ended, as far as the valid deliveries around it show that; null if they do not. */
function describeTurningPoint({ valid, firstAt, lastAt, separators }: TriageGroup): string | null {
  if (!valid || firstAt === null || lastAt === null) return null;
  const { before, between, after } = valid;
  const first = formatTime(firstAt);
  // With valid ones in between, the time does not separate them, but the fields may.
  if (between > 0) return separators.length > 0 ? `since ${first}` : null;
  const verb = before + after === 1 ? "is" : "are";
  if (before > 0 && after > 0) {
    const last = formatTime(lastAt);
    const period = first === last ? `at ${first}` : `since ${first} until ${last}`;
    return `${period}; the ${before} before it and the ${after} after it ${verb} valid`;
  }
  if (before > 0) return `since ${first}; the ${before} before it ${verb} valid`;
  if (after > 0) return `until ${formatTime(lastAt)}; the ${after} after it ${verb} valid`;
  return null;
}

/** For the partner whose receiver it is: what was found, and the line to change. */
export function renderMarkdown(report: TriageReport): string {
  const sections = report.groups.flatMap((group) => [
    `## ${countDeliveries(group.count)}: ${group.causes.map(titleOf).join("; ") || describeCauses(group)}`,
    `${escapeMarkdown(capitalize(describePlace(group)))}.`,
    ...(describeActors(group) === null ? [] : [`**Who must act:** ${describeActors(group)}.`]),
    ...[...new Set(group.actions.map(({ fix }) => fix))].map((fix) => `**Change:** ${fix}.`),
    ...(group.actions.some(({ actor }) => actor === "receiver") ? [RAW_BODY] : []),
  ]);
  return `${["# Webhook deliveries that did not verify", `${escapeMarkdown(summarize(report))}.`, ...sections].join("\n\n")}\n`;
}

const EXAMPLES = FREQUENT_FRAMEWORKS.map((name) => `- ${name}: \`${RAW_BODY_EXAMPLES[name]}\``);
const RAW_BODY = `How to get the raw body:\n\n${EXAMPLES.join("\n")}`;

/** @param cause as `body.reserialized (proved)` */
function titleOf(cause: string): string {
  const [id = ""] = cause.split(" ");
  return `${cause.endsWith("(likely)") ? "probably, " : ""}${CAUSES[id as CauseId].title}`;
}
