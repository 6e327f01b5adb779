import type { Buffer } from "node:buffer";
import { headerValues } from "../../http-headers.ts";
import { isRecord, isTextTooDeep, parseJsonText } from "../../json.ts";
import { formatCount } from "../../numbers.ts";
import { parseTable } from "../../table.ts";
import { readSignedEvent } from "../doubts.ts";
import { SIGNATURE_HEADER } from "../headers.ts";
import { MIN_BODY_SCORE } from "./body-candidates.ts";
import { decodeText, inputError, toUtf8 } from "./delivery.ts";
import { type Exchange, splitExchanges } from "./exchanges.ts";
import { type FindOptions, findDeliveries } from "./find-deliveries.ts";
import { lacksHeaderNames, mentionsServiceHeader } from "./header-notation.ts";
import { hasOwnSignature, isHttpRequest, parseHttpRequest } from "./http-request.ts";
import { groupLines } from "./line-groups.ts";
import { type LoggedDelivery, toDelivery } from "./logged-delivery.ts";
import { readFactsByRequest, readMessage } from "./request-ids.ts";
import { hasDigest } from "./signature-values.ts";
import { readFacts } from "./walk.ts";

export interface FoundDelivery extends LoggedDelivery {
  /** The file, and the line or the position in it. */
  readonly source: string;
  readonly form: DocumentForm;
}

/** With the place of each, if there are several at one. */
export const placeAll = (
  deliveries: readonly LoggedDelivery[],
  source: string,
  form: DocumentForm,
): readonly FoundDelivery[] =>
  deliveries.map((delivery, index) => ({
    ...delivery,
    source: deliveries.length === 1 ? source : `${source}#${index + 1}`,
    form,
  }));

/** What the document has besides deliveries. */
export interface ReadNotes {
  /** Records without headers of the service. */
  skipped: number;
  /** The fields of the first record that has none, or the words before the values of a text. */
  fields: readonly string[];
}

export const NAMING = "--field body=PATH --field signature=PATH --field timestamp=PATH";

/** Of a document without a delivery, for the option that names fields. */
export const describeFields = ({ fields }: ReadNotes): string =>
  fields.length > 0 ? `; the fields, or the words before values here, are ${fields.join(", ")}` : "";

/** The deliveries in the bytes of one file, each once: proxies and request clients log it again as they pass it on. */
export function readDocument(
  encoded: Buffer,
  displayName: string,
  options: FindOptions,
  notes: ReadNotes,
): readonly FoundDelivery[] {
  const found = new Map<string, FoundDelivery>();
  for (const each of parseDeliveries(encoded, displayName, options, notes)) {
    const { headers, body } = each;
    const signature = headerValues(headers, SIGNATURE_HEADER).join();
    const key = `${signature} ${body.toString("latin1")}`;
    const earlier = found.get(key);
    if (!earlier) found.set(key, each);
    else if (signature === "" || !isCopy(earlier, each)) found.set(`${found.size}`, each);
    else if (earlier.status === null) found.set(key, { ...each, source: earlier.source });
  }
  return [...found.values()];
}

/** What is logged again later was sent again. */
const MAX_COPY_DELAY_MS = 60_000;

function isCopy(one: LoggedDelivery, other: LoggedDelivery): boolean {
  if (one.status !== null && other.status !== null && one.status !== other.status) return false;
  if (one.receivedAt === null || other.receivedAt === null) return true;
  return Math.abs(one.receivedAt - other.receivedAt) <= MAX_COPY_DELAY_MS;
}

function parseDeliveries(
  encoded: Buffer,
  displayName: string,
  given: FindOptions,
  notes: ReadNotes,
): readonly FoundDelivery[] {
  const bytes = toUtf8(encoded);
  const text = toPlainText(bytes, displayName);
  if (UNSUPPORTED_FORMATS.some((beginning) => beginning.test(text)))
    throw inputError(
      `${displayName} has a form that is not read: flows of mitmproxy, text of tcpdump, XML or HTML`,
      "save it as HAR, JSON, CSV or text",
    );
  const options = { ...given, lacksHeaderNames: lacksHeaderNames(text) };
  const [first = ""] = text.trimStart().split(/\r?\n/, 1);
  const isRequest = isHttpRequest(first) && /\n\r?\n/.test(text);
  if (!isRequest) return readRecords(splitRecords(text, first, displayName), displayName, options, notes);
  const all = splitExchanges(bytes);
  const ofService = all.filter(isOfService);
  const exchanges = ofService.length > 0 ? ofService : all;
  notes.skipped += all.length - exchanges.length;
  const deliveries = exchanges.flatMap((exchange, index) =>
    readExchange(exchange, exchanges.length === 1 ? displayName : `${displayName}#${index + 1}`, options),
  );
  const captured = deliveries.map((each) => ({ ...each, isRequest: true }));
  return placeAll(captured, displayName, "raw request");
}

