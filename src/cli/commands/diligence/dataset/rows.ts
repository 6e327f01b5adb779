import type { LocatedItems } from "../../../../contract/mapping/list.ts";
import { pathOf } from "../../../../contract/mapping/path.ts";
import { DATASET_COLUMNS } from "../../../../domain/diligence/dataset.ts";
import { type Fields, isRecord } from "../../../../domain/json.ts";

interface Place {
  readonly value: unknown;
  /** The names on the way from the top of the document. */
  readonly path: readonly string[];
  /** The objects on the way. The last one holds the value. */
  readonly holders: readonly Fields[];
}

interface RowsPlace extends Place {
  readonly rows: readonly unknown[];
}

/** Whether a value has a column of the contract. */
export const isRow = (value: unknown): boolean =>
  isRecord(value) && DATASET_COLUMNS.some((name) => Object.hasOwn(value, name));

/**
 * The rows of a dataset, wherever they are; null if there is no place for any. In this order: the shallowest list `rows`; the
 * document itself, if it is a row; a list or an object by id whose rows have columns of the contract; the longest list of
 * records; any object by id; the longest list.
 */
export function locateRows(document: unknown): RowsPlace | null {
  const root = { value: document, path: [], holders: [] };
  const places = listPlaces(root);
  const lists = places
    .flatMap((place) => (Array.isArray(place.value) ? [{ ...place, rows: place.value as unknown[] }] : []))
    .toSorted((one, other) => other.rows.length - one.rows.length);
  const byId = places.flatMap((place) => {
    const rows = readById(place.value);
    return rows ? [{ ...place, rows }] : [];
  });
  const named = places.find(({ path, value }) => path.at(-1) === "rows" && Array.isArray(value));
  if (named) return { ...named, rows: named.value as unknown[] };
  if (isRow(document)) return { ...root, rows: [document] };
  return (
    [...lists, ...byId].find(({ rows: [first] }) => isRow(first)) ??
    lists.find(({ rows }) => rows.length > 0 && rows.every(isRecord)) ??
    byId[0] ??
    lists[0] ??
    null
  );
}

/** The values of a document outside of its rows, the outermost first. */
function listPlaces(root: Place): readonly Place[] {
  const places: Place[] = [];
  let level: readonly Place[] = [root];
  while (level.length > 0) {
    places.push(...level);
    level = level.flatMap(({ value, path, holders }) => {
      const isOpen = isRecord(value) && !isRow(value) && readById(value) === null;
      const members = isOpen ? Object.entries(value) : [];
      return members.map(([name, inner]) => ({
        value: inner,
        path: [...path, name],
        holders: [...holders, value as Fields],
      }));
    });
  }
  return places;
}

/** The rows of an object by id: all have a column of the contract, or all the same names. Null for any other value. */
function readById(value: unknown): readonly Fields[] | null {
  const rows = isRecord(value) ? Object.values(value) : [];
  if (rows.length === 0 || !rows.every(isRecord)) return null;
  if (rows.every(isRow)) return rows;
  const names = new Set(rows.map((row) => Object.keys(row).sort().join("\n")));
  return rows.length > 1 && names.size === 1 ? rows : null;
}

/** As the evidence of a list takes it. */
export const toLocatedItems = ({ rows, path, holders }: RowsPlace): LocatedItems => ({
  items: rows.filter(isRecord).map((sent) => ({ value: sent, sent, key: null })),
  isById: false,
  path: pathOf(...path),
  holders,
});
