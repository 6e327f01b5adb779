import { isRecord } from "../../../domain/json.ts";
import type { Operation } from "../../operations/operation.ts";
import type { CountedPaging, Paging } from "../mapping.ts";
import { findNextPage } from "../paging.ts";
import { type Path, toPath, valueAtPath } from "../path.ts";
import type { Row } from "./items.ts";
import type { LearningPort, Observation } from "./port.ts";

export interface ReadList {
  readonly operation: Operation;
  readonly first: Observation;
  /** Of the items, as in a mapping. */
  readonly path: string;
}

export type Followed =
  /** All pages, none with a row of another. */
  | { readonly rows: readonly Row[]; readonly pages: number; readonly fault: null }
  | { readonly fault: string };

/** More would be a list that never ends, or one that is too long to learn from. */
const MAX_PAGES = 1_000;
const MAX_EMPTY_PAGES = 20;

/** Reads a list to its end by a line. Only its second page is a guess. */
export async function followPages(port: LearningPort, list: ReadList, line: Paging): Promise<Followed> {
  const rows: Row[] = [];
  const seen = new Set<string>();
  let last = list.first;
  let empty = 0;
  for (let pages = 1; pages <= MAX_PAGES; pages += 1) {
    const found = readRows(last.json, list.path) ?? [];
    const texts = found.map((row) => JSON.stringify(row));
    if (texts.some((text) => seen.has(text))) return { fault: `page ${pages} has a row that came before` };
    for (const text of texts) seen.add(text);
    rows.push(...found);
    empty = found.length === 0 ? empty + 1 : 0;
    const { headers, json: body } = last;
    const pagesBefore = pages - 1;
    const rowsBefore = rows.length - found.length;
    const received = { headers, body, rows: found.length, pagesBefore, rowsBefore, hadLink: false };
    const position = empty > MAX_EMPTY_PAGES ? null : findNextPage(line, received);
    if (position === null)
      return pages < 2 ? { fault: "it shows no second page" } : { rows, pages, fault: null };
    const request =
      "link" in position
        ? { url: position.link }
        : { operation: list.operation, query: { [position.parameter]: position.value } };
    const next = await (pages === 1 ? port.try(request) : port.read(request));
    if (next === null) return { fault: "the next page was not asked for" };
    // Some services refuse a page behind the last one.
    if (isRefusal(next)) {
      if (isCounted(line) && pages > 1) return { rows, pages, fault: null };
      return { fault: `page ${pages + 1} is refused with ${next.status}` };
    }
    last = next;
  }
  return { fault: `it has more than ${MAX_PAGES} pages` };
}

const isRefusal = ({ status }: Observation): boolean => status < 200 || status > 299;

export const isCounted = (line: Paging): line is CountedPaging =>
  typeof line === "object" && ("page" in line || "offset" in line);

/** The items of a page; null if they are not at the path. */
export function readRows(document: unknown, path: string): readonly Row[] | null {
  const value = valueAtPath(document, toPath(path.replace(/\{\}$/, "")));
  if (Array.isArray(value)) return value.filter(isRecord).map((record) => ({ key: null, record }));
  if (!path.endsWith("{}") || !isRecord(value)) return null;
  return Object.entries(value).flatMap(([key, record]) => (isRecord(record) ? [{ key, record }] : []));
}

/** As a row of the same list, in any page. */
export const isSamePage = (one: readonly Row[], other: readonly Row[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

export const toPathOf = (text: string): Path => toPath(text.replace(/\{\}$/, ""));
