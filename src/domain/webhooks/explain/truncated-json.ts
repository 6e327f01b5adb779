import type { Buffer } from "../buffer.ts";
import { BYTE, isClosing, isOpening, JsonTokens } from "./json-tokens.ts";

/** Shorter beginnings are as likely to be anything else. */
const MIN_BYTES = 8;

/** Whether it is JSON whose end is missing: an object that begins, has only tokens of JSON, and is not closed. */
export function isTruncatedJson(bytes: Buffer): boolean {
  if (bytes.length < MIN_BYTES || !startsObject(bytes)) return false;
  const tokens = new JsonTokens(bytes);
  let depth = 0;
  let last = 0;
  while (tokens.next()) {
    if (isOpening(tokens.first)) depth += 1;
    if (isClosing(tokens.first)) depth -= 1;
    // The last token may be cut anywhere.
    const isKnown = tokens.end === bytes.length || isToken(bytes, tokens);
    if (depth <= 0 || !isKnown || (endsValue(last) && startsValue(tokens.first))) return false;
    last = bytes[tokens.end - 1] as number;
  }
  return depth > 0;
}

function startsObject(bytes: Buffer): boolean {
  const tokens = new JsonTokens(bytes);
  return tokens.next() && tokens.first === BYTE.openRecord && tokens.next() && tokens.first === BYTE.quote;
}

function isToken(bytes: Buffer, { first, start, end }: JsonTokens): boolean {
  if (first === BYTE.quote || first === BYTE.comma || first === BYTE.colon) return true;
  if (isOpening(first) || isClosing(first)) return true;
  return /^(true|false|null|-?\d+(\.\d+)?([eE][+-]?\d+)?)$/.test(bytes.toString("latin1", start, end));
}

const isWord = (byte: number): boolean => /\w/.test(String.fromCharCode(byte));

/** Two tokens of which one ends a value and the next begins one cannot follow each other in any JSON. */
const endsValue = (last: number): boolean => last === BYTE.quote || isWord(last);
const startsValue = (first: number): boolean =>
  first === BYTE.quote || first === BYTE.minus || isOpening(first) || isWord(first);
