import { groupBy } from "../../group-by.ts";
import { SIGNATURE_HEADER } from "../headers.ts";
import { MIN_BODY_SCORE } from "./body-candidates.ts";
import { lacksHeaderNames, mentionsServiceHeader } from "./header-notation.ts";
import { readIdsOfText } from "./request-ids.ts";
import { findSignatureValues, isDigest, listValuesInText } from "./signature-values.ts";
import { findBodiesInText, findSpans, isLikelyBody, readTextFacts } from "./text-record.ts";

/** What a line has of a delivery: each kind occurs once in the lines of one delivery. An `object` can be a body, or of anything else. */
type Kind = "start" | "host" | "signature" | "timestamp" | "event" | "body" | "object" | "computed";

interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  readonly kinds: readonly Kind[];
  /** Of the request, if other lines have it, too. */
  readonly id: string | undefined;
}

/** The lines of one delivery. */
interface Group {
  readonly lines: Line[];
  readonly kinds: Set<Kind>;
}

/** No group has more lines. */
const MAX_LINES = 2_000;

/**
 * Groups the lines of each delivery: those with the same id, if ids keep deliveries apart, otherwise those that follow each other
 * until a line has what the group already has.
 */
export function groupLines(texts: readonly string[]) {
  const lines = readLines(texts);
  const isById = areApartById(lines);
  const groups: Group[] = [];
  const byId = new Map<string, Group>();
  for (const line of lines) {
    const id = isById ? line.id : undefined;
    const open = id === undefined ? groups.at(-1) : byId.get(id);
    const isEmpty = line.text.trim() === "";
    if (isEmpty && !open) continue;
    const isNext = !open || (!isEmpty && beginsNext(line, open, id !== undefined));
    const group = isNext ? { lines: takeHeadersBefore(open), kinds: new Set<Kind>() } : open;
    if (isNext) groups.push(group);
    if (id !== undefined) byId.set(id, group);
    group.lines.push(line);
    for (const kind of line.kinds) group.kinds.add(kind);
  }
  return groups
    .filter(({ kinds }) => SIGNED.some((kind) => kinds.has(kind)) || EVENT.every((kind) => kinds.has(kind)))
    .map(({ lines: own }) => ({ number: own[0]?.number ?? 0, texts: own.map(({ text }) => text) }));
}

