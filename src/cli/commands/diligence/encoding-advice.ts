import { Buffer, isAscii, isUtf8 } from "node:buffer";
import { recognizeUtf16, recognizeUtf32 } from "../../../domain/entries/csv/file-kind.ts";
import type { InputFile } from "../../files/input-file.ts";

const MAX_SAMPLE_LENGTH = 65_536;

/** What is known about a file that is not UTF-8. */
export interface EncodingFindings {
  /** As `iconv` names it; null if it cannot be guessed. */
  readonly encoding: string | null;
  /** The first line that is not UTF-8, in a file that has other lines in UTF-8. */
  readonly mixedLine: number | null;
  readonly endsInNul: boolean;
}

/** Reads the whole file. @param head its first bytes */
export async function examineEncoding(file: InputFile, head: Uint8Array): Promise<EncodingFindings> {
  const wide = recognizeUtf32(head) ?? recognizeUtf16(head);
  if (wide !== null) return { encoding: wide, mixedLine: null, endsInNul: false };
  let line = 0;
  let badLine: number | null = null;
  let hasUtf8 = false;
  let endsInNul = false;
  let sample = "";
  for await (const text of splitLines(file)) {
    line += 1;
    if (text.length > 0)
      endsInNul = text.at(-1) === 0 && text.subarray(text.indexOf(0)).every((byte) => byte === 0);
    if (isAscii(text)) continue;
    if (isUtf8(text)) hasUtf8 = true;
    else {
      badLine ??= line;
      if (sample.length < MAX_SAMPLE_LENGTH) sample += `${text.toString("latin1")}\n`;
    }
  }
  const isMixed = hasUtf8 && badLine !== null;
  const encoding = !isMixed && badLine !== null && isPlausible(sample) ? "WINDOWS-1252" : null;
  return { encoding, mixedLine: isMixed ? badLine : null, endsInNul };
}

async function* splitLines(file: InputFile): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const bytes of file.chunks()) {
    let data = Buffer.concat([rest, bytes]);
    for (let end = data.indexOf("\n"); end !== -1; end = data.indexOf("\n")) {
      yield data.subarray(0, end);
      data = data.subarray(end + 1);
    }
    rest = Buffer.from(data);
  }
  if (rest.length > 0) yield rest;
}

/** Of Windows-1252, names of the West have single letters between others, and punctuation that is not between letters. */
const IMPLAUSIBLE: readonly RegExp[] = [
  // Letters of DOS and old Macintosh programs.
  /[\x81-\x84\x86-\x90\x98\x9a-\x9f]/,
  // A capital letter between small ones, or signs between letters.
  /[a-z][\xc0-\xde][a-z]/,
  /[A-Za-z][\x80\x85\x91\x93-\x97\x99\xa1-\xbf\xd7\xf7][A-Za-z]/,
  // A text in another script.
  /[\xc0-\xff]{3}/,
];

const isPlausible = (text: string): boolean => !IMPLAUSIBLE.some((form) => form.test(text));
