import { StringDecoder } from "node:string_decoder";
import { EntryFileError } from "../entry-file-error.ts";
import { EncodingCheck } from "./encoding-check.ts";
import { recognizeMarkup } from "./file-kind.ts";
import { LineEndsCheck } from "./line-ends-check.ts";

/** Enough for the title of a web page. */
const START_CHARACTERS = 4096;

/** Checks a whole file before its rows are read (diligence-model §1): its encoding, then its line ends, then its kind. */
export class FileCheck {
  readonly #encoding = new EncodingCheck();
  readonly #lineEnds = new LineEndsCheck();
  readonly #decoder = new StringDecoder("utf8");
  /** Without white space before it. */
  #start = "";

  /** @throws EntryFileError FILE_ENCODING */
  push(bytes: Uint8Array): void {
    this.#encoding.push(bytes);
    this.#lineEnds.push(bytes);
    if (this.#start.length >= START_CHARACTERS) return;
    this.#start = (this.#start + this.#decoder.write(bytes)).trimStart().slice(0, START_CHARACTERS);
  }

  /** @throws EntryFileError FILE_ENCODING, LINE_ENDS or NOT_A_TABLE */
  end(): void {
    this.#encoding.end();
    this.#lineEnds.end();
    const kind = recognizeMarkup(this.#start);
    if (kind === null) return;
    const message = `The file is ${kind}, not a text table. Open it in a spreadsheet and save it as CSV UTF-8.`;
    throw new EntryFileError("NOT_A_TABLE", 1, message);
  }
}
