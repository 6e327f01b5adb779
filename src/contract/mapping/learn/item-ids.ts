import { toPath, valueAtPath } from "../path.ts";
import type { Row } from "./items.ts";
import { listLeaves, nameOf } from "./leaves.ts";
import { couldBeId, isUuid, isWord } from "./looks.ts";

/** Documented names of what is no id (interface §2), and names of amounts and counts. */
const OTHER_NAMES =
  /^(attemptCount|lastResponseStatus|lastError|secretPrefix|label|status)$|cents|amount|total|count|sum|duty|duties|fee|refund|price|percent|rate|value/i;

export interface IdCandidate {
  /** The path of the id inside an item. */
  readonly path: string;
  /** In lower case: ids are compared so. */
  readonly values: readonly string[];
  /** An id as the service sent it. */
  readonly example: string;
}

/** The scalars that differ in every item of a list. */
function findIdCandidates(rows: readonly Row[]): readonly IdCandidate[] {
  const byPath = new Map<string, string[]>();
  for (const { sent } of rows)
    for (const leaf of listLeaves(sent)) {
      const { path, steps, value } = leaf;
      if (
        (couldBeId(value) || isWord(value)) &&
        !steps.some(({ isList }) => isList) &&
        !OTHER_NAMES.test(nameOf(leaf))
      )
        byPath.set(path, [...(byPath.get(path) ?? []), String(value)]);
    }
  return [...byPath]
    .map(([path, texts]) => ({
      path,
      values: texts.map((text) => text.toLowerCase()),
      example: texts[0] ?? "",
    }))
    .filter(({ values }) => values.length === rows.length && new Set(values).size === rows.length);
}

export interface LearnedId {
  /** The path; null if no line is needed, undefined if it is not proved. */
  readonly proved: string | null | undefined;
  readonly candidates: readonly IdCandidate[];
}

/**
 * The id of the items of a list that was read to its end. In this order: the contract's `id`; what equals the key of an
 * object by id; what another list names; the only one that could be an id, a word with digits. If another list names something else than
 * what comes first, neither is proved.
 *
 * @param naming the rows of the lists that name these items
 * @param references values of another list's id: they name its items, not these
 */
export function learnItemId(
  rows: readonly Row[],
  naming: readonly Row[],
  references: ReadonlySet<string>,
): LearnedId {
  const found = findIdCandidates(rows);
  const isReference = ({ values }: IdCandidate) =>
    values.some((value) => value.length > 3 && references.has(value));
  const own = found.filter((each) => !isReference(each));
  const candidates = own.length > 0 ? own : found;
  const keys = rows.map(({ key }) => key?.toLowerCase());
  const equal = found.find(({ values }) => values.every((value, index) => value === keys[index]));
  const named = candidates.filter((candidate) => isNamed(candidate, naming)).map(({ path }) => path);
  const isById = rows.every(({ key }) => key !== null);
  const first = isDistinct(rows, CONTRACT_ID)
    ? CONTRACT_ID
    : (equal?.path ?? (isById ? CONTRACT_ID : undefined));
  const isDisputed = first !== undefined && named.length > 0 && !named.includes(first);
  const shown = candidates.toSorted((one, other) => rankCandidate(one) - rankCandidate(other));
  if (first !== undefined && !isDisputed)
    return { proved: first === CONTRACT_ID ? null : first, candidates: shown };
  const [only, ...more] = named.length > 0 ? named : candidates.map(({ path }) => path);
  // A number may be of anything, and a word without digits may be a name.
  const isSure = named.length > 0 || /\d\D|\D\d/.test(candidates[0]?.example ?? "");
  const isProved = rows.length > 1 && more.length === 0 && isSure && !isDisputed;
  return { proved: isProved ? only : undefined, candidates: shown };
}

/** It needs no line, as the key of an object by id does not. */
const CONTRACT_ID = "id";

/** Whether a place has a text or a number in every item, and another one in each. */
export function isDistinct(rows: readonly Row[], path: string): boolean {
  const values = rows.map(({ sent }) => valueAtPath(sent, toPath(path)));
  const ids = values.map((value) =>
    typeof value === "string" || typeof value === "number" ? `${value}` : "",
  );
  return !ids.includes("") && new Set(ids.map((id) => id.toLowerCase())).size === rows.length;
}

const rankCandidate = ({ values: [first] }: IdCandidate): number => (isUuid(first) ? 0 : 1);

/** Whether a field of other rows has only values of this one. Small numbers name nothing. */
function isNamed({ values }: IdCandidate, rows: readonly Row[]): boolean {
  const own = new Set(values.filter((value) => value.length > 2));
  const fields = new Map<string, string[]>();
  for (const { sent } of rows)
    for (const { path, value } of listLeaves(sent))
      if (value !== null) fields.set(path, [...(fields.get(path) ?? []), String(value).toLowerCase()]);
  return [...fields.values()].some((seen) => seen.every((value) => own.has(value)));
}
