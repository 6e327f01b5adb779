import { Chalk, type ChalkInstance } from "chalk";
import type { OutputStream } from "../context.ts";

export type TerminalStyle = Pick<OutputStream, "columns" | "hasColour">;

export const createChalk = (hasColour = false): ChalkInstance => new Chalk({ level: hasColour ? 1 : 0 });

type Tone = "good" | "attention" | "bad";

/** The names of states, statuses and outcomes: those of the interface (§3), of its assumed parts, and of our commands. */
const TONES: Readonly<Record<Tone, readonly string[]>> = {
  good: [
    "completed",
    "complete",
    "succeeded",
    "success",
    "done",
    "delivered",
    "active",
    "clear",
    "pass",
    "ok",
  ],
  attention: [
    "partial",
    "retrying",
    "clear with conditions",
    "disabled",
    "warn",
    "unknown",
    "not sent",
    "duplicate",
  ],
  bad: ["failed", "revoked", "declined", "fail", "refused", "invalid", "error"],
};

const TONE_BY_WORD: ReadonlyMap<string, Tone> = new Map(
  Object.entries(TONES).flatMap(([tone, words]) => words.map((word) => [word, tone as Tone])),
);

/** A word of a state, and the mark of a rule. */
export function paintState(chalk: ChalkInstance, text: string, fieldName: string): string {
  const mark = text.trim();
  if (mark === "\u2713") return chalk.green(text);
  if (mark === "\u2717") return chalk.red(text);
  if (!/(^|\.)(state|status|outcome)$/.test(fieldName)) return text;
  const tone = TONE_BY_WORD.get(text.trim().toLowerCase());
  if (tone === undefined) return text;
  return { good: chalk.green, attention: chalk.yellow, bad: chalk.red }[tone](text);
}
