import { StringDecoder } from "node:string_decoder";
import { EntryFileError } from "../entry-file-error.ts";
import { EncodingCheck } from "./encoding-check.ts";
import { recognizeMarkup } from "./file-kind.ts";

const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;

/** Enough for the title of a web page. */
const START_CHARACTERS = 4096;

/** Checks a whole file before its rows are read (diligence-model §1): its encoding, then its line ends, then its kind. */
export class FileCheck {
  readonly #encoding = new EncodingCheck();
  readonly #decoder = new StringDecoder("utf8");
  /** The beginning of the file, without the white space before it. */
  #start = "";
  #isInQuotes = false;
  #hasCr = false;
  /** Decides against CR as line end, so that one line of most files is read. */
  #hasLf = false;

  /** @throws EntryFileError FILE_ENCODING */
  push(bytes: Uint8Array): void {
    this.#encoding.push(bytes);
    for (let at = 0; at < bytes.length && !this.#hasLf; at += 1) this.#findLineEnd(bytes[at] ?? 0);
    if (this.#start.length >= START_CHARACTERS) return;
    this.#start = (this.#start + this.#decoder.write(bytes)).trimStart().slice(0, START_CHARACTERS);
  }

  /** @throws EntryFileError FILE_ENCODING, LINE_ENDS or NOT_A_TABLE */
  end(): void {
    this.#encoding.end();
    if (this.#hasCr && !this.#hasLf)
      throw new EntryFileError(
        "LINE_ENDS",
        1,
        "The lines end with CR alone, as in files of old Macintosh programs. Save the file as CSV UTF-8, or replace each CR with a line feed.",
      );
    const kind = recognizeMarkup(this.#start);
    if (kind === null) return;
    const message = `The file is ${kind}, not a text table. Open it in a spreadsheet and save it as CSV UTF-8.`;
    throw new EntryFileError("NOT_A_TABLE", 1, message);
  }

  /** Outside quotes: a cell may hold line ends. A doubled quote opens and closes. */
  #findLineEnd(byte: number): void {
    if (byte === QUOTE) this.#isInQuotes = !this.#isInQuotes;
    if (this.#isInQuotes) return;
    if (byte === CR) this.#hasCr = true;
    if (byte === LF) this.#hasLf = true;
  }
}
