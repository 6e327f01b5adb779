import { type HeaderList, headerValues } from "../../http-headers.ts";
import { parseJsonText } from "../../json.ts";
import { Buffer } from "../buffer.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { undoLiteral } from "./body-encodings.ts";
import type { BodyContext } from "./body-fault.ts";
import { type Cause, type CauseId, createCause } from "./causes.ts";
import { detectCompression } from "./compression.ts";
import { readConstantText } from "./constant-texts.ts";
import { HMAC_ALGORITHM_BY_HEX_LENGTH } from "./decoded-signatures.ts";
import { findOtherNames } from "./header-names.ts";
import { isTruncatedJson, type ParsedBody } from "./json-text.ts";
import {
  type CandidateSecret,
  isMasked,
  isPlaceholder,
  isTestSecret,
  readPrefixOnly,
  undoSecretFaults,
} from "./secrets.ts";

/** Characters to quote from a delivery: longer text hides the rest of the sentence. */
const MAX_QUOTED = 80;

export const shorten = (text: string): string =>
  text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED - 1)}…` : text;

/** Null without the header, or with an encoding: it then counts compressed bytes. */
export function readContentLength(headers: HeaderList): number | null {
  const [encoding = "identity"] = headerValues(headers, "content-encoding");
  const [text = ""] = headerValues(headers, "content-length");
  return encoding === "identity" && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

const PROXY_HEADER = /^(?:via|forwarded|x-forwarded-\w+|x-(?:amzn|envoy|kong)-[\w-]+)$/i;

/** A proxy that its headers show, to add to evidence; null without one. The name of one stands in `Via` (RFC 9110 §7.6.3). */
export function findProxy(headers: HeaderList): string | null {
  const find = (pattern: RegExp) => headers.find(([name]) => pattern.test(name));
  const [name, value = ""] = find(/^via$/i) ?? find(PROXY_HEADER) ?? [];
  return name === undefined ? null : `; ${name}: ${shorten(value)} shows a proxy before the receiver`;
}

/** A delivery whose signature does not match. */
export interface FailedDelivery extends BodyContext {
  readonly body: ParsedBody;
  readonly secrets: readonly string[];
  readonly candidateSecrets: readonly CandidateSecret[];
  /** The endpoint's `secretPrefix`, if known (interface §2). */
  readonly secretPrefix?: string | undefined;
  readonly isRequest?: boolean | undefined;
  readonly isRefused?: boolean | undefined;
  readonly isParsed?: boolean | undefined;
}

/** Returns the evidence for a cause, or null. Evidence is a contradiction in the input, never a guess. */
type Detector = (input: FailedDelivery) => string | null;

/** What JavaScript, Go, PHP and Java print of an object that was parsed; the body is lost. */
const PRINTED_OBJECT =
  /^(?:\[object \w{1,20}\]\s*$|<Buffer [0-9a-f]{2}|map\[\w|Array\s*(?:\(|$)|\{[A-Za-z]\w{0,40}=)/;

/** What loggers write in place of the middle or the end. */
const ELISION =
  /(?:\.{3}|\u2026|<snip>|\[?(?:truncated|omitted|clipped|abridged)\b|\b\d+ (?:more )?(?:bytes|chars|characters)\b)/i;

const MASK =
  /[*\u2022\u25cf\u2026]|\.{3}|x{6}|#{4}|^\W*(?:filtered|redacted|masked|hidden|removed|secret|none|null|undefined|true|false)\W*$/i;

/** Of a value in a body: also in a word, such as an address or an account. */
const MASKED_VALUE = /\*{3,}|X{6,}|\u2022{3,}|[[<](?:filtered|redacted|masked|hidden)[\]>]/i;

/** The pieces of a text between marks of a part that is missing or hidden. */
export const splitAtGaps = (text: string): readonly string[] => text.split(GAP);

const GAP = new RegExp([ELISION, MASKED_VALUE, /[?\ufffd]+/].map(({ source }) => source).join("|"), "i");

const findInBody =
  (pattern: RegExp, describe: (found: string) => string, isSearched = (_: ParsedBody) => true): Detector =>
  ({ body }) => {
    const [found] = (isSearched(body) && pattern.exec(body.text ?? "")) || [];
    return found === undefined ? null : describe(found);
  };

const findInHeader =
  (name: string, pattern: RegExp, describe: (value: string) => string): Detector =>
  ({ headers }) => {
    const [value = ""] = headerValues(headers, name);
    return pattern.test(value) ? describe(value) : null;
  };

// biome-ignore format: a table, one row a line
const DETECTORS: readonly (readonly [CauseId, Detector])[] = [
  ["secret.empty", ({ secrets }) => describeSecret(secrets, (secret) => secret === "", "is empty")],
  ["secret.placeholder", ({ secrets }) => describeSecret(secrets, isPlaceholder, "is a variable, a template or a path, not what it stands for")],
  ["secret.wrong_credential", ({ secrets }) => describeSecret(secrets, (secret) => /^(?:sk|cs)_/.test(secret), "begins with sk_ or cs_, as API keys and the secrets of OAuth clients do")],
  ["secret.other_endpoint", detectOtherEndpoint],
  ["secret.placeholder", ({ secrets }) => describeSecret(secrets, isMasked, "is masked: a page or a log shows other characters in place of some") ?? describeSecret(secrets, isTestSecret, "looks like a test secret or an example")],
  ["secret.prefix_only", detectPrefixOnly],
  ["headers.missing", detectNoHeaders],
  ["body.empty", ({ body }) => (body.bytes.length === 0 ? "the body has 0 bytes" : null)],
  ["body.constant", detectConstant],
  ["body.compressed", detectCompressedBody],
  ["body.truncated", findInBody(/\.\.\. \d+ more bytes?>/, (mark) => `the log shows only the beginning of a Buffer: ${JSON.stringify(mark)}`)],
  ["body.printed", findInBody(PRINTED_OBJECT, (beginning) => `the body begins with ${JSON.stringify(beginning.trim())}, as programs print what they have parsed`)],
  ["body.printed", ({ body }) => (undoLiteral(body) === null ? null : "the body is an object as Python, Ruby or Node prints it, which shows 1.0 and escapes in another form than the bytes")],
  ["body.truncated", findInBody(ELISION, (mark) => `the body is not JSON, and has ${JSON.stringify(mark)} in place of a part`, ({ text, json }) => json === undefined && /^\s*[[{]/.test(text ?? ""))],
  ["body.truncated", detectTruncation],
  ["body.truncated", detectMaskedValue],
  ["body.replaced_characters", ({ body }) => (body.bytes.includes("\ufffd") ? `U+FFFD at offset ${body.bytes.indexOf("\ufffd")}: a decoder replaced bytes that are not UTF-8` : null)],
  ["body.replaced_characters", detectQuestionMarks],
  ["body.number_reprinted", detectReprintedNumbers],
  ["body.number_reprinted", detectRoundedNumber],
  ["body.reserialized", detectReserialization],
  ["body.printed", detectOtherText],
  ["body.charset", ({ body }) => (body.text === null && parseJsonText(body.bytes.toString("latin1")) !== undefined ? "the body is not UTF-8, and JSON when it is read as Latin-1" : null)],
  ["body.changed", describeLengthMismatch],
  ["timestamp.reformatted", findInHeader(TIMESTAMP_HEADER, /^\s*\d[.,]?\d*[eE]\+?\d\d?\s*$/, (timestamp) => `${shorten(timestamp.trim())} has lost digits, as in a spreadsheet`)],
  ["signature.masked", findInHeader(SIGNATURE_HEADER, MASK, (signature) => `the signature is ${JSON.stringify(shorten(signature))}`)],
  ["signature.algorithm", detectLength],
];

/** The causes that have evidence; of those of the body and of the secret, only the first. */
export function findLikelyCauses(input: FailedDelivery): readonly Cause[] {
  const found = DETECTORS.flatMap(([id, detect]) => {
    const evidence = detect(input);
    return evidence === null ? [] : [createCause(id, "likely", evidence)];
  });
  const ofBody = found.find(({ id }) => id.startsWith("body."));
  const ofSecret = found.find(({ id }) => id.startsWith("secret."));
  return found.filter((each) => each === ofBody || each === ofSecret || !/^(body|secret)\./.test(each.id));
}

function describeSecret(
  secrets: readonly string[],
  isFaulty: (secret: string) => boolean,
  description: string,
): string | null {
  const index = secrets.findIndex(isFaulty);
  return index < 0 ? null : `secret ${index + 1} ${description}`;
}

/** A short secret of another endpoint is no prefix of this one. */
function detectPrefixOnly({ secrets, secretPrefix }: FailedDelivery): string | null {
  const isPrefix = (secret: string) => {
    const beginning = readPrefixOnly(secret);
    return beginning !== null && (secretPrefix?.startsWith(beginning) ?? true);
  };
  return describeSecret(secrets, isPrefix, "is only the beginning of a secret");
}

function detectOtherEndpoint({ secrets, secretPrefix }: FailedDelivery): string | null {
  const given = secrets.filter((secret) => secret !== "");
  if (secretPrefix === undefined || given.length === 0) return null;
  const texts = given.flatMap((secret) => [secret, ...undoSecretFaults(secret)]);
  if (texts.some((text) => text.startsWith(secretPrefix))) return null;
  return `the endpoint's secretPrefix is ${shorten(secretPrefix)}, and no given secret begins with it`;
}

