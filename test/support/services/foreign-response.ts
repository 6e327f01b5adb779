import { json, type WireResponse } from "./server.ts";

/** How the client reads a response (product.md §4), and what the command does then. */
export type Reading =
  /** Exit 0. */
  | "accepted"
  | "done"
  | "complete"
  | "job"
  /** Exit 10: accepted, but no id can be read. */
  | "accepted with unknown id"
  /** Exit 10, and never sent again by itself. */
  | "outcome unknown"
  /** No response or a 5xx: the same, but exit 6 where the service's contract lists `Idempotency-Key`. */
  | "outcome lost"
  /** With `--all`: the rows, then exit 5. Without: the rows and exit 0. */
  | "more rows"
  /** With `--all`: every row of both pages and exit 0, or exit 5. Never exit 0 with the rows of one page. */
  | "more rows at a link"
  /** Exit 5: the client cannot read this. */
  | "unreadable"
  /** Exit 5, 4, 3, 6: the service refuses. */
  | "rejected"
  | "no permission"
  | "not found"
  | "try later";

export interface ForeignResponse extends WireResponse {
  readonly name: string;
  /** Where this form comes from. */
  readonly source: string;
  /** `submission`: POST /v1/diligence/submit, also in a batch. `write`: POST /v1/clients. `list`: GET /v1/clients. `status`: the job. */
  readonly readings: Partial<Record<"submission" | "write" | "list" | "status" | "ledger", Reading>>;
  /** Text that the output shows, for example the title of a page. */
  readonly shows?: string;
  /** Text that the output never shows. */
  readonly hides?: string;
  /** The job id that the client finds. */
  readonly jobId?: string;
  /** Number of rows that are printed. */
  readonly rows?: number;
  /** What the same service sends for the next page, where `body` has a link to it. */
  readonly secondPage?: WireResponse;
}

export type Readings = ForeignResponse["readings"];

export const HTML = { "content-type": "text/html" };
export const HTML_UTF8 = { "content-type": "text/html; charset=utf-8" };
export const JSON_TYPE = { "content-type": "application/json" };

/** §4 *Retries*, by status. */
export function readingsOfError(status: number): Readings {
  const read: Reading =
    status === 401 || status === 403
      ? "no permission"
      : status === 404
        ? "not found"
        : status === 429 || status >= 500
          ? "try later"
          : "rejected";
  const write: Reading = status >= 500 ? "outcome lost" : read;
  // A proxy may have sent the submission before (§4, *Refused*).
  const submission: Reading = status === 409 ? "outcome lost" : write;
  return { submission, write, list: read, status: read };
}

/** §4 *Accepted*: a 2xx that is no JSON. */
const NOT_JSON: Readings = {
  submission: "outcome unknown",
  write: "outcome unknown",
  list: "unreadable",
  status: "unreadable",
};

export const page = (
  name: string,
  source: string,
  status: number,
  body: string,
  rest: Partial<ForeignResponse> = {},
): ForeignResponse => ({
  name,
  source,
  status,
  headers: HTML,
  body,
  readings: status >= 400 ? readingsOfError(status) : NOT_JSON,
  ...rest,
});

export const jsonError = (
  name: string,
  source: string,
  status: number,
  value: unknown,
  shows: string,
  headers: Readonly<Record<string, string>> = {},
): ForeignResponse => ({
  name,
  source,
  ...json(status, value, headers),
  readings: readingsOfError(status),
  shows,
});

/** A long style sheet, which no output may show. */
export const STYLE = `<style>${"*{margin:0;padding:0}body{font:14px/1.4 sans-serif;color:#333}.wrap{width:60em}".repeat(20)}</style>`;
export const STYLED = { hides: "margin:0" };
