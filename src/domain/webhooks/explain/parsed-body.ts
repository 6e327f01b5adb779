import { Buffer } from "../buffer.ts";
import { type JsonText, parseJsonText } from "./json-text.ts";
import { memoize } from "./variant.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

/** A body that is decoded and parsed when a fault needs it, within the budget. */
export class ParsedBody {
  readonly bytes: Buffer;
  readonly #text: () => string | null;
  readonly #json: () => JsonText | null;

  constructor(received: Uint8Array, work: WorkBudget) {
    const bytes = Buffer.from(received.buffer, received.byteOffset, received.byteLength);
    this.bytes = bytes;
    this.#text = memoize(() => (work.trySpend(bytes.length * COST.byteRead) ? decodeUtf8(bytes) : null));
    this.#json = memoize(() => (this.text === null ? null : parseJsonText(bytes, this.text, work)));
  }

  /** Null unless the bytes are UTF-8. */
  get text(): string | null {
    return this.#text();
  }

  /** Null unless the text is JSON. */
  get json(): JsonText | null {
    return this.#json();
  }
}

// Not a fatal TextDecoder: jest's jsdom has none.
function decodeUtf8(bytes: Buffer): string | null {
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : null;
}
