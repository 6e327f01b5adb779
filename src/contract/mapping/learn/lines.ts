import { isRecord } from "../../../domain/json.ts";
import type { Mapping } from "../mapping.ts";
import type { Candidate, LearningPort, Question } from "./port.ts";

/** How a line came into the mapping. */
type Origin = "given" | "proved" | "answered";

/** More would be an interrogation: what is left stays open. */
const MAX_QUESTIONS = 12;

type Line = Mapping[string];

/** The lines of a mapping while it is learned: each is given, proved, answered or open. */
export class LearnedLines {
  readonly #port: LearningPort;
  readonly #lines = new Map<string, { readonly line: Line; readonly origin: Origin }>();
  readonly open: Question[] = [];
  asked = 0;

  /** @param given lines that nothing is asked about */
  constructor(port: LearningPort, given: Mapping) {
    this.#port = port;
    for (const [key, line] of Object.entries(given)) this.#lines.set(key, { line, origin: "given" });
  }

  get(key: string): Line {
    return this.#lines.get(key)?.line;
  }

  count(origin: Origin): number {
    return [...this.#lines.values()].filter((each) => each.origin === origin).length;
  }

  /** A line that a trial or the response itself has shown. One that was given stays. */
  prove(key: string, line: Line): void {
    const known = this.#lines.get(key);
    if (known === undefined) this.#lines.set(key, { line, origin: "proved" });
    else if (isRecord(known.line) && isRecord(line))
      this.#lines.set(key, { ...known, line: { ...line, ...known.line } as Line });
  }

  /** @returns the answer; null if the line stays open */
  async ask(question: Question): Promise<string | null> {
    const isAsked = this.asked < MAX_QUESTIONS;
    if (isAsked) this.asked += 1;
    const answer = isAsked ? await this.#port.ask(question) : null;
    if (answer === null) this.open.push(question);
    return answer;
  }

  /** Proves the only candidate of a place, asks about several ones, and knows nothing about none. */
  async settle(
    key: string,
    text: string,
    candidates: readonly Candidate[],
    isProved: boolean,
  ): Promise<void> {
    if (this.#lines.has(key) || candidates.length === 0) return;
    if (isProved) return this.prove(key, candidates[0]?.value);
    const answer = await this.ask({ key, text, candidates });
    if (answer !== null) this.answer(key, answer);
  }

  /** @param text the line; one of words is added to those that are known */
  answer(key: string, text: string): void {
    const line = parseLine(text);
    const known = this.get(key);
    const isMore = isRecord(known) && isRecord(line);
    this.#lines.set(key, { line: isMore ? ({ ...known, ...line } as Line) : line, origin: "answered" });
  }

  /** Leaves out a line that the service contradicts. */
  leaveOut(key: string, text: string): void {
    this.#lines.delete(key);
    this.open.push({ key, text, candidates: [] });
  }

  toMapping(): Mapping {
    return Object.fromEntries([...this.#lines].map(([key, { line }]) => [key, line]));
  }
}

/** A value that begins with `{` is JSON; anything else is text. @throws SyntaxError */
export const parseLine = (text: string): Line => (text.startsWith("{") ? JSON.parse(text) : text);
