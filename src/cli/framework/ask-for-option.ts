import type { Context } from "../context.ts";
import type { GlobalOptions, OptionSpec } from "./options.ts";
import { canPrompt, prompt } from "./prompts.ts";

/**
 * The answer of a person, or the earlier value whose number it is. "" for no answer: there is no default. Nobody is asked with
 * `--yes`, nor in CI, whose terminals nobody watches (product.md §3).
 */
export async function askForOption(
  context: Context,
  { noInput, yes }: Partial<GlobalOptions>,
  { help, listEarlier }: OptionSpec,
): Promise<string> {
  if (yes || context.env.CI || !canPrompt(context, { noInput })) return "";
  const earlier = (await listEarlier?.(context)) ?? [];
  for (const [index, value] of earlier.entries()) context.stderr.writable.write(`  ${index + 1}  ${value}\n`);
  const question = earlier.length === 0 ? help : `${help}, or the number of an earlier one`;
  const answer = await prompt(context, { noInput }, { question, alternative: help });
  return (/^\d+$/.test(answer) && earlier[Number(answer) - 1]) || answer;
}
