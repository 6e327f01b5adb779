import { couldBeId, isUuid, isWord, listLeaves } from "../../../../client/leaves.ts";
import type { ListItem } from "../../../../contract/mapping/list.ts";
import { joinPath, toPath, valueAtPath } from "../../../../contract/mapping/path.ts";
import { groupBy } from "../../../../domain/group-by.ts";
import { type Fields, isRecord, isTooDeep } from "../../../../domain/json.ts";
import type { Candidate } from "./lines.ts";

export type Row = Pick<ListItem, "key" | "sent">;

/** The place of the items of a list. */
interface ItemsCandidate extends Candidate {
  readonly rows: readonly Row[];
}

/** The places of a response that may have the items of a list. Without any, the list may be empty: *not seen*. */
export function findItems(document: unknown): readonly ItemsCandidate[] {
  if (isTooDeep(document)) return [];
  const found: ItemsCandidate[] = [];
  let hasEmptyList = false;
  const add = (line: string, rows: readonly Row[]) =>
    found.push({ line, rows, value: `${rows.length}: ${showRow(rows[0])}` });
  const walk = (value: unknown, path: string): void => {
    if (Array.isArray(value)) {
      hasEmptyList ||= value.length === 0;
      if (value.length > 0 && value.every(isRecord) && !value.every(isLink))
        add(
          path,
          value.map((sent) => ({ key: null, sent })),
        );
    } else if (isRecord(value)) {
      const rows = readById(value);
      if (rows) add(`${path}{}`, rows);
      else for (const [name, inner] of Object.entries(value)) walk(inner, joinPath(path, name));
    }
  };
  walk(document, "");
  // Beside a list without items, records with the same names are sums and the like.
  return hasEmptyList ? found.filter(({ line, rows }) => !line.endsWith("{}") || rows.every(hasKey)) : found;
}

const MAX_SHOWN = 60;

/** A row as a person recognizes it. */
const showRow = (row: Row | undefined): string => {
  const texts = Object.values(row?.sent ?? {}).filter((value) => /^(string|number)$/.test(typeof value));
  const text = texts.join(", ");
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
};

const isLink = (record: Fields): boolean => "href" in record || "rel" in record;

const hasKey = ({ key, sent }: Row): boolean =>
  listLeaves(sent).some(({ value }) => String(value).toLowerCase() === key?.toLowerCase());

/** The items of an object by id; null if it is another object. Lists inside of items do not count. */
function readById(value: Fields): readonly Row[] | null {
  const rows = Object.entries(value).flatMap(([key, record]) =>
    isRecord(record) ? [{ key, sent: record }] : [],
  );
  if (rows.length === 0 || rows.length < Object.keys(value).length) return null;
  const names = rows.map(({ sent }) => Object.keys(sent).sort().join("\n"));
  const isUniform = rows.length > 1 && new Set(names).size === 1 && names[0]?.includes("\n");
  if (!isUniform && !rows.every(hasKey)) return null;
  if (rows.some(({ sent }) => isLink(sent) || Object.values(sent).some(holdsById))) return null;
  return rows;
}

const holdsById = (value: unknown): boolean =>
  isRecord(value) && (readById(value) !== null || Object.values(value).some(holdsById));

/** Documented names of what is no id (interface §2), and names of amounts and counts. */
const OTHER_NAMES =
  /^(attemptCount|lastResponseStatus|lastError|secretPrefix|label|status)$|cents|amount|total|count|sum|duty|duties|fee|refund|price|percent|rate|value/i;

/** The path of an id inside an item. */
interface IdCandidate extends Candidate {
  /** In lower case: ids are compared so. */
  readonly ids: readonly string[];
}

const groupLeaves = (rows: readonly Row[]) =>
  groupBy(
    rows.flatMap(({ sent }) => listLeaves(sent)),
    ({ path }) => path,
  );

/** The scalars that differ in every item of a list, UUIDs first. */
const findIdCandidates = (rows: readonly Row[]): readonly IdCandidate[] =>
  [...groupLeaves(rows)]
    .flatMap(([path, leaves]) => {
      const ids = leaves.map(({ value }) => String(value).toLowerCase());
      const isDifferent = ids.length === rows.length && new Set(ids).size === rows.length;
      const isId = leaves.every(({ value }) => couldBeId(value) || isWord(value));
      const isOther = path.includes("[]") || OTHER_NAMES.test(path.replace(/^.*\./, ""));
      return isId && isDifferent && !isOther ? [{ line: path, ids, value: String(leaves[0]?.value) }] : [];
    })
    .toSorted((one, other) => Number(isUuid(other.ids[0])) - Number(isUuid(one.ids[0])));

/** The contract's place of an id. */
export const CONTRACT_ID = "id";

/**
 * The id of the items of a list that was read to its end. In this order: the contract's `id`; what equals the key of an
 * object by id; what another list names; the only one that could be an id, a word with digits. If another list names something else than
 * what comes first, neither is proved.
 *
 * @param naming the rows of the lists that name these items
 * @param references values of another list's id: they name its items, not these
 * @returns `proved`: undefined if it is not
 */
export function learnItemId(
  rows: readonly Row[],
  naming: readonly Row[],
  references: ReadonlySet<string>,
): { readonly proved: string | undefined; readonly candidates: readonly IdCandidate[] } {
  const found = findIdCandidates(rows);
  const own = found.filter(({ ids }) => !ids.some((id) => id.length > 3 && references.has(id)));
  const candidates = own.length > 0 ? own : found;
  const named = candidates.filter((candidate) => isNamed(candidate, naming)).map(({ line }) => line);
  const keys = rows.map(({ key }) => key?.toLowerCase());
  const equal = found.find(({ ids }) => ids.every((id, index) => id === keys[index]))?.line;
  const key = keys.includes(undefined) ? undefined : (equal ?? CONTRACT_ID);
  const first = isDistinct(rows, CONTRACT_ID) ? CONTRACT_ID : key;
  if (first !== undefined)
    return { candidates, proved: named.length === 0 || named.includes(first) ? first : undefined };
  const [only, ...more] = named.length > 0 ? named : candidates.map(({ line }) => line);
  // A number may be of anything, and a word without digits may be a name.
  const isSure = named.length > 0 || /\d\D|\D\d/.test(candidates[0]?.value ?? "");
  return { candidates, proved: rows.length > 1 && more.length === 0 && isSure ? only : undefined };
}

/** Whether a place has a text or a number in every item, and another one in each. */
export function isDistinct(rows: readonly Row[], path: string): boolean {
  const values = rows.map(({ sent }) => valueAtPath(sent, toPath(path)));
  const ids = values.filter(
    (value) => (typeof value === "string" && value !== "") || typeof value === "number",
  );
  return new Set(ids.map((id) => String(id).toLowerCase())).size === rows.length;
}

/** Whether a field of other rows has only values of this one. Small numbers name nothing. */
function isNamed({ ids }: IdCandidate, rows: readonly Row[]): boolean {
  const own = new Set(ids.filter((id) => id.length > 2));
  return [...groupLeaves(rows).values()].some((leaves) => {
    const named = leaves.flatMap(({ value }) => (value === null ? [] : [String(value).toLowerCase()]));
    return named.length > 0 && named.every((value) => own.has(value));
  });
}
