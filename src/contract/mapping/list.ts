import { type Fields, isRecord, isTooDeep } from "../../domain/json.ts";
import { type ItemsLine, KEY_OF_ITEM } from "./lines.ts";
import type { Mapping } from "./mapping.ts";
import { firstOf, type Path, pathOf, valueAtPath } from "./path.ts";
import type { RecordMapper } from "./record.ts";

/** An item of a list: with the names of the contract where the mapping has a line, and as it came. */
export interface ListItem {
  readonly value: Fields;
  readonly sent: Fields;
  /** The key of the item, if the items are an object by id. */
  readonly key: string | null;
}

/** The items of a response, located once. */
export interface LocatedItems {
  readonly items: readonly ListItem[];
  readonly isById: boolean;
  /** The objects on the way to the items, the response first. The last one holds them. */
  readonly holders: readonly Fields[];
  /** The names on the way; empty if the response is the list. */
  readonly path: Path;
}

/** Null if there is no list at the place. An empty array is an empty object by id, too. */
export function findItemsAt({ path, isById }: ItemsLine, body: unknown): LocatedItems | null {
  const found = valueAtPath(body, path);
  const holders = path.map((_, level) => firstOf(valueAtPath(body, path.slice(0, level))) as Fields);
  if (Array.isArray(found) && (!isById || found.length === 0)) return toLocated(found, holders, path);
  if (!isById || !isRecord(found)) return null;
  const items = Object.entries(found).map(([key, sent]) => ({
    value: sent as Fields,
    sent: sent as Fields,
    key,
  }));
  return items.every(({ sent }) => isRecord(sent)) ? { items, isById, holders, path } : null;
}

/** @param line that of the id, if there is one */
export function readItem(mapper: RecordMapper, line: Mapping[string], { key, sent }: ListItem): ListItem {
  const value = mapper.read(sent);
  const isKey = line === KEY_OF_ITEM || (line === undefined && !Object.hasOwn(value, "id"));
  return { value: isKey && key !== null ? { ...value, id: key } : value, sent, key };
}

/** Common names of the member with the items. Otherwise, the only array is the list. */
const LIST_FIELD_NAMES = ["data", "items", "results"];

/** The items of a list without a line: in the response, or in its `data`. */
export function findItems(body: unknown, outer: readonly Fields[] = []): LocatedItems | null {
  const path = pathOf(...outer.map(() => "data"));
  if (!isRecord(body)) return toLocated(body, outer, path);
  const holders = [...outer, body];
  const lists = Object.entries(body).filter(([, value]) => Array.isArray(value));
  const named = lists.find(([name]) => LIST_FIELD_NAMES.includes(name));
  const [name, list] = named ?? (lists.length === 1 ? lists[0] : undefined) ?? [];
  if (lists.length === 0 && isRecord(body.data)) return findItems(body.data, holders);
  // Go writes a list without items as null.
  if (lists.length === 0 && body.data === null) return toLocated([], holders, [...path, ...pathOf("data")]);
  return name === undefined ? null : toLocated(list, holders, [...path, ...pathOf(name)]);
}

/** Every list of records in a document at any depth, outside of other lists. */
export const listLists = (body: unknown): readonly LocatedItems[] =>
  isTooDeep(body) ? [] : listListsIn(body, [], []);

function listListsIn(value: unknown, holders: readonly Fields[], path: Path): readonly LocatedItems[] {
  if (!isRecord(value)) return [toLocated(value, holders, path)].filter((located) => located !== null);
  return Object.entries(value).flatMap(([name, inner]) =>
    listListsIn(inner, [...holders, value], [...path, ...pathOf(name)]),
  );
}

function toLocated(list: unknown, holders: readonly Fields[], path: Path): LocatedItems | null {
  if (!Array.isArray(list) || !list.every(isRecord)) return null;
  return { items: list.map((sent) => ({ value: sent, sent, key: null })), isById: false, holders, path };
}
