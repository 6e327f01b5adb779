import { joinPath } from "../contract/mapping/path.ts";
import { isRecord, isTooDeep } from "../domain/json.ts";
import { UUID } from "../domain/uuid.ts";

/** A value of a document that is no object and no list, with its place. */
export interface Leaf {
  /** As a line of a mapping has it. */
  readonly path: string;
  readonly value: string | number | boolean | null;
}

/** A service may send any document. */
const MAX_LEAVES = 5_000;

/** The values of a document; of a list, those of its first item. */
export function listLeaves(document: unknown): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const addLeaves = (value: unknown, path: string): void => {
    if (leaves.length >= MAX_LEAVES || value === undefined) return;
    if (Array.isArray(value)) {
      // A list as the whole document has no name to mark.
      const items = path === "" ? path : `${path}[]`;
      if (isRecord(value[0])) addLeaves(value[0], items);
    } else if (isRecord(value))
      for (const [name, inner] of Object.entries(value)) addLeaves(inner, joinPath(path, name));
    else leaves.push({ path, value: value as Leaf["value"] });
  };
  if (!isTooDeep(document)) addLeaves(document, "");
  return leaves;
}

/** The place of a value in a response; undefined if it is nowhere in the body. */
export const findPathOf = (document: unknown, id: string): string | undefined =>
  listLeaves(document).find(({ value }) => String(value).toLowerCase() === id.toLowerCase())?.path;

/** What a value looks like, whatever its name. Each test is strict: what fails it becomes a question, not a mistake. */

const TIME_TEXT =
  /^(\d{4}-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?)?|\w{3}, \d\d? \w{3} \d{4} [\d:]{5,8} .{3,6}|\d\d?[./]\d\d?[./]\d{4})$/;
const EARLIEST_S = Date.UTC(2015, 0) / 1000;
const LATEST_S = Date.UTC(2040, 0) / 1000;

const isEpochSeconds = (value: number): boolean => value >= EARLIEST_S && value < LATEST_S;

/** How a time is written; null for a value that is none. A day or a month is a date. */
export function findTimeForm(
  value: unknown,
): "epoch-seconds" | "epoch-ms" | "http-date" | "rfc3339" | "date" | "other" | null {
  if (typeof value === "number" || (typeof value === "string" && /^\d{10}(\d{3})?$/.test(value))) {
    if (isEpochSeconds(Number(value))) return "epoch-seconds";
    return isEpochSeconds(Number(value) / 1000) ? "epoch-ms" : null;
  }
  if (typeof value !== "string" || !TIME_TEXT.test(value)) return null;
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(value)) return "rfc3339";
  if (!value.includes(":")) return "date";
  return /^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/.test(value) ? "http-date" : "other";
}

const ADDRESS = /^(https?:)?\/|^[\w+.-]+:\/\/|@/;
const AMOUNT = /^[A-Z]{0,3} ?-?\d+([.,]\d+)+ ?[A-Z]{0,3}$/;
const YES_OR_NO = /^(true|false|yes|no)$/i;

export const isSentence = (value: unknown): value is string =>
  typeof value === "string" && /\p{L}\s+\S/u.test(value) && findTimeForm(value) === null;

export const isUuid = (value: unknown): boolean => typeof value === "string" && UUID.test(value);

/** A UUID, a word with digits or a whole number; no time, amount, address or sentence. */
export function couldBeId(value: unknown): value is string | number {
  if (findTimeForm(value) !== null) return false;
  if (typeof value === "number") return Number.isSafeInteger(value) && value > 0;
  if (typeof value !== "string" || value.length > 100 || !/\d/.test(value)) return false;
  return /^[\w.:~+=-]+$/.test(value) && !ADDRESS.test(value) && !AMOUNT.test(value);
}

/** One word, as a state has, also a short code of digits as text: no number, time, yes or no. */
export const isWord = (value: unknown): value is string =>
  typeof value === "string" &&
  /^(\p{L}[\p{L}\d]*([_-][\p{L}\d]+)*|\d{1,4})$/u.test(value) &&
  value.length <= 40 &&
  !YES_OR_NO.test(value) &&
  !isUuid(value);

/** A short word without spaces, as an error code has; also a number. */
export const isToken = (value: unknown): value is string | number =>
  findTimeForm(value) === null &&
  (typeof value === "number"
    ? Number.isSafeInteger(value)
    : typeof value === "string" &&
      /^[\p{L}\d][\p{L}\d._:/-]{0,59}$/u.test(value) &&
      !isUuid(value) &&
      !YES_OR_NO.test(value));

/** An id of the same form that the service does not know: another UUID, or the id with 9 − d in place of each digit d. */
export const makeUnknownId = (id: string): string =>
  isUuid(id) ? UNKNOWN_ID : id.replace(/\d/g, (digit) => String(9 - Number(digit)));

export const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
