import type { ActivityEvent, DroppedEvents } from "../../../sandbox/index.ts";
import { type ActivityLine, formatMilliseconds } from "../../contract/activity/activity-line.ts";
import { describeEvent } from "../../contract/activity/describe-event.ts";
import { formatCount } from "../../domain/numbers.ts";
import { formatTimeOfDay } from "../../domain/times.ts";
import { wrapParts } from "../../domain/wrap-text.ts";
import type { OutputStream } from "../context.ts";
import { createChalk } from "./paint.ts";
import { sanitizeLine } from "./sanitize.ts";
import { measureWidth, wrapLine } from "./wrap.ts";

/** `06:43:12`, `503`, `1234 ms`, `#12345`, `DELETE` */
const WIDTHS = { time: 8, result: 3, duration: 7, label: 6, verb: 6 };
const TEXT_AT = Object.values(WIDTHS).reduce((sum, each) => sum + each + 1, 0);
const MIN_TEXT_WIDTH = 20;

/** On a narrower line, a path with a whole id would not leave space for anything else. */
const MIN_WIDTH_FOR_IDS = 100;
const UUIDS = /\b([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

const COLOURS = { success: "green", refusal: "yellow", failure: "red" } as const;

/** Paints text in the tone of a line, or dims it. */
export function createTonePainter(hasColour?: boolean) {
  const chalk = createChalk(hasColour);
  return (tone: ActivityLine["tone"] | "dim", text: string): string =>
    tone === "dim" ? chalk.dim(text) : chalk[COLOURS[tone]](text);
}

/** Renders what happened in a sandbox as a line of its live log: columns, then text that wraps between words, on a terminal. */
export function createActivityRenderer(
  stream: Pick<OutputStream, "columns" | "hasColour" | "isTerminal">,
): (event: ActivityEvent | DroppedEvents) => string {
  const chalk = createChalk(stream.hasColour);
  const render = (line: ActivityLine) => {
    const { at, durationMs, label, notes, result, subject, tone, verb } = line;
    // The id of a job and the number of an attempt may not fit into their columns, and are in the text then.
    const isLabelInText = label.length > WIDTHS.label;
    const isVerbInText = verb.length > WIDTHS.verb;
    const columns = [
      chalk.dim(formatTimeOfDay(at)),
      chalk[COLOURS[tone]](result.padEnd(WIDTHS.result)),
      chalk.dim(formatMilliseconds(durationMs).padStart(WIDTHS.duration)),
      chalk.dim((isLabelInText ? "" : label).padEnd(WIDTHS.label)),
      (isVerbInText ? "" : verb).padEnd(WIDTHS.verb),
    ];
    const parts = [isVerbInText ? verb : "", subject, isLabelInText ? label : "", notes.join("; ")];
    const lines = wrapActivity(
      parts.filter((part) => part !== "").map(sanitizeLine),
      stream.isTerminal ? stream.columns : 0,
    );
    return `${columns.join(" ")} ${lines.join(`\n${" ".repeat(TEXT_AT)}`)}\n`;
  };
  return (event) =>
    "dropped" in event
      ? `${formatCount(event.dropped, "line")} missing: they arrived faster than they were read\n`
      : render(describeEvent(event));
}

/** Between the parts if possible, then between words. */
function wrapActivity(parts: readonly string[], width: number): readonly string[] {
  if (width === 0) return [parts.join("  ")];
  const shown = width < MIN_WIDTH_FOR_IDS ? parts.map((part) => part.replace(UUIDS, "$1…")) : parts;
  const textWidth = Math.max(MIN_TEXT_WIDTH, width - TEXT_AT);
  return wrapParts(shown, "  ", textWidth, measureWidth).flatMap((line) => wrapLine(line, textWidth));
}
