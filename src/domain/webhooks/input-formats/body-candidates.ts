import { Buffer } from "node:buffer";
import { isRecord, parseJsonText } from "../../json.ts";
import { decodeEntities, undoBytesRepr, unescapeLiteral } from "../explain/body-encodings.ts";
import { decodeBase64, decodeHex, decodePercent, readBufferJson, toBuffer } from "../explain/encodings.ts";

/** Bytes that may be the body of a delivery. */
export interface BodyCandidate {
  readonly bytes: Buffer;
  /** How much its name and its form say that it is the body. */
  readonly score: number;
  /** What the record has, if that only may stand for these bytes. */
  readonly written?: Buffer | undefined;
  /** Whether it is the end of a line of text. */
  readonly isAtLineEnd?: boolean;
}

/** What a record has in place of a body that the program did not have. */
export const NULL_BODY = Buffer.from("null");

/** From this score on, it is taken for the body. */
export const MIN_BODY_SCORE = 3;

const startsJson = (text: string): boolean => /^\s*[[{]/.test(text);
const isJson = (found: string | Buffer): boolean =>
  startsJson(typeof found === "string" ? found : found.toString("latin1", 0, 8));

/** How a field has a body: `postData.text`, `body.as_bytes`, `payload.0`. */
const IN_BODY = /[._-](?:raw|text|content|data|string|value|bytes|buffer|base64|b64|hex|json|\d+)$/i;

/** What a field's path says: `req.rawBody`, `postData.text`, `content`. */
function scoreName(path: string): number {
  // The name before counts for a word that only says how the body is written; other fields of a `jsonPayload` are none.
  const near = path
    .split(".")
    .slice(IN_BODY.test(path) ? -2 : -1)
    .join(".");
  if (/(?:^|[._-])(?:res|resp|response|reply)(?:[._-]|$)|response_?body|resbody/i.test(path)) return -10;
  if (/(?:^|[._-])raw$|raw[_-]?(?:body|request|payload|data|content|text)|body[_-]?raw/i.test(near)) return 5;
  if (/body|payload|postdata/i.test(near)) return 4;
  return /content$|data$|text$|message$|msg$|event$|request$|input$/i.test(path) ? 1 : 0;
}

/** The type of an event in a payload, also in escaped text. */
const EVENT = /type\W{3,12}[a-z]+(?:[._][a-z]+){1,4}\W/;

export const isEvent = (text: string): boolean => EVENT.test(text.slice(0, 4_000));

/** A value that holds bytes in a notation that is no text: a Buffer, an array of numbers. Null for others. */
export function readBytes(value: unknown): Buffer | null {
  const list = Array.isArray(value) ? value : isRecord(value) && "0" in value ? Object.values(value) : [];
  return readBufferJson(value) ?? (list.length > 1 ? toBuffer(list) : null);
}

/**
 * The bytes that a field of a record can stand for, the most likely first: programs write a body as text, base64, hex,
 * percent-encoded, or as a literal with escapes. The one that verifies is the body.
 */
export function listBodyCandidates(
  path: string,
  value: unknown,
  isBase64: boolean,
): readonly BodyCandidate[] {
  const score = scoreName(path);
  if (score < 0) return [];
  // A program that has no raw body logs null, and hashes a word such as undefined.
  if (value === null) return [{ bytes: NULL_BODY, score }];
  const bytes = readBytes(value);
  if (bytes) return [{ bytes, score: score + 2 }];
  if (typeof value !== "string") return [];
  const decoded = isBase64 || /base64|b64/i.test(path) ? decodeBase64(value.trim()) : null;
  if (decoded) return [{ bytes: decoded, score: score + 3 }];
  // Chats escape these three characters.
  const unescaped = /&(?:amp|lt|gt);/.test(value) ? [decodeEntities(value)] : [];
  // The text itself comes after what it decodes to, if only that is JSON.
  return [value, ...listDecodings(value), ...unescaped].map((each, index) => ({
    bytes: Buffer.from(each as string),
    score: score + (isJson(each) ? 2 : 0) + (isEvent(value) ? 2 : 0) - index / 8,
    written: index === 0 ? undefined : Buffer.from(value),
  }));
}

function listDecodings(text: string): (string | Buffer)[] {
  const trimmed = text.trim();
  if (startsJson(trimmed)) return unescapeText(trimmed);
  const word = trimmed.replace(/^(["'])(.*)\1$/s, "$2");
  const found = [
    undoBytesRepr({ text: trimmed }),
    ...unescapeText(word),
    /^[A-Za-z0-9+/_-]{16,}={0,2}$/.test(word) ? (decodeHex(word) ?? decodeBase64(word)) : null,
    decodePercent(word),
  ].filter((each) => each !== null);
  return found.filter(isJson);
}

/** The text that was escaped as in a string of JSON, Python or nginx (`\x22`); none for text without a backslash. */
function unescapeText(text: string): string[] {
  if (!text.includes("\\")) return [];
  // With quotes as they are, as Python and Ruby print text in other quotes; JSON itself has escapes too.
  if (!/^[[{](?:\s|\\+[nrt])*\\+"/.test(text)) {
    const bytes = /\\x[89a-f]/i.test(text) ? undoBytesRepr({ text: `b'${text}'` }) : null;
    return [...(bytes ? [bytes.toString()] : []), unescapeLiteral(text)];
  }
  const value = parseJsonText(`"${text}"`);
  return typeof value === "string" ? [value, ...unescapeText(value)] : [text.replace(/\\(["\\/])/g, "$1")];
}
