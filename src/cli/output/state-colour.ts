import type { ChalkInstance } from "chalk";

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
  attention: ["partial", "retrying", "conditional", "disabled", "warn", "unknown", "not sent", "duplicate"],
  bad: ["failed", "revoked", "declined", "fail", "refused", "invalid", "error"],
};

const TONE_BY_WORD: ReadonlyMap<string, Tone> = new Map(
  Object.entries(TONES).flatMap(([tone, words]) => words.map((word) => [word, tone as Tone])),
);

/** Colours a state. The text says the same without the colour. */
export function paintState(chalk: ChalkInstance, text: string, fieldName: string): string {
  if (!/(^|\.)(state|status|outcome)$/.test(fieldName)) return text;
  const tone = TONE_BY_WORD.get(text.trim().toLowerCase());
  if (tone === undefined) return text;
  return { good: chalk.green, attention: chalk.yellow, bad: chalk.red }[tone](text);
}
