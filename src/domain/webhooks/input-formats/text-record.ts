import { Buffer } from "node:buffer";
import { parseJsonText } from "../../json.ts";
import { literalToJson } from "../explain/body-encodings.ts";
import { SIGNATURE_HEADER } from "../headers.ts";
import { type BodyCandidate, isEvent, listBodyCandidates } from "./body-candidates.ts";
import type { HeaderPair } from "./delivery.ts";
import { mentionsServiceHeader } from "./header-notation.ts";
import { isRefusalInWords } from "./logged-delivery.ts";
import { isDigest, listMissing, listValuesInText, saysSignatureMissing } from "./signature-values.ts";

/** The value of JSON, or of what Python, Ruby or Node print of an object; undefined for other text. */
export const parseLiteral = (text: string): unknown => {
  const value = parseJsonText(text);
  if (value !== undefined) return value;
  const json = literalToJson(text);
  return json === null ? undefined : parseJsonText(json);
};

/** A header of the service in text, whatever is around its name and its value. */
const HEADER_IN_TEXT =
  /x[-_. ]?service[-_. ]?(signature|timestamp|event)[\\"'`]*\]?\s*(=>|[:=|\t]|,|\s)\s*(?:string\(\d+\)\s)?(?:\[|\(|\{|b?\\*["'`])*([^\s"'`\\,;\])}|<]+)/gi;

/** Other headers that say something of the body. */
const CONTENT_HEADER =
  /\b(content-(?:length|type|encoding))[\\"']*(?:\s*(?:=>|[:=,])\s*| {2,})(?:\[|\\*["'])*([\w./+-]+)/gi;

/** After a space or a comma, words go on: `missing X-Service-Signature header`. */
const VALUE_AFTER_SPACE = { signature: /\d/, timestamp: /^\d/, event: /\w\.\w/ } as const;

/** What programs print of a header that is not there. */
const NO_VALUE = /^(?:null|undefined|None|nil|<nil>|false|missing)$/;

/** The headers that a text names; none if the text names none of the service. One that was not there has an empty value. */
export function findHeadersInText(text: string): readonly HeaderPair[] {
  const found = [...text.matchAll(HEADER_IN_TEXT)].flatMap(
    ([, word = "", separator = "", value = ""]): HeaderPair[] => {
      const kind = word.toLowerCase() as keyof typeof VALUE_AFTER_SPACE;
      if (/^[\s,]/.test(separator) && !VALUE_AFTER_SPACE[kind].test(value)) return [];
      const name = `X-Service-${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
      // A full stop ends the sentence, or is what ngrep shows of the CR.
      return [[name, NO_VALUE.test(value) ? "" : value.replace(/\.$/, "")]];
    },
  );
  const hasSignature = found.some(([name]) => name === SIGNATURE_HEADER);
  if (!hasSignature && mentionsServiceHeader(text) && saysSignatureMissing(text))
    found.push([SIGNATURE_HEADER, ""]);
  // Logs print a header twice: in a list, and on its own.
  const distinct = found.filter(
    ([name, value], index) =>
      value !== "-" && found.findIndex((each) => each[0] === name && each[1] === value) === index,
  );
  if (distinct.length === 0) return [];
  return [
    ...distinct,
    ...[...text.matchAll(CONTENT_HEADER)].map(([, name = "", value = ""]): HeaderPair => [name, value]),
  ];
}

/** A piece of JSON in a text, with its place. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Spans to look at in one text. */
const MAX_SPANS = 64;
const MAX_FAILURES = 8;

/** The end of the object that begins there, its strings read as JSON's; -1 without one. */
function findObjectEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\") at += 1;
    else if (character === '"') {
      for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === "\\") at += 1;
    } else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

/** The end of the quoted text that begins there, before its closing quote; -1 without one. */
function findQuote(text: string, start: number, quote: string): number {
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === quote) return at;
  }
  return -1;
}

/** Of a template, in a line of source code that a traceback shows; a tuple of Elixir and Erlang, such as a header. */
const NO_OBJECT = /^\{(?:\w[\w.:!]*\}$|\s*(?:<<)?"(?:[^"\\]|\\.){0,1000}"(?:>>)?\s*,)/;

/** The objects in a text, outermost first, and those in quotes to their quote. */
export function findSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  let failures = 0;
  for (let at = text.indexOf("{"); at >= 0 && spans.length < MAX_SPANS; at = text.indexOf("{", at)) {
    const quote = text[at - 1] ?? "";
    const quoted = /["'`]/.test(quote) ? findQuote(text, at, quote) : -1;
    // Within quotes, the first one in it is escaped or of another kind.
    const isQuoted = quoted > at && text.slice(at + 1, at + 8).trimStart()[0] !== quote;
    const end = isQuoted ? quoted : findObjectEnd(text, at);
    // Each failure reads to the end of the text.
    if (end < 0) failures += 1;
    if (failures > MAX_FAILURES) break;
    const span = text.slice(at, end);
    if (end > at && !NO_OBJECT.test(span)) spans.push({ start: at, end, text: span });
    at = Math.max(end, at + 1);
  }
  return spans;
}

