import { type Leaf, listLeaves } from "./leaves.ts";
import { isSentence, isToken } from "./looks.ts";
import type { Observation } from "./port.ts";

export interface ErrorPlaces {
  readonly codes: readonly Leaf[];
  readonly messages: readonly Leaf[];
}

/** The text of the body is the message. */
const WHOLE_TEXT = "";

const STATUS_TEXTS = /^(bad request|not found|gone|unprocessable (entity|content)|forbidden|conflict)$/i;

/** Where the response to a job that does not exist has its code and its message. @param id the id that was asked for */
export function findErrorPlaces({ json, status, text }: Observation, id: string): ErrorPlaces {
  if (json === undefined)
    return {
      codes: [],
      messages: isSentence(text) ? [{ path: WHOLE_TEXT, steps: [], value: text.trim() }] : [],
    };
  const leaves = listLeaves(json);
  const isOther = ({ value }: Leaf) =>
    String(value) === String(status) || String(value).toLowerCase() === id.toLowerCase() || isLanguage(value);
  return {
    codes: leaves.filter((leaf) => isToken(leaf.value) && !isOther(leaf)),
    messages: leaves.filter(({ value }) => isSentence(value) && !STATUS_TEXTS.test(value)),
  };
}

const isLanguage = (value: unknown): boolean =>
  typeof value === "string" && /^[a-z]{2}([-_][A-Z]{2})?$/.test(value);

/** Statuses that say themselves what an error means, or that are not about the job. */
const OTHER_STATUSES: readonly number[] = [401, 403, 404, 429];

/** Whether the status of an unknown job says by itself what it means, so that its code must say it. */
export const needsErrorWord = (status: number): boolean =>
  status >= 400 && status < 500 && !OTHER_STATUSES.includes(status);