/** Whether a request has a header of the service, or an event, and so lost its headers. Others can be of anything. */
const isOfService = ({ request }: Exchange): boolean =>
  mentionsServiceHeader(request.toString("latin1")) ||
  readSignedEvent(request.subarray(request.indexOf("{"))) !== null;

/** A captured request, perhaps with the response to it, or with lines of a log. */
function readExchange(
  { bytes, request, status }: Exchange,
  displayName: string,
  options: FindOptions,
): readonly LoggedDelivery[] {
  const whole = parseHttpRequest(bytes, displayName);
  if (hasOwnSignature(whole)) return findDeliveries(toPlainText(bytes, displayName), options);
  const { headers, body } = parseHttpRequest(request, displayName);
  const delivery = toDelivery({
    headers,
    bodies: [
      { bytes: body, score: MIN_BODY_SCORE + 1 },
      // A line end before the next message can be of the body.
      ...(whole.body.equals(body) ? [] : [{ bytes: whole.body, score: MIN_BODY_SCORE }]),
    ],
    parsedBody: null,
    facts: new Map(status === null ? [] : [["status", status]]),
  });
  // What it lacks is a cause.
  return [{ ...delivery, lacks: null }];
}

const toPlainText = (bytes: Buffer, displayName: string): string =>
  decodeText(bytes, displayName).replace(COLOUR, "").replace(BETWEEN_LITERALS, "");

