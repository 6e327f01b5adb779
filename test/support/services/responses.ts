import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { json } from "./forms.ts";
import type { WireResponse } from "./server.ts";
import { JOB_ID } from "./service.ts";

/** How the client reads a response (product.md §4), and what the command does then. */
export type Reading =
  /** Exit 0. */
  | "accepted"
  | "done"
  | "complete"
  | "job"
  /** Exit 0 with a warning on stderr. */
  | "warning"
  /** Exit 10: accepted, but no id can be read. */
  | "accepted with unknown id"
  /** Exit 10, and never sent again by itself. */
  | "outcome unknown"
  /** No response or a 5xx: the same, but exit 6 where the service's contract lists `Idempotency-Key`. */
  | "outcome lost"
  /** Exit 10 after a write, 4 after a read. */
  | "another environment"
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
  /** `submission`: POST /v1/diligence/submit, also in a batch. `write`: POST /v1/clients. `list`: GET /v1/clients. `filtered`: deliveries with a filter. `status`: the job. `wait`: the first response of a wait. */
  readonly readings: Partial<
    Record<"submission" | "write" | "list" | "filtered" | "status" | "ledger", Reading>
  > & { readonly wait?: "goes on" | "ends" };
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

type Readings = ForeignResponse["readings"];

const HTML = { "content-type": "text/html" };
const HTML_UTF8 = { "content-type": "text/html; charset=utf-8" };
const JSON_TYPE = { "content-type": "application/json" };

/** §4 *Waiting* and *Retries*, by status. */
function readingsOfError(status: number): Readings {
  const read: Reading =
    status === 401 || status === 403
      ? "no permission"
      : status === 404
        ? "not found"
        : status === 429 || status >= 500
          ? "try later"
          : "rejected";
  const write: Reading = status >= 500 ? "outcome lost" : read;
  const wait = [408, 425, 429, 502, 503, 504].includes(status) ? "goes on" : "ends";
  return { submission: write, write, list: read, status: read, ...(status === 500 ? {} : { wait }) };
}

/** §4 *Accepted*: a 2xx that is no JSON. */
const NOT_JSON: Readings = {
  submission: "outcome unknown",
  write: "outcome unknown",
  list: "unreadable",
  status: "unreadable",
};