/** Null if Content-Length is unknown or equals the length of the body. */
function describeLengthMismatch({ body, headers }: FailedDelivery): string | null {
  const length = readContentLength(headers);
  if (length === null || length === body.bytes.length) return null;
  return `Content-Length is ${length}, the body has ${body.bytes.length} bytes`;
}

/** By Content-Length; negative without it. */
const countLostBytes = ({ body, headers }: FailedDelivery): number =>
  (readContentLength(headers) ?? 0) - body.bytes.length;

function detectConstant({ body }: FailedDelivery): string | null {
  const text = readConstantText(body.bytes);
  return text === null ? null : `the body is ${text}, and nothing else`;
}

/** Of a record with other headers, none of which has nearly the name of one of the two. */
function detectNoHeaders({ headers }: FailedDelivery): string | null {
  const names = [TIMESTAMP_HEADER, SIGNATURE_HEADER] as const;
  const isThere = (name: (typeof names)[number]) =>
    headerValues(headers, name).length > 0 || findOtherNames(headers, name).some(({ isNear }) => isNear);
  if (headers.length === 0 || names.some(isThere)) return null;
  const [other] = findOtherNames(headers, SIGNATURE_HEADER);
  const note = other
    ? `; ${shorten(other.name)} does not verify in its place, so another service can have sent it`
    : "";
  return `${headers.length} headers arrived, and neither ${TIMESTAMP_HEADER} nor ${SIGNATURE_HEADER}${note}`;
}

