import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { ClaimsError, interruptedError, usageError } from "../../domain/errors.ts";
import { wrapAtSpaces } from "../../domain/wrap-text.ts";
import type { Context } from "../context.ts";
import type { GlobalOptions, OptionSpec } from "./options.ts";

type PromptOptions = Pick<GlobalOptions, "noInput">;

/** Asks a yes-or-no question. Without a terminal, or with `--no-input`, the answer is no. */
export async function confirm(context: Context, options: PromptOptions, question: string): Promise<boolean> {
  if (!canPrompt(context, options)) return false;
  return /^y(es)?$/i.test(await readLine(context, `${question} [y/N] `));
}

interface Prompt {
  readonly question: string;
  /** How to give the value without a prompt. */
  readonly alternative: string;
  readonly isHidden?: boolean;
}

/** @throws ClaimsError `not_confirmed` */
export async function prompt(
  context: Context,
  options: PromptOptions,
  { question, alternative, isHidden = false }: Prompt,
): Promise<string> {
  const { stdin, stderr } = context;
  if (!canPrompt(context, options)) {
    const why = stdin.isTerminal && stderr.isTerminal ? "prompts are disabled" : "there is no terminal";
    throw usageError("not_confirmed", `cannot ask for: ${question}; ${why}`, { hint: alternative });
  }
  if (!isHidden) return readLine(context, `${question}: `);
  const line = readLine(context, `${question} (not shown): `, { isHidden });
  return line.finally(() => stderr.writable.write("\n"));
}

export const canPrompt = ({ stdin, stderr, env }: Context, { noInput }: PromptOptions): boolean =>
  stdin.isTerminal && stderr.isTerminal && !noInput && !env.CLAIMS_NO_INPUT;

/** Reads one line with terminal editing. Ctrl-D gives an empty line. */
async function readLine({ stdin, stderr, signal }: Context, text: string, { isHidden = false } = {}) {
  const question = wrapAtSpaces(text, stderr.columns || Number.POSITIVE_INFINITY).join("\n");
  const echo = isHidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : stderr.writable;
  const lines = createInterface({
    input: stdin.readable,
    output: echo,
    prompt: isHidden ? "" : question,
    terminal: true,
    historySize: 0,
    signal,
  });
  try {
    const answer = await new Promise<string | ClaimsError | null>((resolve) => {
      lines.once("line", (line) => resolve(line.trim()));
      // In raw mode, Ctrl-C is a key and not a signal.
      lines.once("SIGINT", () => resolve(interruptedError(null)));
      lines.once("close", () => resolve(signal.aborted ? interruptedError(signal.reason) : null));
      // Not earlier: until readline controls the terminal, the terminal shows what the user types.
      if (isHidden) stderr.writable.write(question);
      lines.prompt();
    });
    if (typeof answer === "string") return answer;
    // The cursor is still behind the question.
    echo.write("\n");
    if (answer instanceof ClaimsError) throw answer;
    return "";
  } finally {
    lines.close();
  }
}

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
