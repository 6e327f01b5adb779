import type { Buffer } from "../buffer.ts";
import { BYTE, isClosing, isOpening, JsonTokens } from "./json-tokens.ts";

/** A shorter beginning could be the beginning of anything. */
const MIN_BYTES = 8;

/** Whether it is an object in JSON without its end: it has only valid tokens, and is not closed. */
export function isTruncatedJson(bytes: Buffer): boolean {
  if (bytes.length < MIN_BYTES || !startsObject(bytes)) return false;
  const tokens = new JsonTokens(bytes);
  let last = 0;
  while (tokens.next()) {
    // The last token can be cut anywhere.
    const isValid = tokens.end === bytes.length || isToken(bytes, tokens);
    if (tokens.depth <= 0 || !isValid || (endsValue(last) && startsValue(tokens.first))) return false;
    last = bytes[tokens.end - 1] as number;
  }
  return tokens.depth > 0;
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

/** No JSON has a token that ends a value before one that starts a value. */
const endsValue = (last: number): boolean => last === BYTE.quote || isWord(last);
const startsValue = (first: number): boolean =>
  first === BYTE.quote || first === BYTE.minus || isOpening(first) || isWord(first);