/** A body that could not be decompressed, or without a decoder. */
function detectCompressedBody({ body, headers }: FailedDelivery): string | null {
  const compression = detectCompression(body.bytes, headers);
  if (compression === null || body.text !== null) return null;
  return `the body is not text, and looks like ${compression === "br" ? "brotli" : compression}`;
}

/** The end can be in the middle of a character. */
const isTruncated = ({ bytes }: ParsedBody): boolean => isTruncatedJson(bytes.toString("latin1"));

function detectTruncation(input: FailedDelivery): string | null {
  const { bytes } = input.body;
  const early = `the JSON ends too early, at offset ${bytes.length}`;
  return isTruncated(input.body) ? [early, describeLengthMismatch(input) ?? []].flat().join("; ") : null;
}

/** A body that has its Content-Length arrived with these characters. */
function detectMaskedValue(input: FailedDelivery): string | null {
  const [mask] = MASKED_VALUE.exec(input.body.text ?? "") ?? [];
  if (mask === undefined || countLostBytes(input) === 0) return null;
  return `the body has ${JSON.stringify(mask)}, as logs hide a value; if it was sent so, compare the secrets`;
}

/** A character of UTF-8 has up to 4 bytes, and a question mark has one (RFC 3629). */
function detectQuestionMarks(input: FailedDelivery): string | null {
  const { text, bytes, json } = input.body;
  const lost = countLostBytes(input);
  if (text === null || json === undefined || text.length !== bytes.length) return null;
  const [run] = /\?{3,}/.exec(text) ?? [];
  if (readContentLength(input.headers) === null && run !== undefined)
    return `the body is ASCII with ${run} in it, and each ? can stand for a longer character`;
  // That of a URL is none.
  const count = (text.match(/\?(?![\w.~-]+=)/g) ?? []).length;
  if (lost <= 0 || lost > 3 * count) return null;
  return `${describeLengthMismatch(input)}; it is ASCII with ${count} ?, and each can stand for a longer character`;
}

const stringify = ({ printableJson }: ParsedBody): string | undefined => JSON.stringify(printableJson);

