import { formatPlace, isWithin, type Place } from "../places.ts";
import type { PagingForm } from "../service-form.ts";
import { type FoundList, findLists, listItems } from "./find-records.ts";
import { isIdentifier, type Leaf, listLeaves, queryOf, type Sample } from "./samples.ts";

/** Usual names of the parameter that takes a cursor. */
const CURSOR_PARAMETERS = ["cursor", "after", "page_token", "starting_after"] as const;

/** A token alone could be a secret, which must not stand in a URL. */
const isCursorName = (name: string): boolean => /cursor|next|after|continuation|page.?token/i.test(name);

/** `page`, or `page[after]` as JSON:API has it. */
export const isParameter = (name: string): boolean => isIdentifier(name.replace(/\[([a-z]+)\]$/i, "_$1"));

const listBeside = (document: unknown, { place: items }: FoundList): Leaf[] =>
  listLeaves(document).filter(({ place }) => !isWithin(place, items) && isIdentifier(place.at(-1) ?? ""));

/** Requests of another page or size, by what stands beside the first one; none if something known shows the next page. */
export function listPageRequests(document: unknown): readonly Readonly<Record<string, string>>[] {
  const [list, ...others] = findLists([document]);
  if (!list || others.length > 0) return [];
  const rows = listItems(document, list).length;
  const requests = listBeside(document, list).map(({ place, value }) => {
    const name = place.at(-1) ?? "";
    if (typeof value === "string" && isCursorName(name)) {
      if (name === "nextCursor" || value.includes("?")) return null;
      return [name, ...CURSOR_PARAMETERS].map((parameter) => ({ [parameter]: value }));
    }
    if (value === rows && rows > 1) return [{ [name]: String(rows - 1) }];
    return value === 0 || value === 1 ? [{ [name]: String(value + 1) }] : [];
  });
  return requests.includes(null) ? [] : requests.flatMap((each) => each ?? []);
}

/** Whether the list of a page has other items than that of a document, or fewer. */
export function hasOtherItems(document: unknown, page: unknown): boolean {
  const [list] = findLists([document]);
  if (!list) return false;
  const [items, others] = [document, page].map((each) => JSON.stringify(listItems(each, list)));
  return others !== "[]" && items !== others;
}

/** The paging that responses to requests with one parameter show: other items, or the same ones in another number. */
export function learnAskedPages(
  samples: readonly Sample[],
  list: FoundList,
): { readonly paging: PagingForm; readonly explained: readonly Place[] } | null {
  const pages = samples.map(({ path, document }) => ({
    asked: [...queryOf({ path })],
    items: listItems(document, list).map((item) => JSON.stringify(item)),
    beside: listBeside(document, list),
  }));
  const first = pages.find(({ asked }) => asked.length === 0);
  const changed = pages.flatMap((page) => {
    const [[parameter = "", value = ""] = [], ...more] = page.asked;
    const differs = first && page.items.length > 0 && page.items.join() !== first.items.join();
    return isParameter(parameter) && more.length === 0 && differs ? [{ ...page, parameter, value }] : [];
  });
  const others = changed.filter(({ items }) => !items.some((item) => first?.items.includes(item)));
  const [other, ...rest] = others;
  if (!first || !other || rest.some(({ parameter }) => parameter !== other.parameter)) return null;
  const size = changed.find(
    ({ items, value }) => items.length === Number(value) && first.items.includes(items[0] ?? ""),
  );
  const common = {
    parameter: other.parameter,
    ...(size && { size: size.parameter }),
    rows: first.items.length,
  };
  const cursor = first.beside.find(({ value }) => value === other.value);
  if (cursor)
    return {
      paging: { kind: "cursor", ...common, next: formatPlace(cursor.place) },
      explained: [cursor.place],
    };
  // Another parameter filters: its value is nowhere beside the items.
  const current = other.beside.find(
    ({ place, value }) => String(value) === other.value && place.at(-1) === other.parameter,
  );
  if (!current) return null;
  return {
    paging: {
      ...{ kind: "page", ...common, current: formatPlace(current.place) },
      ...(other.value === "1" && { first: 0 }),
    },
    explained: [current.place],
  };
}

const OFFSET_NAMES = /^(skip|offset|start|from)$/i;

/**
 * The paging that the places of the items show: a page begins at the item that a parameter has the number of. The second
 * page of two rows begins at the third item, too: a number of pages or the name of an offset tells the two apart.
 */
export function learnOffsets(
  samples: readonly Sample[],
  list: FoundList,
  hasPageCount: boolean,
): PagingForm | null {
  const pages = samples.map(({ path, document, headers }) => ({
    asked: [...queryOf({ path })].filter(([name]) => isParameter(name)),
    items: listItems(document, list).map((item) => JSON.stringify(item)),
    range: /^([a-z]+) (\d+)-/.exec(headers["content-range"] ?? ""),
  }));
  const [longest] = pages.toSorted((one, other) => other.items.length - one.items.length);
  const rows = pages.find(({ asked }) => asked.length === 0)?.items.length;
  for (const { asked, items, range } of pages) {
    const start = range ? Number(range[2]) : (longest?.items.indexOf(items[0] ?? "") ?? 0);
    const [parameter] = asked.find(([, value]) => start > 0 && value === String(start)) ?? [];
    if (parameter === undefined) continue;
    const size = asked.find(([name, value]) => name !== parameter && value === String(items.length))?.[0];
    const contentRange = range?.[1];
    const isEither = !range && start === 2 && items.length === 2 && !OFFSET_NAMES.test(parameter);
    if (isEither && !hasPageCount) continue;
    return {
      ...{ kind: isEither ? "page" : "offset", parameter },
      ...(size !== undefined && { size }),
      ...(rows !== undefined && { rows }),
      ...(contentRange !== undefined && { contentRange }),
    };
  }
  return null;
}
