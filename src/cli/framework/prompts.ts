import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { type ClaimsError, interruptedError, usageError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import type { GlobalOptions } from "./options.ts";

type PromptOptions = Pick<GlobalOptions, "noInput">;

/** Asks a yes-or-no question on the terminal. Without a terminal, or with `--no-input`, the answer is no. */
export async function confirm(context: Context, asking: PromptOptions, question: string): Promise<boolean> {
  if (!canPrompt(context, asking)) return false;
  return /^y(es)?$/i.test(await readLine(context, `${question} [y/N] `));
}

/** What somebody who asks has to say for themselves where nobody can be asked. */
interface Prompt {
  readonly question: string;
  /** How to give it without a prompt. */
  readonly alternative: string;
}

/**
 * Asks for a value on the terminal.
 *
 * @throws ClaimsError `no_terminal` where nobody can be asked
 */
export async function prompt(
  context: Context,
  asking: PromptOptions,
  { question, alternative: instead }: Prompt,
): Promise<string> {
  requireTerminal(context, asking, { question, alternative: instead });
  return readLine(context, `${question}: `);
}

/** The same without showing what is typed. */
export async function promptSecret(
  context: Context,
  asking: PromptOptions,
  { question, alternative: instead }: Prompt,
): Promise<string> {
  requireTerminal(context, asking, { question, alternative: instead });
  try {
    return await readLine(context, `${question} (not shown): `, { isHidden: true });
  } finally {
    context.stderr.writable.write("\n");
  }
}

const canPrompt = ({ stdin, stderr, env }: Context, { noInput }: PromptOptions): boolean =>
  stdin.isTerminal && stderr.isTerminal && !noInput && !env.CLAIMS_NO_INPUT;

function requireTerminal(
  context: Context,
  asking: PromptOptions,
  { question, alternative: instead }: Prompt,
): void {
  if (canPrompt(context, asking)) return;
  const { stdin, stderr } = context;
  const why = stdin.isTerminal && stderr.isTerminal ? "input is switched off" : "there is no terminal";
  throw usageError("no_terminal", `cannot ask for: ${question}; ${why}`, { hint: instead });
}

/** Reads one line, edited as on a terminal. Ctrl-D is an empty answer. */
async function readLine(
  { stdin, stderr, signal }: Context,
  question: string,
  { isHidden = false } = {},
): Promise<string> {
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
      // A terminal that hands over each key leaves Ctrl-C to us.
      lines.once("SIGINT", () => resolve(interruptedError(null)));
      lines.once("close", () => resolve(signal.aborted ? interruptedError(signal.reason) : null));
      // Only now: before the interface has the terminal, the terminal itself would show what is typed.
      if (isHidden) stderr.writable.write(question);
      lines.prompt();
    });
    if (typeof answer === "string") return answer;
    // Without an answer, the cursor still stands behind the question.
    echo.write("\n");
    if (answer) throw answer;
    return "";
  } finally {
    lines.close();
  }
}
