import { isRecord } from "../../../domain/json.ts";
import type { Mapping } from "../mapping.ts";
import type { Candidate, LearningPort, Question } from "./port.ts";

/** How a line came into the mapping. */
export type Origin = "given" | "proved" | "answered";

/** More would be an interrogation: what is left stays open. */
const MAX_QUESTIONS = 12;

type Line = Mapping[string];

/** The lines of a mapping while it is learned: each is given, proved, answered or open. */
export class LearnedLines {
  readonly #port: LearningPort;
  readonly #lines = new Map<string, Line>();
  readonly origins = new Map<string, Origin>();
  readonly open: Question[] = [];
  asked = 0;

  /** @param given lines that nothing is asked about */
  constructor(port: LearningPort, given: Mapping) {
    this.#port = port;
    for (const [key, line] of Object.entries(given)) this.#set(key, line, "given");
  }

  get(key: string): Line {
    return this.#lines.get(key);
  }

  /** A line that a trial or the response itself has shown. One that was given stays. */
  prove(key: string, line: Line): void {
    const known = this.#lines.get(key);
    if (isRecord(known) && isRecord(line)) this.#lines.set(key, { ...line, ...known } as Line);
    else if (known === undefined) this.#set(key, line, "proved");
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
    if (answer !== null) this.answer(key, parseLine(answer));
  }

  answer(key: string, line: Line): void {
    const known = this.#lines.get(key);
    this.#set(key, isRecord(known) && isRecord(line) ? ({ ...known, ...line } as Line) : line, "answered");
  }

  /** Leaves out a line that the service contradicts. */
  leaveOut(key: string, text: string): void {
    this.#lines.delete(key);
    this.origins.delete(key);
    this.open.push({ key, text, candidates: [] });
  }

  #set(key: string, line: Line, origin: Origin): void {
    this.#lines.set(key, line);
    this.origins.set(key, origin);
  }

  toMapping(): Mapping {
    return Object.fromEntries(this.#lines);
  }
}

/** A value that begins with `{` is JSON; anything else is text. @throws SyntaxError */
export const parseLine = (text: string): Line => (text.startsWith("{") ? JSON.parse(text) : text);