/** One without its end is a string, too: otherwise each later quote would start a search to the end of the text. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)/gs;

/** The numbers of JSON, as they are printed. */
export const listNumbers = (json: string): readonly string[] =>
  json.replace(STRING, "").match(/-?\d[\d.eE+-]*/g) ?? [];

/** Printing 10.50 as 10.5 removes a byte, and 1.0 as 1 removes two. */
function detectReprintedNumbers(input: FailedDelivery): string | null {
  const { headers, body, isParsed = false } = input;
  const compact = body.print({ space: "", strings: "javascript" });
  // A log that parses loses white space, too.
  if (compact === null || isParsed) return null;
  const numbers = listNumbers(body.text ?? "");
  // Where one number has kept its zeros, the others have.
  if (numbers.some((number) => /\.\d+0$/.test(number))) return null;
  const short = numbers.filter((number) => /\.[1-9]$/.test(number));
  const isCompact = body.text?.trim() === compact;
  const length = readContentLength(headers);
  if (length === null) {
    const hasLonger = numbers.some((number) => /\.\d\d$/.test(number));
    if (short.length === 0 || (isCompact && !hasLonger)) return null;
    const sign = hasLonger ? "other numbers have two decimals" : "the JSON is not compact";
    return `programs print ${short[0]}0 as ${short[0]}, and ${sign}`;
  }
  const whole = numbers.filter((number) => /^-?\d+$/.test(number)).length;
  const lost = length - Buffer.byteLength(compact);
  const isOfWhole = isCompact && lost % 2 === 0 && lost <= 2 * whole;
  if (length === body.bytes.length || lost <= 0 || !(lost <= short.length || isOfWhole)) return null;
  return `${describeLengthMismatch(input)}; as compact JSON it has ${lost} less, as when 10.50 is printed as 10.5, or 1.0 as 1`;
}

/** Doubles hold 17 digits: JSON.parse rounds a longer number, and JavaScript prints zeros for the rest. */
function detectRoundedNumber({ body: { text, json } }: FailedDelivery): string | null {
  if (json === undefined || text === null) return null;
  const numbers = text.replace(STRING, "").match(/(?<![\d.eE+-])[1-9]\d{17,20}(?![\d.eE])/g) ?? [];
  // A number with few digits before its zeros is round by itself.
  const rounded = numbers.find(
    (digits) => /^\d{14,}[1-9]0+$/.test(digits) && String(Number(digits)) === digits,
  );
  return rounded === undefined
    ? null
    : `${rounded} has ${rounded.length} digits, and is exactly what JavaScript prints of a number that it rounded`;
}

function detectReserialization(input: FailedDelivery): string | null {
  const mismatch = describeLengthMismatch(input);
  const { json, text } = input.body;
  if (mismatch === null || json === undefined || text === null) return null;
  const signs = [
    [/^[[{]\n?\s/.test(text), "is indented"],
    [/\\u[0-9a-f]{4}/.test(text), "has ASCII escapes, as Python and PHP print them"],
    [text.includes("\\/"), "has escaped slashes, as PHP prints them"],
    // To parse and print in the shortest form adds nothing.
    [countLostBytes(input) > 0 && text === stringify(input.body), "is exactly what JSON.stringify prints"],
  ].flatMap(([isFound, sign]) => (isFound ? [sign] : []));
  // Another length alone says that the body was changed, and not how.
  return signs.length > 0 ? `${mismatch}; it ${signs.join(", ")}` : null;
}

/** Text that is no JSON, where the content type says that it is. */
function detectOtherText({ body, headers }: FailedDelivery): string | null {
  const [type = ""] = headerValues(headers, "content-type");
  const isText = body.text !== null && body.json === undefined && body.bytes.length > 0;
  if (!/json/i.test(type) || !isText || isTruncated(body)) return null;
  return `Content-Type is ${shorten(type)}, and the body is no JSON`;
}

function detectLength({ headers }: FailedDelivery): string | null {
  const [signature = ""] = headerValues(headers, SIGNATURE_HEADER);
  const text = signature.trim();
  const algorithm = HMAC_ALGORITHM_BY_HEX_LENGTH.get(text.length);
  if (algorithm === undefined || /[^0-9a-f]/i.test(text)) return null;
  return `the signature has ${text.length} hex digits, as ${algorithm.toUpperCase()} has; HMAC-SHA256 has 64`;
}
