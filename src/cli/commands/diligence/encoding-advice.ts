import { Buffer, isAscii, isUtf8 } from "node:buffer";
import { recognizeUtf16 } from "../../../domain/entries/csv/file-kind.ts";

/** What is known about a file that is not UTF-8. */
export interface EncodingFindings {
  /** As `iconv` names it; null if it cannot be guessed. */
  readonly encoding: string | null;
  /** The first line that is not UTF-8, in a file that has other lines in UTF-8. */
  readonly mixedLine: number | null;
  readonly endsInNul: boolean;
}

/** @param bytes the file, or a long part of it from its start */
export function examineEncoding(bytes: Uint8Array): EncodingFindings {
  const wide = recognizeUtf16(bytes);
  const text = Buffer.from(bytes).toString("latin1");
  const lines = text.split("\n").map((line) => Buffer.from(line, "latin1"));
  const firstBad = lines.findIndex((line) => !isUtf8(line));
  const hasUtf8 = lines.some((line) => !isAscii(line) && isUtf8(line));
  const isMixed = wide === null && firstBad !== -1 && hasUtf8;
  const isWestern = firstBad !== -1 && !hasUtf8 && !IMPLAUSIBLE.some((form) => form.test(text));
  return {
    encoding: wide ?? (isWestern ? "WINDOWS-1252" : null),
    mixedLine: isMixed ? firstBad + 1 : null,
    endsInNul: wide === null && /^[^\0]+\0+$/.test(text),
  };
}

/** Of Windows-1252, Western names have single letters between others, and punctuation that is not between letters. */
const IMPLAUSIBLE: readonly RegExp[] = [
  // Letters of DOS and old Macintosh programs.
  /[\x81-\x84\x86-\x90\x98\x9a-\x9f]/,
  // A capital letter between small ones, or signs between letters.
  /[a-z][\xc0-\xde][a-z]/,
  /[A-Za-z][\x80\x85\x91\x93-\x97\x99\xa1-\xbf\xd7\xf7][A-Za-z]/,
  // A text in another script.
  /[\xc0-\xff]{3}/,
];
