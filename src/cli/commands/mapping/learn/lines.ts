import { checkMapping } from "../../../../contract/mapping/check.ts";
import type { Mapping } from "../../../../contract/mapping/mapping.ts";
import { LIST_NAMES } from "../../../../contract/mapping/resources.ts";
import { isRecord, parseJsonText } from "../../../../domain/json.ts";
import { toShellWord } from "../../../../domain/shell.ts";
import type { Context } from "../../../context.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { canPrompt, prompt } from "../../../framework/prompts.ts";
import { printMessage } from "../../../output/stderr.ts";

/** How a line came into the mapping. */
type Origin = "given" | "proved" | "answered";

type Line = Mapping[string];

/** What a line may be. */
export interface Candidate {
  /** As `--set` takes it. */
  readonly line: string;
  /** What the service sent there, or what a trial showed. */
  readonly value: string;
}

interface Question {
  readonly key: string;
  readonly text: string;
  readonly candidates: readonly Candidate[];
}

/** Where the contract has it, no line is needed. */
const CONTRACT_LINES: Readonly<Record<string, string>> = {
  "job.id": "jobId",
  "job.state": "state",
  "dataset.rows": "rows",
  "error.code": "code",
  "error.message": "detail",
  ...Object.fromEntries(
    LIST_NAMES.flatMap((name) => [
      [name, "data"],
      [`${name}.id`, "id"],
      [`${name}.paging`, '{"next":"nextCursor","parameter":"cursor"}'],
    ]),
  ),
};

/** More would be an interrogation: what is left stays open. */
const MAX_QUESTIONS = 12;

/** The lines of a mapping while it is learned: each is given, proved, answered or open. */
export class LearnedLines {
  readonly #context: Context;
  readonly #global: GlobalOptions;
  readonly #lines = new Map<string, { readonly line: Line; readonly origin: Origin }>();
  readonly open: Question[] = [];
  asked = 0;

  /** @param given lines that nothing is asked about */
  constructor(context: Context, global: GlobalOptions, given: Mapping) {
    this.#context = context;
    this.#global = global;
    for (const [key, line] of Object.entries(given)) this.#lines.set(key, { line, origin: "given" });
  }

  get(key: string): Line {
    return this.#lines.get(key)?.line;
  }

  /** The path of a line; without one, that of the contract. */
  findPath(key: string): string {
    return String(this.get(key) ?? CONTRACT_LINES[key]);
  }

  count(origin: Origin): number {
    return [...this.#lines.values()].filter((each) => each.origin === origin).length;
  }

  /** A line that a trial or the response itself has shown. One that was given stays. */
  prove(key: string, line: Line): void {
    const known = this.#lines.get(key);
    if (known === undefined && formatLine(line) === CONTRACT_LINES[key]) return;
    if (known === undefined) this.#lines.set(key, { line, origin: "proved" });
    else if (isRecord(known.line) && isRecord(line))
      this.#lines.set(key, { ...known, line: { ...line, ...known.line } as Line });
  }

  /**
   * Proves the only candidate of a line, asks about several ones, and knows nothing about none.
   *
   * @returns whether it is known now what the line is
   */
  async settle(
    key: string,
    text: string,
    candidates: readonly Candidate[],
    isProved = candidates.length === 1,
  ): Promise<boolean> {
    const [first] = candidates;
    if (this.#lines.has(key) || !first) return this.#lines.has(key);
    if (isProved) this.prove(key, first.line);
    else await this.ask({ key, text, candidates });
    return isProved || this.#lines.has(key);
  }

  /** Asks a person at a terminal; elsewhere the line stays open. Values are shown, never stored. */
  async ask(question: Question): Promise<void> {
    const isAsked = this.asked < MAX_QUESTIONS;
    if (isAsked) this.asked += 1;
    const line = isAsked && canPrompt(this.#context, this.#global) ? await this.#readAnswer(question) : null;
    if (line === null) this.open.push(question);
    else this.#lines.set(question.key, { line, origin: "answered" });
  }

  /** A line without a mistake, with the words that are known; null leaves it open. */
  async #readAnswer({ key, text, candidates }: Question): Promise<Line | null> {
    const context = this.#context;
    printMessage(context, "");
    printMessage(context, `${text} (${key})`);
    const width = Math.max(0, ...candidates.map(({ value }) => value.length));
    for (const [index, { line, value }] of candidates.entries())
      printMessage(context, `  ${index + 1}  ${value.padEnd(width)}  ${line}`);
    for (;;) {
      const answer = await prompt(context, this.#global, {
        question: `1 to ${candidates.length}, another value, or Enter to leave it open`,
        alternative: "give the line with --set",
      });
      if (answer === "") return null;
      const chosen = /^\d+$/.test(answer) ? candidates[Number(answer) - 1]?.line : answer;
      if (chosen === undefined) continue;
      const line = addWords(this.get(key), parseLine(chosen));
      const mistake = checkMapping({ ...this.toMapping(), [key]: line }).find((each) => each.key === key);
      if (!mistake) return line;
      printMessage(context, `${key}: ${mistake.message}`);
    }
  }

  /** Leaves out a line that the service contradicts. */
  leaveOut(key: string, text: string): void {
    this.#lines.delete(key);
    this.open.push({ key, text, candidates: [] });
  }

  toMapping(): Mapping {
    return Object.fromEntries([...this.#lines].map(([key, { line }]) => [key, line]));
  }

  /** Prints one `--set` line for each candidate of a line that is open. What the service sent is shown on a terminal only. */
  printOpen(): void {
    const context = this.#context;
    for (const { key, text, candidates } of this.open) {
      printMessage(context, `open: ${key}: ${text}`);
      for (const { line, value } of candidates) {
        const option = `  --set ${toShellWord(`${key}=${line}`)}`;
        printMessage(context, context.stderr.isTerminal ? `${option}   ${value}` : option);
      }
      if (candidates.length === 0) printMessage(context, `  --set ${key}=VALUE`);
    }
  }
}

/** A value that begins with `{` is JSON; anything else, also JSON that is broken, is text. */
export const parseLine = (text: string): Line =>
  text.startsWith("{") ? ((parseJsonText(text) ?? text) as Line) : text;

/** The inverse of {@link parseLine}. */
export const formatLine = (line: Line): string => (typeof line === "string" ? line : JSON.stringify(line));

/** A line with the words of an earlier one: each word may have an answer or a `--set` of its own. */
export const addWords = (known: Line, line: Line): Line =>
  isRecord(known) && isRecord(line) ? ({ ...known, ...line } as Line) : line;
