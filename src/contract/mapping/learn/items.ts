import { isRecord, isTooDeep } from "../../../domain/json.ts";
import type { ListItem } from "../list.ts";
import { formatPath, type Path, pathOf } from "../path.ts";
import { listLeaves } from "./leaves.ts";

export type Row = Pick<ListItem, "key" | "sent">;

export interface Items {
  readonly steps: Path;
  /** As in a mapping: `{}` after it for an object by id. */
  readonly path: string;
  readonly rows: readonly Row[];
}

/** The places of a response that may have the items of a list. Without any, the list may be empty: *not seen*. */
export function findItems(document: unknown): readonly Items[] {
  if (isTooDeep(document)) return [];
  const found: Items[] = [];
  let hasEmptyList = false;
  const walk = (value: unknown, steps: Path): void => {
    const path = formatPath(steps);
    if (Array.isArray(value)) {
      hasEmptyList ||= value.length === 0;
      if (value.length > 0 && value.every(isRecord) && !value.every(isLink))
        found.push({ steps, path, rows: value.map((sent) => ({ key: null, sent })) });
    } else if (isRecord(value)) {
      const rows = readById(value);
      if (rows) found.push({ steps, path: `${path}{}`, rows });
      else for (const [name, inner] of Object.entries(value)) walk(inner, [...steps, ...pathOf(name)]);
    }
  };
  walk(document, []);
  // Beside a list without items, records with the same names are sums and the like.
  return hasEmptyList ? found.filter(({ path, rows }) => !path.endsWith("{}") || rows.every(hasKey)) : found;
}

const isLink = (record: Readonly<Record<string, unknown>>): boolean => "href" in record || "rel" in record;

const hasKey = ({ key, sent }: Row): boolean =>
  listLeaves(sent).some(({ value }) => String(value).toLowerCase() === key?.toLowerCase());

/** The items of an object by id; null if it is another object. Lists inside of items do not count. */
function readById(value: Readonly<Record<string, unknown>>): readonly Row[] | null {
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
