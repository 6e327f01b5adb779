import { expect, it } from "vitest";
import {
  learnAskedPages,
  listPageRequests,
} from "../../../../../src/contract/service-form/learn/asked-pages.ts";
import { findLists } from "../../../../../src/contract/service-form/learn/find-records.ts";
import { type Sample, toSample } from "../../../../../src/contract/service-form/learn/samples.ts";

const page = (items: readonly number[], beside: object) => ({
  data: items.map((id) => ({ id })),
  ...beside,
});

const answer = (query: string, document: object): Sample => {
  const exchange = { method: "GET", path: `/v1/clients${query}`, status: 200, headers: [], at: 0 };
  return toSample({ ...exchange, body: JSON.stringify(document) }) as Sample;
};

const learn = (pages: Readonly<Record<string, object>>) => {
  const samples = Object.entries(pages).map(([query, document]) => answer(query, document));
  const [list] = findLists(samples.map(({ document }) => document));
  return list && learnAskedPages(samples, list)?.paging;
};

it("asks for the next page and for another size by the numbers beside a list", () => {
  expect(listPageRequests(page([1, 2, 3], { page: 1, per: 3, total: 9 }))).toEqual([
    { page: "2" },
    { per: "2" },
  ]);
  expect(listPageRequests(page([1, 2], { meta: { more: "x1" } }))).toEqual([]);
});

it("asks with a cursor under its own name and the usual ones", () => {
  const names = listPageRequests(page([1, 2], { next_token: "x1" })).map((query) => Object.keys(query)[0]);
  expect(names).toEqual(["next_token", "cursor", "after", "page_token", "starting_after"]);
});

it("asks for nothing where a link or the contract's own name shows the next page, or the list is not the only one", () => {
  expect(listPageRequests(page([1, 2], { nextCursor: "x1", page: 1 }))).toEqual([]);
  expect(listPageRequests(page([1, 2], { next: "/v1/clients?page=2", page: 1 }))).toEqual([]);
  expect(listPageRequests({ ...page([1, 2], { page: 1 }), others: [{ id: 1 }] })).toEqual([]);
  expect(listPageRequests("text")).toEqual([]);
  expect(listPageRequests(page([1, 2], { csrfToken: "x1", accessToken: "x2" }))).toEqual([]);
});

it("takes the parameter that gave other items, with the place of its value, and the one of the size", () => {
  const pages = {
    "": page([1, 2, 3], { p: 1, n: 3 }),
    "?p=2": page([4, 5, 6], { p: 2, n: 3 }),
    "?n=2": page([1, 2], { p: 1, n: 2 }),
  };
  expect(learn(pages)).toEqual({ kind: "page", parameter: "p", size: "n", rows: 3, current: "p" });
  const cursor = { "": page([1, 2], { token: "x1" }), "?after=x1": page([3], { token: null }) };
  expect(learn(cursor)).toEqual({ kind: "cursor", parameter: "after", rows: 2, next: "token" });
});

it("takes no filter for a page", () => {
  expect(learn({ "": page([1, 2], { p: 1 }), "?status=2": page([3], { p: 1 }) })).toBeUndefined();
});

it("takes none if the service ignores them, or if two give other items", () => {
  const first = page([1, 2], { token: "x1" });
  expect(learn({ "": first, "?after=x1": first, "?cursor=x1": first })).toBeUndefined();
  const second = page([3, 4], { token: null });
  expect(learn({ "": first, "?after=x1": second, "?cursor=x1": second })).toBeUndefined();
});