const page = (
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

const jsonError = (
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

const nginx = (status: string) =>
  `<html>\r\n<head><title>${status}</title></head>\r\n<body>\r\n<center><h1>${status}</h1></center>\r\n<hr><center>nginx/1.24.0</center>\r\n</body>\r\n</html>\r\n${"<!-- a padding to disable MSIE and Chrome friendly error page -->\r\n".repeat(6)}`;

const STYLE = `<style>${"*{margin:0;padding:0}body{font:14px/1.4 sans-serif;color:#333}.wrap{width:60em}".repeat(20)}</style>`;
const STYLED = { hides: "margin:0" };

/** What servers, gateways and frameworks send when a request fails. */
export const ERRORS: readonly ForeignResponse[] = [
  page("nginx 502", "nginx, ngx_http_special_response.c", 502, nginx("502 Bad Gateway"), {
    shows: "502 Bad Gateway",
    hides: "padding",
  }),
  page("nginx 413", "nginx, client_max_body_size", 413, nginx("413 Request Entity Too Large"), {
    shows: "413 Request Entity Too Large",
  }),
  page("nginx 504", "nginx, proxy_read_timeout", 504, nginx("504 Gateway Time-out"), {
    shows: "504 Gateway Time-out",
  }),
  page(
    "HAProxy 503",
    "haproxy, default errorfile",
    503,
    "<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>\n",
    { shows: "No server is available to handle this request" },
  ),
  page(
    "Envoy 503",
    "Envoy, local reply",
    503,
    "upstream connect error or disconnect/reset before headers. reset reason: connection timeout",
    { headers: { "content-type": "text/plain" }, shows: "upstream connect error" },
  ),
  page(
    "Cloudflare 522",
    "Cloudflare 5xx page",
    522,
    `<!DOCTYPE html>\n<html class="no-js" lang="en-US">\n<head>\n<title>claims.example | 522: Connection timed out</title>\n${STYLE}\n</head>\n<body><div id="cf-wrapper"><h1><span>Connection timed out</span><span>Error code 522</span></h1>\n<p>Cloudflare Ray ID: <strong>8a1b2c3d4e5f6a7b</strong></p></div></body>\n</html>`,
    {
      headers: { ...HTML_UTF8, server: "cloudflare", "cf-ray": "8a1b2c3d4e5f6a7b-FRA" },
      shows: "522: Connection timed out",
      ...STYLED,
      readings: { submission: "outcome lost", write: "outcome lost", list: "try later", status: "try later" },
    },
  ),
  page(
    "Cloudflare challenge",
    "Cloudflare, managed challenge",
    403,
    `<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title>${STYLE}</head><body><noscript>Enable JavaScript and cookies to continue</noscript><script>(function(){window._cf_chl_opt={cRay:'8a1b'};})();</script></body></html>`,
    { headers: { ...HTML_UTF8, "cf-mitigated": "challenge" }, shows: "Just a moment", hides: "_cf_chl_opt" },
  ),
  jsonError(
    "Spring Boot JSON",
    "Spring Boot, DefaultErrorAttributes",
    400,
    {
      timestamp: "2026-11-23T09:30:00.000+00:00",
      status: 400,
      error: "Bad Request",
      message: "Required part 'file' is not present.",
      path: "/v1/diligence/submit",
    },
    "Required part 'file' is not present",
  ),
  jsonError(
    "Rails JSON",
    "Rails API, ActiveModel::Errors",
    422,
    { seller_name: ["can't be blank"], file: ["is too large (maximum is 5 MB)"] },
    "can't be blank",
  ),
  jsonError(
    "DRF validation",
    "Django REST framework, serializer errors",
    400,
    { seller_name: ["This field may not be blank."], non_field_errors: ["The file has no rows."] },
    "This field may not be blank",
  ),
  jsonError(
    "ASP.NET problem",
    "ASP.NET Core, ValidationProblemDetails",
    400,
    {
      type: "https://tools.ietf.org/html/rfc9110#section-15.5.1",
      title: "One or more validation errors occurred.",
      status: 400,
      errors: { SellerName: ["The SellerName field is required."] },
      traceId: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
    },
    "One or more validation errors occurred",
    { "content-type": "application/problem+json; charset=utf-8" },
  ),
  jsonError(
    "Laravel throttle",
    "Laravel, ThrottleRequests",
    429,
    { message: "Too Many Attempts." },
    "Too Many Attempts",
    { "retry-after": "1", "x-ratelimit-limit": "60", "x-ratelimit-remaining": "0" },
  ),
  jsonError(
    "Express default JSON",
    "body-parser behind Express",
    400,
    { error: { type: "entity.parse.failed", reason: "Unexpected token" } },
    "Unexpected token",
  ),
  jsonError(
    "FastAPI validation",
    "FastAPI, RequestValidationError",
    422,
    { detail: [{ type: "missing", loc: ["body", "seller_name"], msg: "Field required", input: null }] },
    "Field required",
  ),
  jsonError(
    "AWS API Gateway 403",
    "API Gateway, MISSING_AUTHENTICATION_TOKEN",
    403,
    { message: "Missing Authentication Token" },
    "Missing Authentication Token",
    { "x-amzn-errortype": "MissingAuthenticationTokenException" },
  ),
  page(
    "S3 403",
    "S3 behind a gateway, XML error",
    403,
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message><RequestId>4442587FB7D0A2F9</RequestId></Error>',
    { headers: { "content-type": "application/xml" }, shows: "Access Denied" },
  ),
  jsonError(
    "Apigee 414",
    "Apigee, message processor",
    414,
    {
      fault: {
        faultstring: "request line size exceeding 7,168",
        detail: { errorcode: "protocol.http.TooBigLine" },
      },
    },
    "request line size exceeding 7,168",
  ),
  jsonError(
    "Google error",
    "Google APIs, error model",
    403,
    {
      error: {
        code: 403,
        message: "The caller does not have permission",
        status: "PERMISSION_DENIED",
        details: [],
      },
    },
    "The caller does not have permission",
  ),
  jsonError(
    "JSON:API error",
    "jsonapi.org, errors",
    422,
    { errors: [{ status: "422", title: "Invalid Attribute", detail: "Seller name is unknown." }] },
    "Seller name is unknown",
  ),
  {
    name: "a string as JSON",
    source: "hand-written handlers",
    ...json(400, "seller is locked"),
    readings: readingsOfError(400),
    shows: "seller is locked",
  },
  {
    name: "409 without a body",
    source: "hand-written handlers",
    status: 409,
    readings: readingsOfError(409),
  },
  {
    name: "RFC 9457 problem with unknown members",
    source: "RFC 9457",
    ...json(
      409,
      { type: "about:blank", title: "Conflict", detail: "This file is being read.", instance: "/jobs/1" },
      { "content-type": "application/problem+json" },
    ),
    readings: readingsOfError(409),
    shows: "This file is being read",
  },
];

const LOGIN = `<!DOCTYPE html>\n<html>\n<head><title>Log in</title>${STYLE}</head>\n<body><form action="/session" method="post"><label>E-mail<input name="email"></label><input type="password" name="password"><button>Log in</button></form></body>\n</html>\n`;

/** 2xx and 3xx that do not come from the service, or that have nothing of what was asked. */
export const NOT_THE_SERVICE: readonly ForeignResponse[] = [
  page("login page", "single sign-on in front of the service", 200, LOGIN, {
    headers: HTML_UTF8,
    shows: "Log in",
    ...STYLED,
  }),
  page("login page called JSON", "a proxy that sets the type of every response", 200, LOGIN, {
    headers: JSON_TYPE,
    shows: "Log in",
    ...STYLED,
  }),
  page("login page with 202", "single sign-on in front of the service", 202, LOGIN, {
    headers: HTML_UTF8,
    shows: "Log in",
    ...STYLED,
  }),
  page(
    "page without a title",
    "a hotel's network",
    200,
    "<html><body><p>Welcome, accept the terms to continue</p></body></html>",
  ),
  page(
    "SOAP fault with 200",
    "an enterprise service bus",
    200,
    '<?xml version="1.0"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><soap:Fault><faultstring>Session expired</faultstring></soap:Fault></soap:Body></soap:Envelope>',
    { headers: { "content-type": "text/xml" } },
  ),
  page("OK as text", "a health check that answers every path", 200, "OK", {
    headers: { "content-type": "text/plain" },
  }),
  {
    name: "empty 200",
    source: "hand-written handlers",
    status: 200,
    readings: { submission: "outcome unknown", write: "done", list: "unreadable", status: "unreadable" },
  },
  {
    name: "204",
    source: "frameworks that send no body after a write",
    status: 204,
    readings: { submission: "outcome unknown", write: "done", list: "unreadable", status: "unreadable" },
  },
  {
    name: "empty 202",
    source: "a queue in front of the service",
    status: 202,
    readings: { submission: "outcome unknown", write: "done" },
  },
  {
    name: "empty 202 to /login",
    source: "single sign-on in front of the service",
    status: 202,
    headers: { location: "/login" },
    readings: { submission: "outcome unknown", write: "done" },
  },
  {
    name: "200 with JSON and no id",
    source: "an application that reports errors with 200",
    ...json(200, { success: false, message: "Session expired" }),
    readings: { submission: "outcome unknown", write: "done", list: "unreadable" },
  },
  {
    name: "200 with null",
    source: "serialisers of nothing",
    ...json(200, null),
    readings: { submission: "outcome unknown", write: "done", list: "unreadable", status: "unreadable" },
  },
  {
    name: "202 with a list",
    source: "hand-written handlers",
    ...json(202, ["queued"]),
    readings: { submission: "outcome unknown", write: "done" },
  },
  ...[
    ["302 to the login page", 302],
    ["303 to the login page", 303],
    ["307 to the login page", 307],
  ].map(([name, status]) => ({
    name: String(name),
    source: "Spring Security, Django login_required, Rails Devise",
    status: Number(status),
    headers: { location: "https://sso.example/login?next=/v1/diligence/submit", ...HTML },
    body: "<html><head><title>Found</title></head></html>",
    readings: { list: "rejected", status: "rejected" } as const,
    shows: "redirect",
  })),
  page(
    "truncated JSON",
    "a proxy with a small buffer",
    200,
    '{"data":[{"id":"c-1","name":"Acme"},{"id":"c-2","na',
    { headers: JSON_TYPE },
  ),
  page(
    "truncated JSON with a job id",
    "a proxy with a small buffer",
    202,
    `{"jobId":"${JOB_ID}","status":"queu`,
    { headers: JSON_TYPE, readings: { submission: "outcome unknown", write: "outcome unknown" } },
  ),
  page("JSON with a prefix", "the XSSI prefix of AngularJS", 200, `)]}',\n{"jobId":"${JOB_ID}"}`, {
    headers: JSON_TYPE,
  }),
  {
    name: "connection cut in the body",
    source: "a crash of a proxy",
    ...json(202, { jobId: JOB_ID, status: "queued" }),
    cutAfter: 20,
    readings: { submission: "outcome lost", write: "outcome lost" },
  },
  {
    name: "connection cut before the response",
    source: "a restart of the service",
    status: 200,
    cutAfter: 0,
    readings: { submission: "outcome lost", write: "outcome lost", wait: "goes on" },
  },
];

const accepted = (
  name: string,
  source: string,
  response: WireResponse,
  jobId: string = JOB_ID,
): ForeignResponse => ({ name, source, ...response, readings: { submission: "accepted" }, jobId });

const unknownId = (name: string, source: string, response: WireResponse): ForeignResponse => ({
  name,
  source,
  ...response,
  readings: { submission: "accepted with unknown id", write: "done" },
});

const OTHER_UUID = "b1946ac9-2f3d-4e6a-9c58-7d0e1f2a3b4c";

/** Responses to a submission that do come from the service. */
export const SUBMISSIONS: readonly ForeignResponse[] = [
  accepted("202 with jobId", "the sandbox's form", json(202, { jobId: JOB_ID, status: "queued" })),
  accepted("202 with job_id", "snake case", json(202, { job_id: JOB_ID })),
  accepted("201 with id", "REST frameworks", json(201, { id: JOB_ID, type: "diligence" })),
  accepted("202 with job.id", "a record in an object", json(202, { job: { id: JOB_ID, status: "waiting" } })),
  accepted("a job id that is no UUID", "sequences", json(202, { jobId: "DJ-2026-000123" }), "DJ-2026-000123"),
  accepted("a job id that is a number", "sequences", json(202, { id: 4711 }), "4711"),
  accepted(
    "a job id above 2^53",
    "Snowflake ids",
    { ...json(202, {}), body: '{"id":1729382256910270465}' },
    "1729382256910270465",
  ),
  accepted(
    "submissionId, the only UUID",
    "another name",
    json(202, { submissionId: JOB_ID, state: "received" }),
  ),
  accepted(
    "a UUID in an envelope",
    "JSON:API",
    json(202, { data: { type: "jobs", id: JOB_ID, attributes: { state: "queued" } } }),
  ),
  accepted(
    "a UUID beside a request id",
    "gateways that add a request id",
    json(202, { reference: JOB_ID, requestId: OTHER_UUID }),
  ),
  accepted("empty 202 with Location of the status route", "RFC 9110 §15.3.3", {
    status: 202,
    headers: { location: `/v1/diligence/status/${JOB_ID}` },
  }),
  accepted("empty 202 with an absolute Location", "ASP.NET AcceptedAtAction", {
    status: 202,
    headers: { location: `https://claims.example/v1/diligence/status/${JOB_ID}` },
  }),
  accepted("empty 202 with a Location whose last segment is a UUID", "other routes", {
    status: 202,
    headers: { location: `/queue/items/${JOB_ID}` },
  }),
  accepted(
    "empty 202 with the status route and no UUID",
    "sequences",
    { status: 202, headers: { location: "/v1/diligence/status/DJ-17" } },
    "DJ-17",
  ),
  accepted(
    "201 with a body without an id and a Location",
    "REST frameworks",
    json(201, { status: "queued" }, { location: `/v1/diligence/status/${JOB_ID}` }),
  ),
  accepted(
    "JSON as text/plain",
    "hand-written handlers",
    json(202, { jobId: JOB_ID }, { "content-type": "text/plain; charset=utf-8" }),
  ),
  accepted(
    "vendor JSON",
    "media types with a suffix",
    json(202, { jobId: JOB_ID }, { "content-type": "application/vnd.claims.v1+json" }),
  ),
  unknownId("202 with an empty object", "frameworks that send an object always", json(202, {})),
  unknownId(
    "202 with an object and Location: /login",
    "single sign-on",
    json(202, { status: "ok" }, { location: "/login" }),
  ),
  unknownId("202 with a request id only", "gateways", json(202, { requestId: OTHER_UUID, status: "queued" })),
  unknownId("202 with id null", "serialisers before the commit", json(202, { id: null, status: "queued" })),
  unknownId(
    "202 with an object as id",
    "MongoDB extended JSON",
    json(202, { id: { $oid: "65f0c0ffee65f0c0ffee65f0" } }),
  ),
  unknownId(
    "202 with a reference that is no UUID",
    "other names",
    json(202, { reference: "DJ-2026-000123" }),
  ),
  unknownId(
    "202 with a UUID that the status route does not know",
    "other names",
    json(202, { correlation: "x", batch: OTHER_UUID }),
  ),
  unknownId("202 with two UUIDs", "other names", json(202, { submission: JOB_ID, batch: OTHER_UUID })),
];

const JOB_JSON = JSON.stringify({ jobId: JOB_ID, status: "queued", sellerName: "Müller €" });
const LATIN_JSON = JSON.stringify({ jobId: JOB_ID, status: "queued", sellerName: "Müller" });
const readable = { submission: "accepted", write: "done", status: "job" } as const;
const unreadable = { submission: "outcome unknown", write: "outcome unknown", status: "unreadable" } as const;

/** One row per `Content-Encoding` and charset; each body is the same job. */
const coded = (
  name: string,
  headers: Readonly<Record<string, string>>,
  body: WireResponse["body"] & {},
  readings: Readings = readable,
): ForeignResponse => ({
  name,
  source: "RFC 9110 §8.3 and §8.4",
  status: 202,
  headers: { ...JSON_TYPE, ...headers },
  body,
  readings,
  ...(readings === readable && { jobId: JOB_ID, shows: "Müller" }),
});

const utf16 = (text: string, order: "le" | "be", mark: boolean) => {
  const bytes = Buffer.from(`${mark ? "\ufeff" : ""}${text}`, "utf16le");
  return order === "le" ? bytes : bytes.swap16();
};

/** A gzip of 1 GiB of spaces in about 1 MiB: members of 16 MiB (RFC 1952 §2.2). */
function gzipBomb(): Uint8Array {
  bomb ??= Buffer.concat([
    ...Array<Buffer>(64).fill(gzipSync(Buffer.alloc(2 ** 24, " "))),
    gzipSync(JOB_JSON),
  ]);
  return bomb;
}
let bomb: Buffer | undefined;

export const CODINGS: readonly ForeignResponse[] = [
  coded("gzip of a small body", { "content-encoding": "gzip" }, gzipSync(JOB_JSON)),
  coded("x-gzip", { "content-encoding": "x-gzip" }, gzipSync(JOB_JSON)),
  coded("deflate", { "content-encoding": "deflate" }, deflateSync(JOB_JSON)),
  coded("deflate without the zlib header", { "content-encoding": "deflate" }, deflateRawSync(JOB_JSON)),
  coded("br", { "content-encoding": "br" }, brotliCompressSync(JOB_JSON)),
  coded("gzip twice", { "content-encoding": "gzip, gzip" }, gzipSync(gzipSync(JOB_JSON))),
  coded("GZIP in capitals", { "content-encoding": "GZIP" }, gzipSync(JOB_JSON)),
  coded("identity", { "content-encoding": "identity" }, JOB_JSON),
  coded("gzip that is cut", { "content-encoding": "gzip" }, gzipSync(JOB_JSON).subarray(0, -12), unreadable),
  coded("gzip in the header alone", { "content-encoding": "gzip" }, JOB_JSON, unreadable),
  coded(
    "a coding that was not asked for",
    { "content-encoding": "zstd" },
    Buffer.from("28b52ffd", "hex"),
    unreadable,
  ),
  coded("gzip of 1 GiB", { "content-encoding": "gzip" }, gzipBomb, unreadable),
  coded("UTF-8 with BOM", {}, `\ufeff${JOB_JSON}`),
  coded(
    "iso-8859-1",
    { "content-type": "application/json; charset=iso-8859-1" },
    Buffer.from(LATIN_JSON, "latin1"),
  ),
  coded(
    "ISO-8859-1 in quotes",
    { "content-type": 'application/json;charset="ISO-8859-1"' },
    Buffer.from(LATIN_JSON, "latin1"),
  ),
  coded(
    "windows-1252",
    { "content-type": "application/json; charset=windows-1252" },
    Buffer.from(JOB_JSON.replace("€", "\x80"), "latin1"),
  ),
  coded(
    "utf-16 with BOM",
    { "content-type": "application/json; charset=utf-16" },
    utf16(JOB_JSON, "le", true),
  ),
  coded("utf-16le", { "content-type": "application/json; charset=utf-16le" }, utf16(JOB_JSON, "le", false)),
  coded("utf-16be", { "content-type": "application/json; charset=utf-16be" }, utf16(JOB_JSON, "be", true)),
  coded(
    "gzip of iso-8859-1",
    { "content-type": "application/json; charset=iso-8859-1", "content-encoding": "gzip" },
    gzipSync(Buffer.from(LATIN_JSON, "latin1")),
  ),
  coded(
    "a charset that Node does not decode",
    { "content-type": "application/json; charset=ibm037" },
    Buffer.from([0xc0, 0x7f, 0x91, 0x7f, 0xd0]),
    { ...unreadable },
  ),
];

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
  list("has_more: true", "Stripe", "more rows", { object: "list", data: CLIENTS, has_more: true }),
  list("has_more: false", "Stripe", "complete", { object: "list", data: CLIENTS, has_more: false }),
  list("hasMore: true", "HubSpot and others", "more rows", { results: CLIENTS, hasMore: true }),
  list("HasMore: true", "ASP.NET with Pascal case", "more rows", { Items: CLIENTS, HasMore: true }),
  list("has_more in meta", "hand-written handlers", "more rows", { data: CLIENTS, meta: { has_more: true } }),
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
  linked("pagination.next", "hand-written handlers", { pagination: { next: NEXT } }),
  linked("@odata.nextLink", "OData", { "@odata.nextLink": NEXT }),
  linked("next_cursor", "Slack and others", { next_cursor: "dXNlcjpVMEc5V0ZYTlo=" }),
  linked("nextPageToken", "Google APIs", { nextPageToken: "CAIQAA" }),
  linked("meta.next_cursor", "hand-written handlers", { meta: { next_cursor: "CAIQAA" } }),
  linked("Link: next", "GitHub", {}, { link: `<${NEXT}>; rel="next", <${NEXT}>; rel="last"` }),
  list("next: null", "Django REST framework", "complete", {
    count: 2,
    next: null,
    previous: null,
    results: CLIENTS,
  }),
  list("links.next: null", "Laravel", "complete", {
    data: CLIENTS,
    links: { first: "/v1/clients?page=1", last: "/v1/clients?page=1", prev: null, next: null },
    meta: { current_page: 1, last_page: 1, per_page: 15, total: 2 },
  }),
  list("next_cursor: empty", "Slack", "complete", { data: CLIENTS, next_cursor: "" }),
  list("Link: prev", "RFC 8288", "complete", CLIENTS, {
    link: '</v1/clients?page=0>; rel="prev", </v1/clients>; rel="self"',
  }),
  list("page 1 of 3 in meta", "Laravel", "more rows", {
    data: CLIENTS,
    meta: { current_page: 1, last_page: 3, per_page: 2, total: 5 },
  }),
  list("page 1 of 3 in pagination", "hand-written handlers", "more rows", {
    data: CLIENTS,
    pagination: { page: 1, total_pages: 3 },
  }),
  list("page 1 of 3 beside the list", "hand-written handlers", "more rows", {
    items: CLIENTS,
    page: 1,
    pages: 3,
  }),
  list("page 1 of 1", "FastAPI pagination", "complete", {
    items: CLIENTS,
    total: 2,
    page: 1,
    size: 50,
    pages: 1,
  }),
  list("page 0 of 3, counted from 0", "Spring Data, PagedModel", "more rows", {
    content: CLIENTS,
    page: { size: 2, number: 0, totalElements: 5, totalPages: 3 },
  }),
  list("page 0 of 1, counted from 0", "Spring Data, PagedModel", "complete", {
    content: CLIENTS,
    page: { size: 20, number: 0, totalElements: 2, totalPages: 1 },
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
  list("Content-Range 0-1/2", "PostgREST", "complete", CLIENTS, { "content-range": "0-1/2" }),
  list("Content-Range 0-1/*", "PostgREST without a count", "complete", CLIENTS, { "content-range": "0-1/*" }),
  list("total above the rows", "hand-written handlers", "more rows", { data: CLIENTS, total: 57 }),
  list("total_count above the rows", "GitHub search", "more rows", { total_count: 57, items: CLIENTS }),
  list("totalCount above the rows", "GraphQL connections", "more rows", { totalCount: 57, nodes: CLIENTS }),
  list("total above the rows of a page", "limit and offset", "warning", {
    data: CLIENTS,
    total: 57,
    limit: 2,
    offset: 0,
  }),
  list("total equal to the rows", "hand-written handlers", "complete", { data: CLIENTS, total: 2 }),
  list("an amount called total in each row", "money", "complete", {
    data: CLIENTS.map((row) => ({ ...row, total: 129900 })),
  }),
  list("an amount called total with a fraction", "money", "complete", { data: CLIENTS, total: 1299.5 }),
  list("an amount called total as text", "money", "complete", { data: CLIENTS, total: "1299.50" }),
  list("an amount called total in an object", "money", "complete", {
    data: CLIENTS,
    total: { amount: 129900, currency: "USD" },
  }),
  list(
    "an amount called total with a currency",
    "money",
    "complete",
    { data: CLIENTS, total: 129900, currency: "USD" },
    {},
    { readings: { list: "complete", ledger: "complete" } },
  ),
  list("an amount called total in a summary", "money", "complete", {
    data: CLIENTS,
    summary: { total: 129900 },
  }),
  list(
    "a filtered list with a larger total",
    "searches that count all rows",
    "warning",
    { data: [{ id: "d0a8e1d2-0000-4000-8000-000000000001", status: "failed", attemptCount: 3 }], total: 57 },
    {},
    { readings: { filtered: "warning" }, rows: 1 },
  ),
  list(
    "rows without a known column",
    "another vocabulary",
    "warning",
    {
      data: [
        { ref: "A1", caption: "Acme" },
        { ref: "A2", caption: "Beta" },
      ],
    },
    {},
    { shows: "caption" },
  ),
  list(
    "no list",
    "an object that is about something else",
    "unreadable",
    { message: "Welcome" },
    {},
    { rows: 0 },
  ),
];

const job = (name: string, source: string, value: unknown, readings: Readings): ForeignResponse => ({
  name,
  source,
  ...json(200, value),
  readings,
});

/** Jobs whose fields differ, among them `environment` (§4 *Environment*; the test's profile is sandbox). */
export const JOBS: readonly ForeignResponse[] = [
  ...["production", "Production", "PRODUCTION"].map((environment) =>
    job(
      `environment: ${environment}`,
      "a sandbox key at the wrong service",
      { jobId: JOB_ID, status: "queued", environment },
      { submission: "another environment", status: "another environment" },
    ),
  ),
  ...["Sandbox", "live", "production-eu", "", null, { name: "production" }].map((environment) =>
    job(
      `environment: ${JSON.stringify(environment)}`,
      "other words",
      { jobId: JOB_ID, status: "queued", environment },
      { submission: "accepted", status: "job" },
    ),
  ),
  job(
    "environment of something else",
    "a nested record",
    { jobId: JOB_ID, status: "queued", client: { environment: "production" } },
    { submission: "accepted", status: "job" },
  ),
  job("id under job_id", "snake case", { job_id: JOB_ID, state: "in_progress" }, { status: "job" }),
  job("record in data", "envelopes", { data: { id: JOB_ID, status: "processing" } }, { status: "job" }),
  job("an unknown state", "other words", { jobId: JOB_ID, status: "AWAITING_REVIEW" }, { status: "job" }),
  job("no state", "other names", { jobId: JOB_ID, phase: 3 }, { status: "job" }),
];

/** Every response, for tables and for the fuzzer. */
export const RESPONSES: readonly ForeignResponse[] = [
  ...ERRORS,
  ...NOT_THE_SERVICE,
  ...SUBMISSIONS,
  ...CODINGS,
  ...LISTS,
  ...JOBS,
];
