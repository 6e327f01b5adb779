import type { WireResponse } from "./server.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** What the interface leaves open, as one team might have decided it. */
export interface Form {
  readonly name: string;
  /** Queued, running, finished, in this team's words. */
  readonly states: readonly [string, string, string];
  readonly submit: (id: string, job: Fields) => WireResponse;
  readonly record: (kind: string, id: string, fields: Fields, status?: number) => WireResponse;
  readonly list: (
    kind: string,
    rows: readonly Fields[],
    page: number,
    pages: number,
    here: string,
  ) => WireResponse;
  readonly error: (status: number, text: string) => WireResponse;
}

export const json = (
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): WireResponse => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(value),
});

/** Names that the interface documents (§2) are the same in every form. */
const DOCUMENTED = new Set([
  ...["signingSecret", "secretPrefix", "subscribedEvents", "environmentScope", "rf8Review", "attemptCount"],
  ...["lastResponseStatus", "lastError", "lastAttemptAt", "nextAttemptAt", "deliveredAt"],
]);

const snake = (name: string) =>
  DOCUMENTED.has(name) ? name : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const snakeKeys = (fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [snake(name), value]));
const nextPage = (here: string, page: number, pages: number) =>
  page < pages ? `${here}?page=${page + 1}` : null;

/** Snake case, an envelope per record, pages as Django REST framework writes them. */
export const snakeForm: Form = {
  name: "snake case with envelopes",
  states: ["waiting", "in_progress", "done"],
  submit: (id, job) => json(202, { job: { job_id: id, ...snakeKeys(job) } }),
  record: (kind, id, fields, status = 200) => json(status, { [kind]: { id, ...snakeKeys(fields) } }),
  list: (_kind, rows, page, pages, here) =>
    json(200, {
      count: pages * rows.length,
      next: nextPage(here, page, pages),
      previous: null,
      results: rows.map(snakeKeys),
    }),
  error: (status, text) => json(status, { detail: text }),
};

/** Flat camel case, as Spring writes it; the id of a job is in `Location` alone. */
export const springForm: Form = {
  name: "camel case with Location",
  states: ["QUEUED", "RUNNING", "COMPLETED"],
  submit: (id) => ({
    status: 202,
    headers: { location: `/v1/diligence/status/${id}`, "retry-after": "1" },
  }),
  record: (_kind, id, fields, status = 200) => json(status, { id, ...fields }),
  list: (_kind, rows, page, pages) =>
    json(200, {
      content: rows,
      totalElements: pages * rows.length,
      totalPages: pages,
      number: page - 1,
      size: rows.length,
      first: page === 1,
      last: page === pages,
      numberOfElements: rows.length,
      empty: rows.length === 0,
    }),
  error: (status, text) =>
    json(status, {
      timestamp: "2026-11-23T09:30:00.000+00:00",
      status,
      error: text,
      path: "/v1/diligence/submit",
    }),
};

/** JSON:API documents (jsonapi.org), with pages in `links` and in `Link`. */
export const jsonApiForm: Form = {
  name: "JSON:API",
  states: ["pending", "processing", "succeeded"],
  submit: (id, job) =>
    json(201, { data: { type: "jobs", id, attributes: job } }, { location: `/v1/diligence/status/${id}` }),
  record: (kind, id, fields, status = 200) => json(status, { data: { type: kind, id, attributes: fields } }),
  list: (kind, rows, page, pages, here) => {
    const next = nextPage(here, page, pages);
    return json(
      200,
      {
        data: rows.map(({ id, ...attributes }) => ({ type: kind, id, attributes, ...attributes })),
        links: { self: here, ...(next !== null && { next }) },
      },
      next === null ? {} : { link: `<${next}>; rel="next"` },
    );
  },
  error: (status, text) => json(status, { errors: [{ status: String(status), title: text }] }),
};
