import type { Candidate, Question } from "../../../../contract/mapping/learn/port.ts";
import { toShellWord } from "../../../../domain/shell.ts";
import type { Context } from "../../../context.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { canPrompt, prompt } from "../../../framework/prompts.ts";
import { printMessage } from "../../../output/stderr.ts";

/** Asks a person at a terminal; elsewhere the line stays open. Values are shown, never stored. */
export const createAsker =
  (context: Context, global: GlobalOptions) =>
  async ({ key, text, candidates }: Question): Promise<string | null> => {
    if (!canPrompt(context, global)) return null;
    printMessage(context, "");
    printMessage(context, `${text} (${key})`);
    const width = Math.max(0, ...candidates.map(({ shows }) => shows.length));
    for (const [index, { value, shows }] of candidates.entries())
      printMessage(context, `  ${index + 1}  ${shows.padEnd(width)}  ${value}`);
    for (;;) {
      const answer = await prompt(context, global, {
        question: `1 to ${candidates.length}, another value, or Enter to leave it open`,
        alternative: "give the line with --set",
      });
      if (answer === "") return null;
      const chosen = /^\d+$/.test(answer) ? candidates[Number(answer) - 1]?.value : answer;
      if (chosen !== undefined) return chosen;
    }
  };

/** One `--set` line for each candidate of a line that is open. What the service sent is shown on a terminal only. */
export function printOpenLines(context: Context, open: readonly Question[]): void {
  const toSetting = (key: string, { value, shows }: Candidate): string => {
    const setting = `  --set ${toShellWord(`${key}=${value}`)}`;
    return context.stderr.isTerminal ? `${setting}   ${shows}` : setting;
  };
  for (const { key, text, candidates } of open) {
    printMessage(context, `open: ${key}: ${text}`);
    for (const candidate of candidates) printMessage(context, toSetting(key, candidate));
    if (candidates.length === 0) printMessage(context, `  --set ${key}=VALUE`);
  }
}
