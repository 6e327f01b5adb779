import { ByteCollector } from "./byte-collector.ts";
import { parseExactJson } from "./json.ts";

/** Enough for the members of an object. A list of a million rows is not one. */
const MAX_OUTLINE_BYTES = 1 << 20;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** Space, tab, line feed and carriage return (RFC 8259 §2). */
const isText = (byte: number): boolean => ![0x20, 0x09, 0x0a, 0x0d].includes(byte);

/** The first JSON value of a text that arrives in pieces, with all lists in it empty: a dataset may be larger than the memory. */
export class JsonOutline {
  readonly #outer = new ByteCollector();
  /** Where the text to keep begins in the piece that is read. */
  #keptFrom = 0;
  /** Lists and objects that are open. */
  #depth = 0;
  /** The depth of the list that is left out; 0 outside of one. */
  #listDepth = 0;
  #isInString = false;
  /** Whether the next byte of the string is escaped. */
  #isEscaped = false;
  /** The objects in the list that is left out, and in the longest one so far. */
  #objects = 0;
  #mostObjects = 0;
  #hasEnded = false;
  #isFollowed = false;

  push(bytes: Uint8Array): void {
    let at = 0;
    this.#keptFrom = 0;
    while (at < bytes.length && !this.#hasEnded)
      at = this.#isInString ? this.#passString(bytes, at) : this.#passBrackets(bytes, at);
    // After the end, this is nothing.
    if (this.#listDepth === 0) this.#keep(bytes.subarray(this.#keptFrom, at));
    if (this.#hasEnded) this.#isFollowed ||= bytes.subarray(at).some(isText);
  }

  /** Returns the place after the string, or after the piece if the string does not end in it. */
  #passString(bytes: Uint8Array, start: number): number {
    let isEscaped = this.#isEscaped;
    for (let at = start; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) {
        this.#isInString = false;
        this.#isEscaped = false;
        return at + 1;
      }
    }
    this.#isEscaped = isEscaped;
    return bytes.length;
  }

  /** Returns the place where a string begins, or where the value or the piece ends. */
  #passBrackets(bytes: Uint8Array, start: number): number {
    for (let at = start; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.#isInString = true;
        return at + 1;
      }
      if (byte === OPENING_BRACE) this.#openObject();
      else if (byte === OPENING_BRACKET) this.#openList(bytes, at);
      else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
        this.#close(at);
        if (this.#hasEnded) return at + 1;
      }
    }
    return bytes.length;
  }

  #openObject(): void {
    this.#depth += 1;
    if (this.#listDepth > 0 && this.#depth === this.#listDepth + 1) this.#objects += 1;
  }

  #openList(bytes: Uint8Array, at: number): void {
    this.#depth += 1;
    if (this.#listDepth > 0) return;
    this.#listDepth = this.#depth;
    this.#objects = 0;
    this.#keep(bytes.subarray(this.#keptFrom, at + 1));
  }

  #keep(bytes: Uint8Array): void {
    if (!this.#isTooLong) this.#outer.append(bytes);
  }

  #close(at: number): void {
    if (this.#depth === this.#listDepth) {
      this.#keptFrom = at;
      this.#listDepth = 0;
      this.#mostObjects = Math.max(this.#mostObjects, this.#objects);
    }
    this.#depth -= 1;
    this.#hasEnded = this.#depth === 0;
  }

  get #isTooLong(): boolean {
    return this.#outer.length > MAX_OUTLINE_BYTES;
  }

  /** The number of objects in its longest list: the rows of a dataset. */
  get rows(): number {
    return this.#mostObjects;
  }

  /** What the text lacks, or has too much of, to be one JSON document around its lists; null if it is one. */
  findFault(): "cut" | "followed" | "malformed" | null {
    if (!this.#hasEnded) return "cut";
    if (this.#isFollowed) return "followed";
    return this.#isTooLong || this.read() !== undefined ? null : "malformed";
  }

  /** Undefined if the text is not JSON, or its outline is too long. */
  read(): unknown {
    return this.#isTooLong ? undefined : parseExactJson(this.#outer.bytes().toString());
  }

  /** Whether the first list has begun, or nothing more is read: no row has arrived before. */
  get hasStart(): boolean {
    return this.#hasEnded || this.#isTooLong || this.#listDepth > 0;
  }

  /** As {@link read}; in the middle of a list, the members that have arrived. Around a list, there are only objects. */
  readStart(): unknown {
    if (this.#hasEnded || this.#listDepth === 0) return this.read();
    return parseExactJson(`${this.#outer.bytes()}]${"}".repeat(this.#listDepth - 1)}`);
  }
}
