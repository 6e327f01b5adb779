import { groupBy } from "../../group-by.ts";
import { isRecord, parseJsonText } from "../../json.ts";
import { mentionsServiceHeader } from "./header-notation.ts";
import { findSignatureValues, hasDigest, listValuesInText } from "./signature-values.ts";
import { readFacts } from "./walk.ts";

/** Names under which programs write the id of a request; a trace of Google's cloud is a path. */
const LABELLED_ID =
  /(?:\b(?:rid|cid|req|request|conn|trace|traceparent)|(?:request|req|correlation|corr|trace|operation|activity|transaction|invocation|execution|connection|conn|stream|exchange)[-_. ]?id(?:entifier)?)[\\\s"':=#[(]{1,6}((?=[\w-]*\d)[\w-]{1,64}|projects\/[\w/.-]{1,200})/gi;

/** Of a request, of a connection, and what is in brackets. */
const IDS_IN_TEXT = [
  /\b([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[a-f]*\d)[0-9a-f]{16,32})\b/gi,
  LABELLED_ID,
  /(?<![\w.])(\d{1,3}(?:\.\d{1,3}){3}:\d{2,5})(?!\d)/g,
  /[[(#]((?=[a-z-]*\d)[\w-]{6,40})[\])]/gi,
];

/** Of one request; more records with an id are those of a connection or of a process. */
const MAX_RECORDS = 24;

const MESSAGE_NAME = /^(?:log|line|message|msg|text|textPayload|_raw|@message)$/i;

/** The line that a program printed, in the record of what runs it; null for another record. */
export function readMessage(record: unknown): string | null {
  if (!isRecord(record)) return null;
  const [, message] = Object.entries(record).find(([name]) => MESSAGE_NAME.test(name)) ?? [];
  return typeof message === "string" ? message.replace(/\r?\n$/, "") : null;
}

/** The ids that a line has before everything else, the surest first. */
export function readIdsOfText(text: string): string[] {
  const ends = [text.indexOf("{"), text.search(/x[-_]service/i)].filter((at) => at >= 0);
  const before = text.slice(0, Math.min(text.length, 1_000, ...ends));
  const within = text.slice(0, 8_000);
  return IDS_IN_TEXT.flatMap((pattern) => [...(pattern === LABELLED_ID ? within : before).matchAll(pattern)])
    .map(([, id = ""]) => id.toLowerCase())
    .filter((id) => !/^\d{4}-\d\d/.test(id));
}

const SIGNATURE = /x[-_. ]?service[-_. ]?signature\W{1,24}(?:\w{3,6}\W{1,4})?([\w+/=-]{40,})/i;

/** The signature that a record has; empty if it only names headers of the service, null if it does not even that. */
function signatureOf(record: unknown, lacksHeaderNames: boolean): string | null {
  const text = typeof record === "string" ? record : (JSON.stringify(record) ?? "");
  if (lacksHeaderNames)
    return hasDigest(text) ? (findSignatureValues(listValuesInText(text)).received ?? "") : null;
  return mentionsServiceHeader(text) ? (SIGNATURE.exec(text)?.[1] ?? "") : null;
}

/** The fields of a record, and of what its program printed. */
function listFacts(record: unknown): (readonly [string, string])[] {
  const message = readMessage(record);
  const printed = message === null ? [] : readFacts(parseJsonText(message) ?? message);
  return [...readFacts(record), ...printed];
}

/**
 * What the other records of the same request say, by the index of each record: programs log the headers with the body, and the
 * response, in several records with the same id. Only where one of them has headers of the service: of two signatures, nothing
 * says what belongs to which.
 *
 * @param lacksHeaderNames whether other names stand for those of the headers
 */
export function readFactsByRequest(records: readonly unknown[], lacksHeaderNames: boolean) {
  const signatures = records.map((record) => signatureOf(record, lacksHeaderNames));
  const facts = new Map<number, ReadonlyMap<string, string>>();
  if (!signatures.some((signature) => signature !== null)) return facts;
  const ids = records.flatMap((record, index) => {
    const texts = [typeof record === "string" ? record : JSON.stringify(record), readMessage(record) ?? ""];
    return [...new Set(texts.flatMap(readIdsOfText))].map((id) => [id, index] as const);
  });
  const groups = [...groupBy(ids, ([id]) => id).values()]
    .map((group) => group.map(([, index]) => index))
    .filter(({ length }) => length > 1 && length <= MAX_RECORDS)
    .sort((one, other) => other.length - one.length);
  for (const members of groups) {
    const own = members.flatMap((index) => signatures[index] ?? []);
    const isOne = own.length === 1 || new Set(own.filter((each) => each !== "")).size === 1;
    if (!isOne || members.some((index) => facts.has(index))) continue;
    const others = members.filter((index) => signatures[index] === null);
    const said = new Map(others.flatMap((index) => listFacts(records[index])));
    for (const index of members) facts.set(index, said);
  }
  return facts;
}
