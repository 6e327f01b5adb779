import type { ForeignResponse, Reading } from "./foreign-response.ts";
import { json } from "./server.ts";

const CLIENTS = [
  { id: "c0a8e1d2-0000-4000-8000-000000000001", name: "Acme Imports" },
  { id: "c0a8e1d2-0000-4000-8000-000000000002", name: "Beta Trading" },
];
const SECOND_PAGE = [{ id: "c0a8e1d2-0000-4000-8000-000000000003", name: "Gamma Freight" }];
const NEXT = "/v1/clients?page=2";

const list = (
  name: string,
  source: string,
  reading: Reading,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
  rest: Partial<ForeignResponse> = {},
): ForeignResponse => ({
  name,
  source,
  ...json(200, value, headers),
  readings: { list: reading },
  rows: 2,
  ...rest,
});

const linked = (
  name: string,
  source: string,
  more: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): ForeignResponse =>
  list(name, source, "more rows at a link", { data: CLIENTS, ...more }, headers, {
    secondPage: json(200, { data: SECOND_PAGE }),
  });

/** Lists, with what they say about further rows (§4 *Complete*). */
export const LISTS: readonly ForeignResponse[] = [
  list("a bare array", "hand-written handlers", "complete", CLIENTS),
  list("an empty list", "any", "complete", { data: [], has_more: false, total: 0 }, {}, { rows: 0 }),
  list("HasMore: true", "ASP.NET with Pascal case", "more rows", { Items: CLIENTS, HasMore: true }),
  list('has_more: "true"', "templates that print text", "more rows", { data: CLIENTS, has_more: "true" }),
  list("IsTruncated: true", "S3", "more rows", { Items: CLIENTS, IsTruncated: true }),
  list("response_metadata.next_cursor", "Slack", "more rows", {
    data: CLIENTS,
    response_metadata: { next_cursor: "dGVhbTpDMDYx" },
  }),
  list("an empty response_metadata.next_cursor", "Slack", "complete", {
    data: CLIENTS,
    response_metadata: { next_cursor: "" },
  }),
  list("data: null", "a nil slice of Go", "complete", { data: null }, {}, { rows: 0 }),
  list("has_more in the object that holds the list", "envelopes", "more rows", {
    data: { items: CLIENTS, has_more: true },
  }),
  list("has_more in a row", "a field of a client", "complete", {
    data: CLIENTS.map((row) => ({ ...row, has_more: true })),
  }),
  list("has_more elsewhere", "a part that is about something else", "complete", {
    data: CLIENTS,
    features: { has_more: true },
  }),
  list("next on another host", "APIs behind another name", "more rows", {
    results: CLIENTS,
    next: "https://api.other.example/clients?page=2",
  }),
  list("Link to another host", "RFC 8288", "more rows", CLIENTS, {
    link: '<https://api.other.example/clients?page=2>; rel="next"',
  }),
  linked("next", "Django REST framework", { count: 3, next: NEXT, previous: null }),
  linked("links.next", "JSON:API", { links: { self: "/v1/clients", next: NEXT } }),
  linked("links.next.href", "JSON:API, link objects", { links: { next: { href: NEXT } } }),
  linked("@odata.nextLink", "OData", { "@odata.nextLink": NEXT }),
  linked("next_cursor", "Slack and others", { next_cursor: "dXNlcjpVMEc5V0ZYTlo=" }),
  linked("Link: next", "GitHub", {}, { link: `<${NEXT}>; rel="next", <${NEXT}>; rel="last"` }),
  list("links.next: null", "Laravel", "complete", {
    data: CLIENTS,
    links: { first: "/v1/clients?page=1", last: "/v1/clients?page=1", prev: null, next: null },
    meta: { current_page: 1, last_page: 1, per_page: 15, total: 2 },
  }),
  list("next_cursor: empty", "Slack", "complete", { data: CLIENTS, next_cursor: "" }),
  list("Link: prev", "RFC 8288", "complete", CLIENTS, {
    link: '</v1/clients?page=0>; rel="prev", </v1/clients>; rel="self"',
  }),
  list("page 1 of 3 beside the list", "hand-written handlers", "more rows", {
    items: CLIENTS,
    page: 1,
    pages: 3,
  }),
  list("page 0 of 3, counted from 0", "Spring Data, PagedModel", "more rows", {
    content: CLIENTS,
    page: { size: 2, number: 0, totalElements: 5, totalPages: 3 },
  }),
  list("first and last page, counted from 0", "Spring Data, PageImpl", "complete", {
    content: CLIENTS,
    totalElements: 2,
    totalPages: 1,
    number: 0,
    size: 20,
    first: true,
    last: true,
    numberOfElements: 2,
    empty: false,
  }),
  list("Content-Range 0-1/57", "RFC 9110 §14.4, PostgREST", "more rows", CLIENTS, {
    "content-range": "items 0-1/57",
  }),
  list("Content-Range 0-1/*", "PostgREST without a count", "complete", CLIENTS, { "content-range": "0-1/*" }),
  list("totalCount above the rows", "GraphQL connections", "more rows", { totalCount: 57, nodes: CLIENTS }),
  list("total above the rows of a page", "limit and offset", "more rows", {
    data: CLIENTS,
    total: 57,
    limit: 2,
    offset: 0,
  }),
  list("an amount called total in each row", "money", "complete", {
    data: CLIENTS.map((row) => ({ ...row, total: 129900 })),
  }),
  list(
    "an amount called total with a currency",
    "money",
    "complete",
    { data: CLIENTS, total: 129900, currency: "USD" },
    {},
    { readings: { list: "complete", ledger: "complete" } },
  ),
  // Inputs of test/fuzz/corpus name it.
  list(
    "no list",
    "an object that is about something else",
    "unreadable",
    { message: "Welcome" },
    {},
    { rows: 0 },
  ),
];
