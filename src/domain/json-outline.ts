import { ByteCollector } from "./byte-collector.ts";
import { parseExactJson } from "./json.ts";

/** Enough for the members of an object. A list of a million rows is not one. */
const MAX_OUTLINE_BYTES = 1 << 20;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
/** Of a bracket to its brace. */
const TO_BRACE = 0x20;

const isText = (byte: number): boolean => byte > 0x20;

/** The first JSON value of a text that arrives in pieces, with all lists in it empty: a dataset may be larger than the memory. */
export class JsonOutline {
  readonly #outer = new ByteCollector();
  #depth = 0;
  /** The depth of the list that is left out; 0 outside of one. */
  #listDepth = 0;
  #isInString = false;
  /** The objects in the list that is left out, and in the longest one so far. */
  #objects = 0;
  #mostObjects = 0;
  /** Bytes at the start of the next piece that belong to an escape: 0 or 1. */
  #skipped = 0;
  #hasEnded = false;
  #isFollowed = false;

  push(bytes: Uint8Array): void {
    if (this.#hasEnded) {
      this.#isFollowed ||= bytes.some(isText);
      return;
    }
    // Local variables: a dataset has hundreds of megabytes.
    const { length } = bytes;
    let depth = this.#depth;
    let listDepth = this.#listDepth;
    let isInString = this.#isInString;
    let hasEnded = false;
    let keptFrom = 0;
    let at = this.#skipped;
    for (; at < length && !hasEnded; at += 1) {
      const byte = bytes[at] as number;
      if (isInString) {
        if (byte === QUOTE) isInString = false;
        else if (byte === BACKSLASH) at += 1;
      } else if (byte === QUOTE) isInString = true;
      else if (byte === OPENING_BRACKET || byte === OPENING_BRACKET + TO_BRACE) {
        depth += 1;
        if (depth === listDepth + 1 && byte !== OPENING_BRACKET) this.#objects += 1;
        if (listDepth === 0 && byte === OPENING_BRACKET) {
          listDepth = depth;
          this.#objects = 0;
          this.#outer.append(bytes.subarray(keptFrom, at + 1));
        }
      } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACKET + TO_BRACE) {
        if (depth === listDepth) {
          keptFrom = at;
          listDepth = 0;
          this.#mostObjects = Math.max(this.#mostObjects, this.#objects);
        }
        depth -= 1;
        hasEnded = depth === 0;
      }
    }
    if (listDepth === 0) this.#outer.append(bytes.subarray(keptFrom, at));
    this.#depth = depth;
    this.#listDepth = listDepth;
    this.#isInString = isInString;
    this.#skipped = Math.max(0, at - length);
    this.#isFollowed = hasEnded && bytes.subarray(at).some(isText);
    this.#hasEnded = hasEnded || this.#outer.length > MAX_OUTLINE_BYTES;
  }

  /** The number of objects in its longest list: the rows of a dataset. */
  get rows(): number {
    return this.#mostObjects;
  }

  /** Whether other text follows the value, as in NDJSON. */
  get isFollowed(): boolean {
    return this.#isFollowed;
  }

  /** Undefined if the text is not JSON, or its outline is too long. */
  read(): unknown {
    return this.#outer.length > MAX_OUTLINE_BYTES
      ? undefined
      : parseExactJson(this.#outer.bytes().toString());
  }

  /** Whether the first list has begun, or the value has ended: no row has arrived before. */
  get hasStart(): boolean {
    return this.#hasEnded || this.#listDepth > 0;
  }

  /** As {@link read}; in the middle of a list, the members that have arrived. Around a list, there are only objects. */
  readStart(): unknown {
    if (this.#hasEnded || this.#listDepth === 0) return this.read();
    return parseExactJson(`${this.#outer.bytes()}]${"}".repeat(this.#listDepth - 1)}`);
  }
}
