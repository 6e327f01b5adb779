import { Buffer, isAscii, isUtf8 } from "node:buffer";
import { basename } from "node:path";
import { HEAD_BYTES, recognizeOtherFile, recognizeUtf16 } from "../../../domain/entries/csv/file-kind.ts";
import { EntryFileError, type FileErrorCode } from "../../../domain/entries/entry-file-error.ts";
import { MAX_UPLOAD_MIB } from "../../../domain/entries/upload-limit.ts";
import { ClaimsError, rejectedError } from "../../../domain/errors.ts";
import { toShellWord } from "../../../domain/shell.ts";
import type { Context } from "../../context.ts";
import { type InputFile, openInput } from "../../files/input-file.ts";
import type { BaseInvocation } from "../../framework/command.ts";

/** Refuses an empty file, and a pipe longer than the largest upload. */
export async function openEntryFile(
  context: Context,
  path: string,
  onEnd: BaseInvocation["onEnd"],
): Promise<InputFile> {
  const file = await openInput(context, path, { maxPipeMib: MAX_UPLOAD_MIB });
  onEnd(file.close);
  if (file.size > 0) return file;
  throw fileEmptyError(file);
}

export const fileEmptyError = ({ displayName }: InputFile): ClaimsError =>
  rejectedError("file_empty", `${displayName} is empty`, {
    hint: "give a CSV file with a header and entries",
  });

/** A chunk has at most 1 MiB. */
const MAX_EXAMINED_CHUNKS = 16;

export const notTextTableError = (displayName: string, kind: string): ClaimsError =>
  rejectedError("not_a_text_table", `${displayName} is ${kind}, not a text table`, { hint: CHECK_KIND });

const CHECK_KIND = "check that it is the right file; in Excel or Google Sheets, save it as CSV UTF-8";

interface FaultyFile {
  readonly displayName: string;
  /** Null for another fault than the encoding. */
  readonly findings: EncodingFindings | null;
  /** The first character that separates cells in other files. */
  readonly delimiter: string | undefined;
  readonly headerLine: number | null;
}

/** A command that rewrites the file, for any POSIX shell. The copy has another name: the file must not be its own output. */
function rewriteWith(command: string, displayName: string): string {
  if (displayName === "stdin") return `put this into the pipe: ${command}`;
  const copy = `fixed-${basename(displayName)}`;
  return `rewrite it: ${command} < ${toShellWord(displayName)} > ${toShellWord(copy)}`;
}

const SAVE_AS_UTF8 = 'in Excel, save it as "CSV UTF-8" (File, Save As); in Google Sheets, download it as CSV';

function adviseEncoding({ displayName, findings }: FaultyFile): string {
  if (findings?.endsInNul)
    return "it ends in NUL bytes, as a copy or a download that was not finished: copy or export it again";
  if (findings?.mixedLine)
    return `the file mixes encodings: line ${findings.mixedLine} is not UTF-8, and other lines are; correct its letters in a text editor, or export both parts again as CSV UTF-8`;
  if (!findings?.encoding) return `open it in the program that made it, and ${SAVE_AS_UTF8}`;
  return `${SAVE_AS_UTF8}; or ${rewriteWith(`iconv -f ${findings.encoding} -t UTF-8`, displayName)}`;
}

const CORRECT_QUOTES =
  "a cell with a comma, a quote or a line end stands in quotes, and a quote in it is written twice: a spreadsheet does so when it saves the file as CSV";

/** The step in Excel, Google Sheets or the report tool comes first, and a command after it. */
const HINTS: Readonly<Record<Exclude<FileErrorCode, "NOT_A_TABLE">, (file: FaultyFile) => string>> = {
  FILE_ENCODING: adviseEncoding,
  DELIMITER_UNSUPPORTED: ({ displayName, delimiter }) =>
    `${SAVE_AS_UTF8}; or ${rewriteWith(
      `python3 -c 'import csv, sys; csv.writer(sys.stdout).writerows(csv.reader(sys.stdin, delimiter="${delimiter === "\t" ? "\\t" : delimiter}"))'`,
      displayName,
    )}`,
  CSV_MALFORMED: () => CORRECT_QUOTES,
  LINE_ENDS: ({ displayName }) => `${SAVE_AS_UTF8}; or ${rewriteWith("tr '\\r' '\\n'", displayName)}`,
  HEADER_DUPLICATE: () => "delete the column in the spreadsheet; if the file needs both, rename one heading",
  REQUIRED_COLUMN_MISSING: ({ displayName, headerLine }) =>
    headerLine === null
      ? "add the column to the report, or rename the heading that the file has for it; `claims help entry-files` explains the format"
      : `in the spreadsheet, delete the rows above the header; or ${rewriteWith(`tail -n +${headerLine}`, displayName)}`,
  NO_DATA_ROWS: () => "check the filter and the period of the export: it found no entry",
  ROW_WIDTH: () => CORRECT_QUOTES,
  TOO_MANY_ENTRIES: () => "export shorter periods: keep the rows of an entry in one file",
  AMOUNT_OVERFLOW: () => "check the amounts of that entry, or export shorter periods",
};

/** The failure of an offline check of a file that cannot be read as entries. */
export async function toEntryFileFailure(file: InputFile, error: unknown): Promise<ClaimsError> {
  if (!(error instanceof EntryFileError)) throw error;
  const { displayName } = file;
  const start: Uint8Array[] = [];
  for await (const bytes of file.chunks()) if (start.push(bytes) === MAX_EXAMINED_CHUNKS) break;
  const [first = new Uint8Array()] = start;
  const head = first.subarray(0, HEAD_BYTES);
  const { code, headerLine, line, message } = error;
  const kind = recognizeOtherFile(head);
  if (kind !== null || code === "NOT_A_TABLE") return notTextTableError(displayName, kind ?? "markup");
  const delimiter = /[;\t|]/.exec(Buffer.from(head).toString("latin1"))?.[0];
  const isNamed = line === null || new RegExp(`\\bline ${line}\\b`, "i").test(message);
  const location = isNamed ? displayName : `${displayName}, line ${line}`;
  const findings = code === "FILE_ENCODING" ? examineEncoding(Buffer.concat(start)) : null;
  return new ClaimsError("rejected", code, `${location}: ${message} (${code})`, {
    hint: HINTS[code]({ displayName, findings, delimiter, headerLine }),
  });
}

/** What is known about a file that is not UTF-8. */
interface EncodingFindings {
  /** As `iconv` names it; null if it cannot be guessed. */
  readonly encoding: string | null;
  /** The first line that is not UTF-8, in a file that has other lines in UTF-8. */
  readonly mixedLine: number | null;
  readonly endsInNul: boolean;
}

/** @param bytes the file, or a long part of it from its start */
function examineEncoding(bytes: Uint8Array): EncodingFindings {
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
  // A text in another script; two of its letters in an encoding of two bytes, as in GBK.
  /[\xc0-\xff]{3}|[\x80-\xff]{4}/,
];
