import { EntryFileError } from "../entry-file-error.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const CR = 0x0d;
const LF = 0x0a;
const BOM = [0xef, 0xbb, 0xbf];

/**
 * Recognizes a file that ends its lines with CR alone, as a reader does for which CR ends a cell: its quoted cells may hold
 * LF (diligence-model §1, `LINE_ENDS`). The first LF outside quotes decides against it, so that it reads one line of others.
 */
export class LineEndsCheck {
  #hasLf = false;
  #hasCr = false;
  #isInQuotes = false;
  /** Whether the last byte was a quote inside quotes, which closes the cell unless another one follows. */
  #isAfterQuote = false;
  #isAtCellStart = true;
  #position = 0;

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && !this.#hasLf; at += 1) this.#read(bytes[at] ?? 0);
  }

  /** @throws EntryFileError LINE_ENDS */
  end(): void {
    if (this.#hasLf || !this.#hasCr) return;
    const message =
      "The lines end with CR alone, as in files of old Macintosh programs. Save the file as CSV UTF-8, or replace each CR with a line feed.";
    throw new EntryFileError("LINE_ENDS", 1, message);
  }

  #read(byte: number): void {
    const isBom = byte === BOM[this.#position];
    this.#position += 1;
    if (isBom) return;
    if (this.#isInQuotes) {
      if (byte !== QUOTE) return;
      this.#isInQuotes = false;
      this.#isAfterQuote = true;
      return;
    }
    if (byte === QUOTE && (this.#isAfterQuote || this.#isAtCellStart)) this.#isInQuotes = true;
    this.#isAfterQuote = false;
    this.#isAtCellStart = byte === COMMA || byte === CR;
    if (byte === CR) this.#hasCr = true;
    if (byte === LF) this.#hasLf = true;
  }
}
