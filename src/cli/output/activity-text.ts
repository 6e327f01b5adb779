import { Chalk, type ChalkInstance } from "chalk";
import type { ActivityEvent, DroppedEvents } from "../../../sandbox/index.ts";
import { type ActivityLine, formatMilliseconds } from "../../domain/activity/activity-line.ts";
import { describeAttempt } from "../../domain/activity/describe-attempt.ts";
import { describeRequest } from "../../domain/activity/describe-request.ts";
import { formatCount } from "../../domain/numbers.ts";
import { sanitizeLine } from "./sanitize.ts";

const METHOD_WIDTH = 6;

const TONES: Readonly<Record<ActivityLine["tone"], (chalk: ChalkInstance) => ChalkInstance>> = {
  success: ({ green }) => green,
  refusal: ({ yellow }) => yellow,
  failure: ({ red }) => red,
};

/** Renders what happened in a sandbox as a line of its live log. */
export function createActivityRenderer(colour: boolean): (event: ActivityEvent | DroppedEvents) => string {
  const chalk = new Chalk({ level: colour ? 1 : 0 });
  const render = ({ at, durationMs, label, notes, result, subject, tone, verb }: ActivityLine) => {
    const parts = [
      chalk.dim(at.slice(11, 19)),
      TONES[tone](chalk)(result.padEnd(3)),
      `${verb.padEnd(METHOD_WIDTH)} ${sanitizeLine(subject)}`,
      chalk.dim(formatMilliseconds(durationMs)),
      label,
      sanitizeLine(notes.join("; ")),
    ];
    return `${parts.filter((part) => part !== "").join("  ")}\n`;
  };
  return (event) => {
    if ("dropped" in event)
      return `${formatCount(event.dropped, "line")} missing: they arrived faster than they were read\n`;
    return render(event.event === "request" ? describeRequest(event) : describeAttempt(event));
  };
}
