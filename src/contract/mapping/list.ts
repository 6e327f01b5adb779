import { isRecord } from "../../domain/json.ts";
import { KEY_OF_ITEM } from "./lines.ts";
import { holdAt, type Path, setField } from "./path.ts";
import type { Fields, RecordMapper } from "./record.ts";

/** An item of a list: with the names of the contract where the mapping has a line, and as it came. */
export interface ListItem {
  readonly value: Fields;
  readonly sent: Fields;
  /** In an object by id. */
  readonly key: string | null;
}

/** The items of a response, located once. */
export interface LocatedItems {
  readonly items: readonly ListItem[];
  readonly isById: boolean;
  /** The objects on the way to the items, the response first. The last one holds them. */
  readonly holders: readonly Fields[];
  /** The member of the last object; null if the response is the list. */
  readonly name: string | null;
}

/** Where the items are, and how each of them is read and written. */
export interface ListPlace {
  readonly path: Path;
  readonly isById: boolean;
  /** The line of the id, if there is one. */
  readonly id: string | undefined;
  readonly mapper: RecordMapper;
}

/** Null if there is no list at the place. An empty array is an empty object by id, too. */
export function readItemsAt({ path, isById, id, mapper }: ListPlace, body: unknown): LocatedItems | null {
  const holders: Fields[] = [];
  let found = body;
  for (const { name } of path) {
    const holder = Array.isArray(found) ? found[0] : found;
    if (!isRecord(holder) || !Object.hasOwn(holder, name)) return null;
    holders.push(holder);
    found = holder[name];
  }
  const entries = listEntries(found, isById);
  if (!entries?.every(([, sent]) => isRecord(sent))) return null;
  const items = entries.map(([key, sent]) => readItem(mapper, id, key, sent as Fields));
  return { items, isById, holders, name: path.at(-1)?.name ?? null };
}

function listEntries(found: unknown, isById: boolean): readonly (readonly [string | null, unknown])[] | null {
  if (Array.isArray(found) && (!isById || found.length === 0))
    return found.map((item) => [null, item] as const);
  return isById && isRecord(found) ? Object.entries(found) : null;
}

function readItem(
  mapper: RecordMapper,
  line: string | undefined,
  key: string | null,
  sent: Fields,
): ListItem {
  const value = mapper.read(sent);
  const isKey = line === KEY_OF_ITEM || (line === undefined && !Object.hasOwn(value, "id"));
  return { value: isKey && key !== null ? { ...value, id: key } : value, sent, key };
}

export function writeItems({ path, isById, mapper }: ListPlace, records: readonly Fields[]): unknown {
  const items = records.map((record) => mapper.write(record));
  if (!isById) return holdAt(path, items);
  const byId: Record<string, unknown> = {};
  for (const [index, record] of records.entries()) setField(byId, String(record.id), items[index]);
  return holdAt(path, byId);
}

/** Common names of the member with the items. Otherwise, the only array is the list. */
const LIST_FIELD_NAMES = ["data", "items", "results"];

/** The items of a list without a line: in the response, or in its `data`. */
export function findItems(body: unknown, outer: readonly Fields[] = []): LocatedItems | null {
  if (!isRecord(body)) return toLocated(body, outer, null);
  const holders = [...outer, body];
  const lists = Object.entries(body).filter(([, value]) => Array.isArray(value));
  const named = lists.find(([name]) => LIST_FIELD_NAMES.includes(name));
  const [name = null, list] = named ?? (lists.length === 1 ? lists[0] : undefined) ?? [];
  if (lists.length === 0 && isRecord(body.data)) return findItems(body.data, holders);
  return toLocated(list, holders, name);
}

function toLocated(list: unknown, holders: readonly Fields[], name: string | null): LocatedItems | null {
  if (!Array.isArray(list) || !list.every(isRecord)) return null;
  return { items: list.map((sent) => ({ value: sent, sent, key: null })), isById: false, holders, name };
}
