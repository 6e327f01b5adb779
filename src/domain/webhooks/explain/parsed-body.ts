import { Buffer } from "../buffer.ts";
import { type JsonText, readJsonText } from "./json-text.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

/** A body that is read as text and as JSON only where a variation asks, and where the work allows it. */
export class ParsedBody {
  readonly bytes: Buffer;
  readonly #work: WorkBudget;
  #text: string | null | undefined;
  #json: JsonText | null | undefined;

  constructor(bytes: Uint8Array, work: WorkBudget) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#work = work;
  }

  /** Null where the bytes are not UTF-8: no text stands for them. */
  get text(): string | null {
    if (this.#text === undefined)
      this.#text = this.#work.trySpend(this.bytes.length * COST.byteRead) ? decodeUtf8(this.bytes) : null;
    return this.#text;
  }

  /** Null where the text is no JSON. */
  get json(): JsonText | null {
    if (this.#json === undefined)
      this.#json = this.text === null ? null : readJsonText(this.bytes, this.text, this.#work);
    return this.#json;
  }
}

// A TextDecoder could be told to refuse what is not UTF-8, but jest's jsdom has none.
function decodeUtf8(bytes: Buffer): string | null {
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : null;
}
