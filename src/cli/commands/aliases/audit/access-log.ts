import { isRecord, valueAt } from "../../../../domain/json.ts";

export interface AccessLogRequest {
  /** Without origin and query. */
  readonly path: string;
  /** RFC 3339; null if the log has no time in a known format. */
  readonly at: string | null;
}

/** `"POST /broker/onboard HTTP/1.1"`, as Apache and nginx write it in common and combined format. */
const REQUEST_PATTERN = /"([A-Z]+ \S+ HTTP\/[\d.]+)"/;

/** `20/Nov/2026:10:00:00 +0100` */
const TIME_PATTERN = /(\d\d)\/(\w{3})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)/;

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** The fields of JSON logs for the request, or its target alone, and for the time. */
const TARGET_FIELDS =
  "path uri url request_uri requestPath request request.uri request.url httpRequest.requestUrl".split(" ");
const TIME_FIELDS = "time timestamp at @timestamp ts time_local time_iso8601".split(" ");

/** Parses a line in common or combined format, or a JSON object. */
export const parseLogLine = (line: string): AccessLogRequest | null =>
  line.trimStart().startsWith("{") ? parseJsonLine(line) : parseCommonLine(line);

function parseCommonLine(line: string): AccessLogRequest | null {
  const [, request] = REQUEST_PATTERN.exec(line) ?? [];
  return request === undefined ? null : { path: extractPath(request), at: readTime(line) };
}

function parseJsonLine(line: string): AccessLogRequest | null {
  try {
    const entry: unknown = JSON.parse(line);
    if (!isRecord(entry)) return null;
    const target = TARGET_FIELDS.map((name) => valueAt(entry, name)).find(
      (value) => typeof value === "string",
    );
    if (target === undefined) return null;
    const time = TIME_FIELDS.map((name) => entry[name]).find((value) => value !== undefined);
    return { path: extractPath(String(target)), at: readTime(time) };
  } catch {
    return null;
  }
}

/** Takes a request line, a target in absolute form (RFC 9112 §3.2.2) or a path. */
const extractPath = (request: string): string =>
  request
    .replace(/^[A-Z]+ (\S+).*$/s, "$1")
    .replace(/^https?:\/\/[^/]*/i, "")
    .replace(/[?#].*$/s, "");

/** A larger number counts milliseconds. */
const MAX_SECONDS = 1e11;

function readTime(value: unknown): string | null {
  const time =
    typeof value === "number" ? (value < MAX_SECONDS ? value * 1000 : value) : parseTime(String(value));
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function parseTime(text: string): number {
  const [, day, month = "", year, clock, hours, minutes] = TIME_PATTERN.exec(text) ?? [];
  if (day === undefined) return Date.parse(text);
  const number = String(MONTHS.indexOf(month) + 1).padStart(2, "0");
  return Date.parse(`${year}-${number}-${day}T${clock}${hours}:${minutes}`);
}