const ESCAPED = /^[[{](?:\s|\\+[nrt])*\\+"/;

/** Enough for JSON without a label, also if only what it decodes to is the body. */
const SPAN_SCORE = 1.5;

const MAX_LABEL = 40;
const LABEL =
  /(?:body|payload|content|postdata|raw)[\w ]*[\\"')\]]*\s*(?:=>|[:=|,\t])?\s*(?:b|r|u)?[\\"'`(<]*$/i;
const toShape = (text: string): string => text.replace(/\d/g, "0");

/**
 * Text of several lines without what a log writes before each of them: a time, a name, spaces.
 * @param prefix what the first line has before the text
 */
function removeLinePrefix(text: string, prefix: string): string | null {
  const [first = "", ...lines] = text.split("\n");
  if (lines.length === 0 || prefix === "") return null;
  const shape = toShape(prefix);
  if (!lines.every((line) => toShape(line.slice(0, prefix.length)) === shape)) return null;
  return [first, ...lines.map((line) => line.slice(prefix.length))].join("\n");
}

/** A name of the body, and what is between the name and its value. */
const BODY_LABEL =
  /(?<![\w.])(?:raw|req(?:uest)?|http)?[._ -]?(?:raw|body|payload|content|data)(?:[._ -]?(?:raw|text|body|string|bytes|b64|base64)|[._ ]?[([](?:b64|base64)[)\]])?(?:[\\"'`]*\s*(?:=>|[:=])\s*|\s+(?:was|is)?:?\s*)/gi;
const CONSTANT =
  /^(?:undefined|null|None|nil|Array|\[object \w+\]|\{\}|\[\]|b?""|b?''|<empty>|\(empty\)|)(?=$|[\s,;)\]}|])/;
/** What a program printed of bytes that it did not read as JSON. */
const OTHER_NOTATION = /^(?:<Buffer [^>\n]*>|b(["']).*\1)/;

const BASE64_WORD = /^[A-Za-z0-9+/_-]{16,}={0,2}/;

/** A body that is no object: a word in its place, nothing, or an object that the log cut. */
function findOtherBodies(text: string, spans: readonly Span[]): readonly BodyCandidate[] {
  return [...text.matchAll(BODY_LABEL)].flatMap(({ index, 0: label }) => {
    const start = index + label.length;
    if (spans.some((span) => span.start <= start + 1 && start < span.end)) return [];
    const rest = text.slice(start, start + MAX_CUT_BODY);
    const [constant] = CONSTANT.exec(rest.split("\n", 1)[0] ?? "") ?? [];
    if (constant !== undefined && (constant !== "" || /[=:]/.test(label))) {
      const bare = constant.replace(/^b?(""|'')$|^[<(]empty[>)]$/, "");
      return [{ bytes: Buffer.from(bare), score: WORD_SCORE }];
    }
    const [cut] = /^\\*["'`]?(?!\[[ x]\])(?=[[{]\s*\\*["'\w{[])[^\n]+/.exec(rest) ?? [];
    if (cut !== undefined) return listBodyCandidates("body", cut.replace(/^\\*["'`]/, ""), false);
    const [base64] = /(?:b64|base64)\W*$/i.test(label) ? (BASE64_WORD.exec(rest) ?? []) : [];
    if (base64 !== undefined) return listBodyCandidates("body", base64, true);
    const [notation] = OTHER_NOTATION.exec(rest) ?? [];
    return notation === undefined ? [] : listBodyCandidates("body", notation, false);
  });
}

/** Below that of an object with a label. */
const WORD_SCORE = 4;
const MAX_CUT_BODY = 1 << 20;

/** The value after a name in a text: an object, a text in quotes, or a word; null without that name. */
export function readNamedText(text: string, name: string, spans: readonly Span[]): string | null {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const label = new RegExp(`(?<![\\w.])${escaped}(?:["'\`]?\\s*(?:=>|[:=])\\s*|\\s+)`).exec(text);
  if (label === null) return null;
  const start = label.index + label[0].length;
  const span = spans.find((each) => each.start <= start + 1 && start < each.end);
  if (span) return span.text;
  const [word = "", , quoted] =
    /^(["'`])((?:\\.|(?!\1)[^\\])*)\1|^[^\s,;)\]}]+/.exec(text.slice(start)) ?? [];
  return quoted ?? word;
}

const hasLabel = (text: string, { start }: Span): boolean =>
  LABEL.test(text.slice(Math.max(0, start - MAX_LABEL), start));

/** Whether an object in a text has a name of the body before it, or an event in it. */
export const isLikelyBody = (text: string, span: Span): boolean => hasLabel(text, span) || isEvent(span.text);

/** What a text has that can be the body: the objects in it, and what stands after a name of the body. */
export const findBodiesInText = (text: string, spans: readonly Span[]): readonly BodyCandidate[] => [
  ...spans.flatMap((span) => listBodiesOfSpan(text, span)),
  ...findOtherBodies(text, spans),
];

/** An object in a text as the body, without the escapes of its quotes and what the log writes before each line. */
function listBodiesOfSpan(text: string, span: Span): readonly BodyCandidate[] {
  const { start, end, text: own } = span;
  const isQuoted = /["'`]/.test(text[start - 1] ?? "");
  const plain = isQuoted ? own.replace(/\\(['`])/g, "$1") : own;
  const bare = removeLinePrefix(plain, text.slice(text.lastIndexOf("\n", start - 1) + 1, start));
  const path = hasLabel(text, span) ? "body" : "";
  const isAtLineEnd = /^[ \t]*\r?$/.test(text.slice(end).split("\n", 1)[0] ?? "");
  return [plain, bare]
    .flatMap((each) => (each === null ? [] : listBodyCandidates(path, each, false)))
    .map((each) => {
      const score = each.score + SPAN_SCORE;
      // Within quotes, the escapes are of the log: what they stand for arrived.
      if (!isQuoted || !ESCAPED.test(own)) return { ...each, score, isAtLineEnd };
      const isEscaped = each.written === undefined;
      return { ...each, score: isEscaped ? each.score : score, written: undefined, isAtLineEnd };
    });
}

const FACT = /(?:^|[\s,[({])([A-Za-z_][\w.-]{1,40})(?:=|:\s?(?="))("?)([^\s",\])}{]{1,160})\2/g;
/** Before a signature, it is no name: `expected sha256=…`. */
const ALGORITHM = /^(?:hmac[-_]?)?(?:sha-?(?:1|256|384|512)|v1)$/i;
/** What a text says in other forms, by the names of the groups. */
const OTHER_FACTS = [
  // Of a body: `length 412`, `412 bytes`.
  /(?:\b(?:length|len|bytes|size)[ :=]{1,3}|\b(?=\d{1,9} bytes\b))(?<length>\d{1,9})\b/i,
  // RFC 5424 and RFC 3164.
  /^(?:<\d{1,3}>)?(?:1 \S+|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S+) (?<host>[\w.-]+) (?<app>[\w./-]+)(?:\[\d+\])?(?::| )/,
  // What kubectl and docker compose write before each line of one of several.
  /^(?:\[pod\/(?<pod>[\w.-]+)\/[\w.-]+\] |(?<container>[\w.-]+-\d+) +\| )/,
  /(?:\b(?:POST|PUT) "?|path: ?|path=")(?<path>(?:https?:\/\/[^\s"/]+)?\/[^\s"?]*)/i,
  /(?:\b(?:status(?:[_ ]?code)?|response|responded|returned|answered|completed|sent|responding|HTTP\/[\d.]+"?)\W{1,3}(?:with |status |code )*|\b(?:POST|PUT) \/\S* |(?:->|=>|→|<--?|\d\/\+?\d+)\s+)(?<status>[1-5]\d\d)\b/i,
  /(?<logged_time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?|\b\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})/,
];

/**
 * What a text says beside the delivery: `name=value`, signatures and timestamps after any words, that it was refused, and
 * the facts in other forms. Not the headers of the service: findHeadersInText finds them.
 */
export function* readTextFacts(text: string, spans: readonly Span[]): Generator<Fact> {
  // From the last one, so that the places of the others stay right.
  const outside = spans.reduceRight(
    (rest, { start, end }) => `${rest.slice(0, start)}{}${rest.slice(end)}`,
    text,
  );
  const values = [...listValuesInText(outside)];
  // What stands around a signature says more than its name.
  const isListed = ([, value]: Fact) => isDigest(value) && values.some((each) => each[1] === value);
  const assigned = [...outside.matchAll(FACT)]
    .map(([, name = "", , value = ""]) => [name, value] as const)
    .filter((each) => !ALGORITHM.test(each[0]) && !isListed(each));
  for (const [name, value] of [...listMissing(outside), ...assigned, ...values])
    if (!mentionsServiceHeader(name)) yield [name, value];
  if (isRefusalInWords(outside)) yield ["result", "rejected"];
  for (const pattern of OTHER_FACTS)
    for (const [name, value] of Object.entries(pattern.exec(outside)?.groups ?? {}))
      if (value) yield [name, value];
}

type Fact = readonly [name: string, value: string];
