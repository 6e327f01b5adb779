import type { JobState } from "../../domain/diligence/states.ts";
import type { JobWords } from "./mapping.ts";

/** The state that a word of the service means; undefined if the mapping does not say. */
export const readWord = (words: JobWords | undefined, word: unknown): JobState | undefined =>
  words && Object.hasOwn(words, String(word)) ? words[String(word)] : undefined;

/** The first word with this meaning; numbers stay numbers. */
export function writeWord(words: JobWords | undefined, state: unknown): unknown {
  const found = Object.entries(words ?? {}).find(([, meaning]) => meaning === state);
  if (!found) return state;
  return /^(0|[1-9]\d{0,14})$/.test(found[0]) ? Number(found[0]) : found[0];
}
