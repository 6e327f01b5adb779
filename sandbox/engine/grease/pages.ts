import type { GreaseChoices } from "./choices.ts";
import type { Fields } from "./job-id.ts";

/** A page of a list as it is ungreased. */
export interface ListPage extends Fields {
  readonly data: readonly Fields[];
  readonly nextCursor: string | null;
}

export const isPage = (document: Fields): document is ListPage =>
  Array.isArray(document.data) && "nextCursor" in document;

/** A page is another slice of the same list: each has an order of its own. */
export function reorderPage(page: ListPage, order: GreaseChoices["listOrder"]): ListPage {
  if (order === null) return page;
  if (page.data.length < 2) return page;
  const data = order === "oldest-first" ? page.data.toReversed() : page.data.toSorted(compareIds);
  return { ...page, data };
}

/** Ids are drawn by chance: by them is in no order, and the same one every time. */
const compareIds = ({ id: one }: Fields, { id: other }: Fields): number =>
  String(one) < String(other) ? -1 : 1;

/** `page` may have got other fields meanwhile, which stay; a bare array has no place for them. */
export function wrapPage(page: ListPage, envelope: GreaseChoices["listEnvelope"]): object {
  const { data, nextCursor, ...others } = page;
  switch (envelope) {
    case null:
      return page;
    case "array":
      return data;
    case "items":
      return { items: data, next_cursor: nextCursor, ...others };
    case "results":
      return { ...others, results: data, next: nextCursor };
  }
}
