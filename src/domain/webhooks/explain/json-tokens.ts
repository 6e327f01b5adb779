import type { Buffer } from "../buffer.ts";

/** Bytes with a meaning in JSON (RFC 8259 §2). */
export const BYTE = {
  quote: 0x22,
  backslash: 0x5c,
  comma: 0x2c,
  colon: 0x3a,
  openList: 0x5b,
  closeList: 0x5d,
  openRecord: 0x7b,
  closeRecord: 0x7d,
  lineFeed: 0x0a,
  space: 0x20,
  minus: 0x2d,
};

export const isSpace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
export const isOpening = (byte: number): boolean => byte === BYTE.openList || byte === BYTE.openRecord;
export const isClosing = (byte: number): boolean => byte === BYTE.closeList || byte === BYTE.closeRecord;
const isPunctuation = (byte: number): boolean =>
  byte === BYTE.comma || byte === BYTE.colon || isOpening(byte) || isClosing(byte);
const endsLiteral = (byte: number): boolean => isSpace(byte) || isPunctuation(byte) || byte === BYTE.quote;

/**
 * Walks the tokens of JSON text without checking their order. A cursor instead of a list of tokens: a body of a megabyte
 * can have a million of them.
 */
export class JsonTokens {
  readonly #bytes: Uint8Array;
  start = 0;
  end = 0;
  /** The first byte of the token, which shows its kind. */
  first = 0;
  hasEscape = false;
  /** Lists and records that are open after the token. */
  depth = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Moves to the next token; false at the end. */
  next(): boolean {
    const bytes = this.#bytes;
    let at = this.end;
    while (at < bytes.length && isSpace(bytes[at] as number)) at += 1;
    this.start = at;
    this.end = at;
    if (at === bytes.length) return false;
    this.first = bytes[at] as number;
    this.hasEscape = false;
    if (this.first === BYTE.quote) this.end = this.#findStringEnd(at + 1);
    else if (isPunctuation(this.first)) {
      this.end = at + 1;
      if (isOpening(this.first)) this.depth += 1;
      else if (isClosing(this.first)) this.depth -= 1;
    } else {
      while (at < bytes.length && !endsLiteral(bytes[at] as number)) at += 1;
      this.end = at;
    }
    return true;
  }

  /** After the last quote, or the end of the text if there is none. */
  #findStringEnd(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    while (at < bytes.length && bytes[at] !== BYTE.quote) {
      if (bytes[at] === BYTE.backslash) {
        this.hasEscape = true;
        at += 1;
      }
      at += 1;
    }
    return Math.min(at + 1, bytes.length);
  }
}

/** An object in JSON of fewer bytes could be the beginning of anything. */
const TRUNCATED_START = /^(?=[\s\S]{8})\s*\{\s*"/;

/** Whether it is an object in JSON without its end, and each token before that is one of JSON. */
export function isTruncatedJson(bytes: Buffer): boolean {
  if (!TRUNCATED_START.test(bytes.toString("latin1", 0, 1_024))) return false;
  const tokens = new JsonTokens(bytes);
  let last = 0;
  while (tokens.next()) {
    const { first, end, depth } = tokens;
    // The last token can be cut anywhere.
    const isValid = end === bytes.length || isToken(bytes, tokens);
    if (!isValid || depth === 0 || (endsValue(last) && startsValue(first))) return false;
    last = bytes[end - 1] as number;
  }
  return true;
}

function isToken(bytes: Buffer, { first, start, end }: JsonTokens): boolean {
  if (first === BYTE.quote || isPunctuation(first)) return true;
  return /^(true|false|null|-?\d+(\.\d+)?([eE][+-]?\d+)?)$/.test(bytes.toString("latin1", start, end));
}

const isWord = (byte: number): boolean => /\w/.test(String.fromCharCode(byte));

/** No JSON has a token that ends a value before one that starts a value. */
const endsValue = (last: number): boolean => last === BYTE.quote || isWord(last);
const startsValue = (first: number): boolean =>
  first === BYTE.quote || first === BYTE.minus || isOpening(first) || isWord(first);