/** Colours of a terminal (ECMA-48 §8.3.117). */
const COLOUR = /\u001b\[[\d;]*m/g;

/** Between two pieces of one string or of bytes, each in a line, as pprint of Python prints them. */
const BETWEEN_LITERALS = /(['"])[ \t]*\r?\n[ \t]+b?\1(?=(?:\\.|(?!\1)[^\\\n])*\1[,}\])]*\r?$)/gm;

/** The beginnings of the flows of mitmproxy, of what tcpdump prints, and of XML and HTML with the headers of a delivery. */
const UNSUPPORTED_FORMATS = [
  /^\d{2,9}:\d{1,2}:[a-z_]+[;,]/,
  /^(?:[\d:. -]{6,40} )?(?:\S+ +(?:In|Out) +)?IP6? \S+ > \S+: Flags \[/,
  /^\s*<[?!a-z](?=[\s\S]*x-service-)/i,
];

function readRecords(
  { form, records, lines }: SplitText,
  displayName: string,
  options: FindOptions,
  notes: ReadNotes,
): readonly FoundDelivery[] {
  const values = records.map(({ value }) => value);
  const ofRequests = readFactsByRequest(values, options.lacksHeaderNames ?? false);
  const found: FoundDelivery[] = [];
  // A record can be several lines.
  const rest = [...lines];
  for (const [index, { source, value, line }] of records.entries()) {
    // Headers alone in a line of text belong to the lines around it.
    const isPart = ({ lacks }: LoggedDelivery) =>
      line !== undefined && lacks !== null && isOfDelivery(textOf(value), options);
    const deliveries = findDeliveries(value, options, ofRequests.get(index)).filter((each) => !isPart(each));
    if (deliveries.length === 0) skip(value, notes);
    if (line !== undefined)
      rest[line] = deliveries.length > 0 ? "" : (readMessage(value) ?? lines[line] ?? "");
    found.push(...placeAll(deliveries, source, form));
  }
  if (!rest.some((line) => isOfDelivery(line, options))) return found;
  // Deliveries whose headers and body are in several lines.
  const groups = groupLines(rest).flatMap(({ number, texts }) => {
    const deliveries = findDeliveries(texts.join("\n"), options);
    if (deliveries.length > 0) notes.skipped -= texts.filter(isLongEnough).length;
    return placeAll(deliveries, `${displayName}:${number}`, "log");
  });
  return [...found, ...groups];
}

const isLongEnough = (line: string): boolean => line.trim().length >= MIN_RECORD_LENGTH;

const isOfDelivery = (text: string, options: FindOptions): boolean =>
  mentionsServiceHeader(text) || (options.lacksHeaderNames === true && hasDigest(text));

/** What a program printed: the record itself, or its message. */
const textOf = (record: unknown): string =>
  typeof record === "string" ? record : (readMessage(record) ?? "");

function skip(record: unknown, notes: ReadNotes): void {
  notes.skipped += 1;
  if (notes.fields.length > 0) return;
  if (isRecord(record)) notes.fields = listFields(record, "");
  else if (typeof record === "string" && hasDigest(record))
    notes.fields = [...readFacts(record).keys()].slice(0, MAX_FIELDS);
}

const MAX_FIELDS = 12;

const listFields = (record: Readonly<Record<string, unknown>>, before: string): string[] =>
  Object.entries(record)
    .flatMap(([name, value]) =>
      isRecord(value) && before === "" ? listFields(value, `${name}.`) : [`${before}${name}`],
    )
    .slice(0, MAX_FIELDS);

/** The only delivery of a file, for `verify`. */
export function selectDelivery(
  found: readonly FoundDelivery[],
  displayName: string,
  entry: number | undefined,
  notes: ReadNotes,
) {
  const chosen = entry === undefined ? found : found.slice(entry - 1, entry);
  const [first, second] = chosen;
  if (first && !second) return first;
  if (entry !== undefined)
    throw inputError(
      `${displayName} has no entry ${entry}`,
      `it has ${formatCount(found.length, "delivery", "deliveries")}`,
    );
  if (second)
    throw inputError(
      `${displayName} has ${found.length} deliveries`,
      `claims webhooks triage ${displayName} verifies them all; --entry N takes one`,
    );
  throw inputError(
    `no delivery found in ${displayName}`,
    `save the request with its headers and its body; or give --body with --headers; or name the fields of a log: ${NAMING}${describeFields(notes)}`,
  );
}

/** What a file was taken for. */
export type DocumentForm = "raw request" | "JSON" | "table" | "log";

interface SourcedRecord {
  /** The file, with the line or the position in it. */
  readonly source: string;
  readonly value: unknown;
  /** The index of its line in a log. */
  readonly line?: number;
}

interface SplitText {
  readonly form: DocumentForm;
  readonly records: readonly SourcedRecord[];
  /** The lines of a log; another document has none. */
  readonly lines: readonly string[];
}

/** The records of a text, each with its place. @param first the first line that is not empty */
function splitRecords(text: string, first: string, displayName: string): SplitText {
  const number = (values: readonly unknown[]) =>
    values.map((value, index) => ({
      source: values.length === 1 ? displayName : `${displayName}#${index + 1}`,
      value,
    }));
  if (/^\s*[[{]/.test(text) && !isTextTooDeep(text)) {
    const value = parseJsonText(text);
    const values = value === undefined ? readDocuments(text) : Array.isArray(value) ? value : [value];
    if (values !== null) return { form: "JSON", records: number(values), lines: [] };
  }
  const table = parseTable(text, first);
  if (table) return { form: "table", records: number(table), lines: [] };
  const lines = text.split("\n");
  const records = lines.flatMap((own, line) =>
    isLongEnough(own) ? [{ source: `${displayName}:${line + 1}`, value: readLine(own), line }] : [],
  );
  return { form: "log", records, lines };
}

/** Shorter lines, such as brackets, are parts of a record at most. */
const MIN_RECORD_LENGTH = 3;

/** JSON documents over several lines, one after the other; null for other text. */
function readDocuments(text: string): readonly unknown[] | null {
  if (!/^\s*\{\s*\n/.test(text)) return null;
  const values = text.split(/(?<=^\})\s*\n(?=\{)/m).map(parseJsonText);
  return values.length > 1 && values.every((value) => value !== undefined) ? values : null;
}

/** A line of JSON as its value. Other text keeps its indentation, which can be that of a body of several lines. */
export function readLine(line: string): unknown {
  // To parse what cannot be JSON takes longer than to look at its end.
  const isJson = /^\s*[[{]/.test(line) && /[\]}]$/.test(line.trimEnd()) && !isTextTooDeep(line);
  return (isJson ? parseJsonText(line) : undefined) ?? line.trimEnd();
}
