import { isRecord } from "../../../domain/json.ts";

/** A request that an access log tells of. */
export interface LoggedRequest {
  /** Without a query. */
  readonly path: string;
  /** RFC 3339; null where it is not told in a way that is understood. */
  readonly at: string | null;
}

/** `[20/Nov/2026:10:00:00 +0100] "POST /broker/onboard HTTP/1.1"`, as Apache and nginx write it. */
const COMMON =
  /^[^[]*(?:\[(\d\d)\/(\w{3})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)\])?[^"]*"[A-Z]+ (\/[^ "?]*)[^"]* HTTP\/[\d.]+"/;

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** Field names under which JSON logs have the path and the time. */
const PATHS = ["path", "uri", "url", "request_uri", "requestPath"];
const TIMES = ["time", "timestamp", "at", "@timestamp", "ts"];

/** Every request of a log that can be read: common or combined format, or a JSON object a line. */
export function pathsInAccessLog(text: string): LoggedRequest[] {
  return text.split("\n").flatMap((line) => {
    const found = line.trimStart().startsWith("{") ? ofJson(line) : ofCommon(line);
    return found ? [found] : [];
  });
}

function ofCommon(line: string): LoggedRequest | null {
  const [, day, month = "", year, clock, hours, minutes, path] = COMMON.exec(line) ?? [];
  if (path === undefined) return null;
  const number = String(MONTHS.indexOf(month) + 1).padStart(2, "0");
  return { path, at: readTime(`${year}-${number}-${day}T${clock}${hours}:${minutes}`) };
}

function ofJson(line: string): LoggedRequest | null {
  try {
    const entry: unknown = JSON.parse(line);
    if (!isRecord(entry)) return null;
    const path = PATHS.map((name) => entry[name]).find((value) => typeof value === "string");
    if (path === undefined) return null;
    const time = TIMES.map((name) => entry[name]).find((value) => typeof value === "string");
    const bare = String(path)
      .replace(/^https?:\/\/[^/]+/, "")
      .replace(/\?.*$/, "");
    return { path: bare, at: readTime(String(time)) };
  } catch {
    return null;
  }
}

function readTime(text: string): string | null {
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
