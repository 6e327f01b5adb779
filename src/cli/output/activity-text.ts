import { Chalk, type ChalkInstance } from "chalk";
import { type ActivityLine, formatMilliseconds } from "../../domain/activity/activity-line.ts";
import { sanitizeLine } from "./sanitize.ts";

const METHOD_WIDTH = 6;

const TONES: Readonly<Record<ActivityLine["tone"], (chalk: ChalkInstance) => ChalkInstance>> = {
  success: ({ green }) => green,
  refusal: ({ yellow }) => yellow,
  failure: ({ red }) => red,
};

export function createActivityRenderer(colour: boolean): (line: ActivityLine) => string {
  const chalk = new Chalk({ level: colour ? 1 : 0 });
  return ({ at, durationMs, label, notes, result, subject, tone, verb }) => {
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
}