/** The beginning of a list of headers, a name or a value in it: `Content-Length: 160`, `headers: {`, `'160',`. */
const IN_HEADERS =
  /[[({]\s*$|^\s*(["'])[^"']*\1,\s*$|(?:^|[\s"'])(?!status)(?:host|connection|via|forwarded|origin|accept|[a-z]+(?:-[a-z]+)+)["']?\s*(?::|=>|=)/i;

/** Removes the last lines of a group that are headers before the first one of the service: they are of the next delivery. */
function takeHeadersBefore(group: Group | undefined): Line[] {
  const lines = group?.lines ?? [];
  const isHead = ({ kinds, text }: Line) => kinds.length === 0 && IN_HEADERS.test(text.slice(0, MAX_HEADER));
  const first = lines.findLastIndex((line) => !isHead(line)) + 1;
  return lines.splice(Math.max(first, lines.length - MAX_HEADERS));
}

const MAX_HEADER = 1_000;
const MAX_HEADERS = 100;

const SIGNED: readonly Kind[] = ["signature", "timestamp"];
/** Of a delivery that lost its signature on the way. */
const EVENT: readonly Kind[] = ["event", "body"];

/** What programs print when a request arrives. The timestamp that they received is of the request before. */
const START =
  /^\W*(?:[A-Z]+ \/\S* HTTP\/|.*\b(?:received(?! timestamp)|incoming|started (?:POST|PUT)|POST \/)\b)/i;

/** The line of an access log, or what a program prints of a response. */
const RESPONSE = /(?:HTTP\/[\d.]+"|->|=>|→) ?[1-5]\d\d\b/;

/** Whether a line is of the delivery after that of the group. */
function beginsNext({ text, kinds }: Line, group: Group, hasId: boolean): boolean {
  const isResponse = RESPONSE.test(text);
  if (group.lines.length >= MAX_LINES) return true;
  if (hasId) return !isResponse && kinds.includes("start") && group.kinds.has("start");
  // Two signatures, one a line, before anything else: what arrived and what was expected.
  const isPair = [...group.kinds, ...kinds].every((kind) => kind === "signature");
  if (!isPair && kinds.some((kind) => group.kinds.has(kind))) return true;
  // A body comes after other objects, which were not it, and an object after the body is not of that delivery.
  if (kinds.includes("object") && group.kinds.has("body")) return true;
  const isWhole = group.kinds.has("signature") && group.kinds.has("body");
  return isWhole && !isResponse && START.test(text) && !hasSignatureOf(group, text);
}

/** Whether a line has a signature of the delivery again, to compare it with what was computed. */
const hasSignatureOf = ({ lines }: Group, text: string): boolean =>
  [...listValuesInText(text)].some(
    ([, value]) => isDigest(value) && lines.some((own) => own.text.includes(value)),
  );

/** A line without an id continues the line before it. */
function readLines(texts: readonly string[]): readonly Line[] {
  const idsOf = texts.map((text) => new Set(readIdsOfText(text)));
  const counts = new Map<string, number>();
  for (const id of idsOf.flatMap((ids) => [...ids])) counts.set(id, (counts.get(id) ?? 0) + 1);
  const listKinds = texts.every(lacksHeaderNames) ? listKindsOfOtherNames : listNamedKinds;
  let last: string | undefined;
  return texts.map((text, index) => {
    last = [...(idsOf[index] ?? [])].find((id) => (counts.get(id) ?? 0) > 1) ?? last;
    return { number: index + 1, text, kinds: listKinds(text), id: last };
  });
}

/** Whether the lines of one delivery, and of no other one, have the same id. */
function areApartById(lines: readonly Line[]): boolean {
  if (lines.some(({ id, kinds }) => id === undefined && kinds.includes("signature"))) return false;
  const signed = [...groupBy(lines, ({ id }) => id).values()]
    .map((own) => own.flatMap(({ kinds }) => kinds))
    .filter((kinds) => kinds.includes("signature"));
  const isOne = (kinds: readonly Kind[]) => kinds.indexOf("signature") === kinds.lastIndexOf("signature");
  return signed.some((kinds) => kinds.includes("body")) && 2 * signed.filter(isOne).length >= signed.length;
}

/** What a program made of the body to hash it, after the body: `params.to_json={…}`. */
const HASHED_TEXT = /\bto_json\W{1,3}\{/;

/** What a line has under names of its own. */
function listKindsOfOtherNames(line: string): readonly Kind[] {
  const spans = findSpans(line);
  const values = [...readTextFacts(line, spans), ...listValuesInText(line)];
  const { received, computed, headers } = findSignatureValues(values);
  const isUnnamed =
    received === undefined && computed === null && values.some(([, value]) => isDigest(value));
  // After a name at the end of a line, the body follows in the next one.
  const hasBody = findBodiesInText(line, spans).some(
    ({ score, bytes }) => score >= MIN_BODY_SCORE && bytes.length > 0,
  );
  return [
    ...headers.map(([name]) => (name === SIGNATURE_HEADER ? ("signature" as const) : ("timestamp" as const))),
    ...(isUnnamed ? (["signature"] as const) : []),
    ...(computed === null ? [] : (["computed"] as const)),
    ...(mentionsServiceHeader(line) ? (["event"] as const) : []),
    ...(hasBody && !HASHED_TEXT.test(line) ? (["body"] as const) : []),
  ];
}

/** How a line with the names of interface §6 shows each kind. A request line begins the lines of any request. */
// biome-ignore format: a table, one row a line
const NAMED_KINDS: readonly (readonly [Kind, (line: string) => boolean])[] = [
  ["signature", (line) => /x[-_. ]?service[-_. ]?signature/i.test(line)],
  ["timestamp", (line) => /x[-_. ]?service[-_. ]?timestamp/i.test(line)],
  ["event", (line) => /x[-_. ]?service[-_. ]?event/i.test(line)],
  // Of any request: the next lines belong to it.
  ["start", (line) => /(?:^\W*|: )(?:GET|HEAD|POST|PUT|PATCH|DELETE) (?:\/|https?:)\S* HTTP\//.test(line)],
  ["host", (line) => /^\W*Host: /i.test(line)],
];

const listNamedKinds = (line: string): readonly Kind[] => [
  ...NAMED_KINDS.flatMap(([kind, isIn]) => (isIn(line) ? [kind] : [])),
  ...listObjectKinds(line),
];

function listObjectKinds(line: string): readonly Kind[] {
  if (!line.includes("{")) return [];
  const objects = findSpans(line).filter(
    ({ text }) => text.length > 12 && /^\{\s*\\*["'x\\}]/.test(text) && !mentionsServiceHeader(text),
  );
  if (objects.length === 0) return [];
  return objects.some((span) => isLikelyBody(line, span)) ? ["body"] : ["object"];
}
