import { Buffer } from "../buffer.ts";
import { type JsonText, parseJsonText } from "./json-text.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

/** A body that is decoded and parsed when a fault needs it, within the budget. */
export class ParsedBody {
  readonly bytes: Buffer;
  readonly #work: WorkBudget;
  #text: string | null | undefined;
  #json: JsonText | null | undefined;

  constructor(bytes: Uint8Array, work: WorkBudget) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#work = work;
  }

  /** Null unless the bytes are UTF-8. */
  get text(): string | null {
    if (this.#text === undefined)
      this.#text = this.#work.trySpend(this.bytes.length * COST.byteRead) ? decodeUtf8(this.bytes) : null;
    return this.#text;
  }

  /** Null unless the text is JSON. */
  get json(): JsonText | null {
    if (this.#json === undefined)
      this.#json = this.text === null ? null : parseJsonText(this.bytes, this.text, this.#work);
    return this.#json;
  }
}

// Not a fatal TextDecoder: jest's jsdom has none.
function decodeUtf8(bytes: Buffer): string | null {
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : null;
}
