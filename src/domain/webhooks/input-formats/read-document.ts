import type { Buffer } from "node:buffer";
import { isRecord, isTextTooDeep, parseJsonText, valueAt } from "../../json.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { decodeText, inputError, toUtf8 } from "./delivery.ts";
import { findDeliveries, type WalkOptions } from "./find-deliveries.ts";
import { mentionsServiceHeader } from "./header-notation.ts";
import { isHttpRequest, parseHttpRequest } from "./http-request.ts";
import { joinRecords, readMessage } from "./join-records.ts";
import { groupLines } from "./line-groups.ts";
import type { LoggedDelivery } from "./logged-delivery.ts";
import { readMail } from "./mail.ts";
import { isCapture, readCapture, readDissectedPackets } from "./packets.ts";
import { parseTable } from "./table.ts";
import { parseXml } from "./xml.ts";

/** What a file was taken for. */
export type DocumentForm = "raw request" | "JSON" | "XML" | "table" | "mail" | "log" | "capture";

export interface FoundDelivery {
  /** The file, and the line or the position in it. */
  readonly source: string;
  readonly form: DocumentForm;
  readonly delivery: LoggedDelivery;
}

/** What was read besides deliveries. */
export interface ReadNotes {
  /** Records without headers of the service. */
  skipped: number;
  /** The fields of the first record that has none. */
  fields: readonly string[];
}

/** The deliveries in the bytes of one file. */
export function* readDocument(
  encoded: Buffer,
  shownAs: string,
  options: WalkOptions,
  notes: ReadNotes,
): Generator<FoundDelivery> {
  const bytes = toUtf8(encoded);
  const text = nameHeaders(decodeText(bytes, shownAs));
  const [first = ""] = text.trimStart().split(/\r?\n/, 1);
  if (isHttpRequest(first)) return yield* readRequests(bytes, shownAs);
  const packets = isCapture(text)
    ? text
    : first.startsWith("[")
      ? readDissectedPackets(parseJsonText(text))
      : null;
  if (packets !== null) {
    for (const [index, delivery] of readCapture(packets).entries())
      yield { source: `${shownAs}#${index + 1}`, form: "capture", delivery };
    return;
  }
  const [form, records, lines = []] = readRecords(text, first, shownAs);
  let count = 0;
  const rest = lines.map((line) => (line.trim() === "" ? line : ""));
  // What was read as a part of another record.
  const done = new Set<number>();
  const joined = joinRecords(records.map(([, record]) => record));
  for (const [index, [source, own]] of records.entries()) {
    if (done.has(index)) continue;
    const whole = joined.get(index);
    const complete = whole ? findDeliveries(whole.record, options).filter(({ lacks }) => lacks === null) : [];
    if (complete.length > 0) for (const each of whole?.members ?? []) done.add(each);
    const record = complete.length > 0 ? whole?.record : own;
    // Headers alone in a line of text belong to the lines around it.
    const isPart = ({ lacks }: LoggedDelivery) =>
      form === "log" &&
      mentionsServiceHeader(typeof record === "string" ? record : (readMessage(record) ?? "")) &&
      lacks !== null;
    const found =
      complete.length > 0 ? complete : findDeliveries(record, options).filter((each) => !isPart(each));
    if (form === "log" && found.length === 0)
      rest[lineOf(source)] = readMessage(record) ?? lines[lineOf(source)] ?? "";
    if (found.length === 0) skip(record, notes);
    for (const [index, delivery] of found.entries()) {
      count += 1;
      yield {
        source: index === 0 ? source : `${source}#${index + 1}`,
        form,
        delivery: markComplete(delivery, record),
      };
    }
  }
  // A record can be several lines, also in the texts of other records.
  if (form === "log") yield* readLineGroups(rest, shownAs, options);
  else if (count === 0) yield* readLineGroups(listTexts(records), shownAs, options);
}

