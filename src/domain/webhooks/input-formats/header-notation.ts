import { pairRawHeaders } from "../../http-headers.ts";
import { isRecord } from "../../json.ts";
import type { HeaderPair } from "./delivery.ts";

/** A name of interface §6 at the end of a key, as programs write it: `X-Service-Event`, `HTTP_X_SERVICE_EVENT`, `req.x-service-event`. */
const SERVICE_NAME = /(?:http[-_])?x[-_. ]?service[-_. ]?(signature|timestamp|event)$/i;

/** Whether text has one of the names anywhere: other text needs no second look. */
export const mentionsServiceHeader = (text: string): boolean =>
  /x[-_. ]?service[-_. ]?(?:signature|timestamp|event)/i.test(text);

/** Whether text has none of the names that a signature needs: other names can stand for them. */
export const lacksHeaderNames = (text: string): boolean =>
  !/x[-_. ]?service[-_. ]?(?:signature|timestamp)/i.test(text);

const isServiceHeader = ([name]: HeaderPair): boolean => SERVICE_NAME.test(name);

/** Names that other request headers have, so that fields of a record between them do not count. */
const HEADER_NAME =
  /^(?:http[-_])?(?:[a-z\d]+(?:[-_][a-z\d]+)+|accept|connection|expect|forwarded|host|origin|via)$/i;

/** A field that has the body among the fields of headers. */
const BODY_AMONG_HEADERS = /(?:body|payload)(?:[-_]?(?:raw|base64|text))?$/i;

/** The texts of a header's value: a string, several, or an object with the value in it. Null for anything else. */
function textsOf(value: unknown): readonly string[] | null {
  // Variables of nginx without a value.
  if (value === null || value === "-" || value === "") return [];
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  if (Array.isArray(value)) {
    const texts = value.map((each: unknown) => textsOf(each)?.[0]);
    return texts.every((text) => text !== undefined) ? texts : null;
  }
  if (!isRecord(value)) return null;
  const entries = Object.entries(value);
  const inner =
    entries.find(([name]) => /^values?$/i.test(name)) ?? (entries.length === 1 ? entries[0] : undefined);
  return inner ? textsOf(inner[1]) : null;
}

const toPairs = (name: string, value: unknown): HeaderPair[] =>
  (textsOf(value) ?? []).map((text) => [name, text] as const);

/** The headers among the fields of a record, and the names of those fields; null without a header of the service. */
export function readHeaderFields(record: Readonly<Record<string, unknown>>) {
  const names = Object.keys(record);
  const found = names.find((name) => SERVICE_NAME.test(name) && textsOf(record[name]) !== null);
  if (found === undefined) return null;
  // What a log writes before each name, such as `request_`.
  const prefix = found.slice(0, found.search(SERVICE_NAME));
  const isCgi = /^http_/i.test(found);
  const fields = names.filter(
    (name) =>
      name.startsWith(prefix) &&
      !BODY_AMONG_HEADERS.test(name) &&
      (prefix !== "" || (isCgi ? /^(?:http|content)_/i : HEADER_NAME).test(name) || SERVICE_NAME.test(name)),
  );
  const bare = fields.map((name) => name.slice(prefix.length));
  // A log that writes every name so has another notation. With hyphens in other names, the name itself is another.
  const isNotation = !bare.some((name) => name.includes("-") && !SERVICE_NAME.test(name));
  const headers = fields.flatMap((field) => {
    const name = field.slice(prefix.length);
    return toPairs(isNotation ? toHeaderName(name) : name, record[field]);
  });
  return headers.some(isServiceHeader) ? { headers, fields: new Set(fields) } : null;
}

/** `HTTP_X_SERVICE_EVENT` and `x_service_event` are X-Service-Event in the notation of CGI and of logs. */
const toHeaderName = (name: string): string =>
  SERVICE_NAME.test(name) || /^http_/i.test(name)
    ? name
        .replace(/^.*\.(?=x[-_]?service)/i, "")
        .replace(/^http[-_]/i, "")
        .replace(/[_. ]/g, "-")
        .replace(/^xservice/i, "X-Service-")
    : name;

/**
 * Headers as a list of pairs, of records of name and value, of lines, or of names and values in turn, and the body, which
 * some logs have among them. Null for other lists.
 */
export function readHeaderList(list: readonly unknown[]) {
  const pairs = readPairs(list).flatMap((each) => each ?? []);
  if (!pairs.some(isServiceHeader)) return null;
  const [body] = pairs.filter(([name]) => BODY_AMONG_HEADERS.test(name));
  const headers = pairs
    .filter(([name]) => !BODY_AMONG_HEADERS.test(name))
    .map(([name, value]) => [toHeaderName(name), value] as const);
  return { headers, body: body?.[1] ?? null };
}

/** All names and values of an object or a list, whatever they are; null for another value. */
export function readAllPairs(value: unknown): readonly HeaderPair[] | null {
  if (isRecord(value)) return Object.entries(value).flatMap(([name, each]) => toPairs(name, each));
  const pairs = Array.isArray(value) ? readPairs(value) : [null];
  return pairs.every((each) => each !== null) ? pairs.flat() : null;
}

const readPairs = (list: readonly unknown[]) =>
  list.every((each) => typeof each === "string") ? [readTexts(list)] : list.map(readPair);

function readTexts(list: readonly string[]): readonly HeaderPair[] {
  const lines = list.flatMap((line): HeaderPair[] => {
    const [, name, value = ""] = /^([\w-]+)\s*[:=]\s*(.*)$/s.exec(line) ?? [];
    return name === undefined ? [] : [[name, value]];
  });
  return lines.some(isServiceHeader) ? lines : pairRawHeaders(list);
}

function readPair(element: unknown): HeaderPair[] | null {
  const [name, value] = splitPair(element);
  return typeof name === "string" ? toPairs(name, value) : null;
}

/** The name and the value in a pair, in a record that calls them so, or in a record of one field. */
function splitPair(element: unknown): readonly unknown[] {
  if (Array.isArray(element)) return element.length === 2 ? element : [];
  if (!isRecord(element)) return [];
  const fields = Object.entries(element);
  const findValue = (key: RegExp) => fields.find(([each]) => key.test(each))?.[1];
  const name = findValue(/^(?:name|key|k|header|field)$/i);
  if (typeof name === "string") return [name, findValue(/^(?:values?|val|v|content)$/i)];
  return fields.length === 1 ? fields.flat() : [];
}