const SHORT_SIGNATURE = /\b(?:sig|signature|hmac)(\\?["']?\s*[=:]\s*\\?["']?)(?=[0-9a-f]{64}\b)/gi;
const SHORT_TIMESTAMP = /\b(?:t|ts|timestamp)(\\?["']?\s*[=:]\s*\\?["']?)(?=\d{10}(?![.\d]))/gi;

/** Names the headers where a log that never does has a signature and a timestamp in one line, under shorter names. */
function nameHeaders(text: string): string {
  if (mentionsServiceHeader(text)) return text;
  return text
    .split("\n")
    .map((line) =>
      line.match(SHORT_SIGNATURE)?.length === 1 && line.match(SHORT_TIMESTAMP)?.length === 1
        ? line
            .replace(SHORT_SIGNATURE, `${SIGNATURE_HEADER}$1`)
            .replace(SHORT_TIMESTAMP, `${TIMESTAMP_HEADER}$1`)
        : line,
    )
    .join("\n");
}

/** The records of a text, each with its place, and the lines of a log. */
function readRecords(
  text: string,
  first: string,
  shownAs: string,
): [DocumentForm, readonly (readonly [string, unknown])[], lines?: readonly string[]] {
  const number = (values: readonly unknown[]) =>
    values.map((value, index) => [values.length === 1 ? shownAs : `${shownAs}#${index + 1}`, value] as const);
  if (/^\s*[[{]/.test(text) && !isTextTooDeep(text)) {
    const value = parseJsonText(text);
    if (value !== undefined) return ["JSON", number(Array.isArray(value) ? value : [value])];
  }
  if (/^\s*<[?!a-z]/i.test(text)) return ["XML", number([parseXml(text)])];
  const mail = readMail(text, first);
  if (mail) return ["mail", number(mail)];
  const table = parseTable(text, first);
  if (table) return ["table", number(table)];
  const lines = joinPartialLines(text.split("\n"));
  const records = lines.flatMap((line, index) =>
    line.trim() === "" ? [] : [[`${shownAs}:${index + 1}`, readLine(line)] as const],
  );
  return ["log", records, lines];
}

/** Container runtimes split long lines: all parts but the last have a P (Kubernetes, CRI logging format). */
function joinPartialLines(lines: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let open = "";
  for (const line of lines) {
    const [, head = "", part, rest = ""] = /^(\S+ (?:stdout|stderr) )([PF]) (.*)$/s.exec(line) ?? [];
    if (part === "P" || open !== "") {
      open = open === "" ? `${head}F ${rest}` : open + rest;
      joined.push(part === "P" ? "" : open);
      if (part !== "P") open = "";
    } else joined.push(line);
  }
  return joined;
}

const lineOf = (source: string): number => Number(/:(\d+)$/.exec(source)?.[1] ?? 1) - 1;

/** A line of JSON as its value. Other text keeps its indentation, which can be that of a body of several lines. */
export function readLine(line: string): unknown {
  const isJson = /^\s*[[{]/.test(line) && !isTextTooDeep(line);
  return (isJson ? parseJsonText(line) : undefined) ?? line.trimEnd();
}

function skip(record: unknown, notes: ReadNotes): void {
  notes.skipped += 1;
  if (notes.fields.length === 0 && isRecord(record)) notes.fields = listFields(record, "");
}

const MAX_FIELDS = 12;

const listFields = (record: Readonly<Record<string, unknown>>, before: string): string[] =>
  Object.entries(record)
    .flatMap(([name, value]) =>
      isRecord(value) && before === "" ? listFields(value, `${name}.`) : [`${before}${name}`],
    )
    .slice(0, MAX_FIELDS);

/** A HAR and an event of API Gateway have every header, so a missing one did not arrive. */
const markComplete = (delivery: LoggedDelivery, record: unknown): LoggedDelivery =>
  delivery.lacks === "signature" || delivery.lacks === "timestamp"
    ? Array.isArray(valueAt(record, "log.entries")) || isRecord(valueAt(record, "requestContext"))
      ? { ...delivery, lacks: null }
      : delivery
    : delivery;

const START_LINE = /^(?:POST|PUT) \S+ HTTP\/\d(?:\.\d)?\r?$/gm;

/** The raw requests of a file, one after the other. */
function* readRequests(bytes: Buffer, shownAs: string): Generator<FoundDelivery> {
  const starts = [...bytes.toString("latin1").matchAll(START_LINE)].map(({ index }) => index);
  const pieces =
    starts.length > 1 ? starts.map((start, index) => bytes.subarray(start, starts[index + 1])) : [bytes];
  for (const [index, piece] of pieces.entries()) {
    const { headers, body } = parseHttpRequest(piece, shownAs);
    const isLast = index === pieces.length - 1;
    // An empty line separates it from the next one.
    const trimmed = isLast
      ? body
      : body.subarray(0, body.length - (/(?:\r?\n)*$/.exec(body.toString("latin1"))?.[0].length ?? 0));
    yield {
      source: pieces.length === 1 ? shownAs : `${shownAs}#${index + 1}`,
      form: "raw request",
      delivery: {
        ...{ headers, body: trimmed, otherBodies: isLast ? [] : [body] },
        ...{ written: null, receivedAt: null, status: null, facts: new Map(), lacks: null },
      },
    };
  }
}

const MAX_TEXTS = 200_000;

/** The texts of records whose messages are lines of one log, in their order. */
function listTexts(records: readonly (readonly [string, unknown])[]): string[] {
  const texts: string[] = [];
  const collect = (value: unknown, depth: number): void => {
    if (texts.length >= MAX_TEXTS || depth > 8) return;
    if (typeof value === "string") for (const line of value.split("\n")) texts.push(line);
    else if (typeof value === "object" && value !== null)
      for (const each of Object.values(value)) collect(each, depth + 1);
  };
  for (const [, record] of records) collect(record, 0);
  return texts;
}

/** Deliveries whose headers and body are in several lines. */
function* readLineGroups(lines: readonly string[], shownAs: string, options: WalkOptions) {
  if (!lines.some(mentionsServiceHeader)) return;
  for (const { number, text } of groupLines(lines))
    for (const delivery of findDeliveries(text, options))
      yield { source: `${shownAs}:${number}`, form: "log" as const, delivery };
}

/** The only delivery of a file, for `verify`. */
export function requireOne(found: readonly FoundDelivery[], shownAs: string, entry: number | undefined) {
  const chosen = entry === undefined ? found : found.slice(entry - 1, entry);
  const [first, second] = chosen;
  if (first && !second) return first;
  if (entry !== undefined)
    throw inputError(`${shownAs} has no entry ${entry}`, `it has ${found.length} deliveries`);
  throw inputError(
    first ? `${shownAs} has ${found.length} deliveries` : `no delivery found in ${shownAs}`,
    first
      ? `claims webhooks triage ${shownAs} verifies them all; --entry N takes one`
      : "save the request with its headers and its body; or give --body with --headers",
  );
}
