import { Buffer } from "node:buffer";
import { isUtf16, recognizeForeignFile } from "../../../domain/entries/csv/file-kind.ts";
import { EntryFileError, type FileErrorCode } from "../../../domain/entries/entry-file-error.ts";
import { ClaimsError, rejectedError } from "../../../domain/errors.ts";
import { isPlainShellWord, quoteShellWord } from "../../../domain/shell.ts";
import type { InputFile } from "../../files/input-file.ts";

/** Private keys may have a text before them. */
export const HEAD_BYTES = 65_536;

/** @param isSending whether the command would send the file */
export const notTextTableError = (displayName: string, kind: string, isSending = false): ClaimsError =>
  rejectedError(
    "not_a_text_table",
    `${displayName} is ${kind}, not a text table${isSending ? "; it was not sent" : ""}`,
    {
      hint: `check that it is the right file, and save it as CSV${isSending ? "; --no-check sends it as it is" : ""}`,
    },
  );

interface FaultyFile {
  /** For a shell. */
  readonly path: string;
  readonly isUtf16: boolean;
  /** The first character that separates cells in other files. */
  readonly delimiter: string | undefined;
  readonly line: number | null;
  readonly headerLine: number | null;
}

/** What to do about an error of a file. The commands work in any POSIX shell. */
const HINTS: Readonly<Record<FileErrorCode, (file: FaultyFile) => string>> = {
  FILE_ENCODING: ({ path, isUtf16 }) =>
    `convert it: iconv -f ${isUtf16 ? "UTF-16" : "WINDOWS-1252"} -t UTF-8 ${path} > utf8.csv`,
  DELIMITER_UNSUPPORTED: ({ delimiter }) =>
    `name the delimiter, --delimiter ${delimiter === "\t" ? "tab" : `'${delimiter}'`}, or save the file with commas`,
  CSV_MALFORMED: ({ line }) =>
    `correct the quotes on line ${line}: a cell with a comma, a quote or a line end stands in quotes, and a quote in it is written twice`,
  LINE_ENDS: ({ path }) => `convert it: tr '\\r' '\\n' < ${path} > lines.csv`,
  HEADER_DUPLICATE: () => "remove one of the two columns, or rename its heading",
  REQUIRED_COLUMN_MISSING: ({ headerLine, path }) =>
    headerLine === null
      ? 'add the column, or name the heading that the file has for it, as in --map "Entrada=entry_number"; `claims help entry-files` explains the format'
      : `remove them: tail -n +${headerLine} ${path} > table.csv`,
  NO_DATA_ROWS: () => "check the filter and the period of the export: it found no entry",
  ROW_WIDTH: ({ line }) =>
    `correct or remove line ${line}: a cell with a comma stands in quotes, and a row has as many cells as the header`,
  TOO_MANY_ENTRIES: () => "split the file, and submit each part",
  AMOUNT_OVERFLOW: () => "check the amounts of that entry, or split the file",
};

/** The failure of an offline check of a file that cannot be read as entries. */
export async function toEntryFileFailure(file: InputFile, error: unknown): Promise<ClaimsError> {
  if (!(error instanceof EntryFileError)) throw error;
  const { displayName } = file;
  let head: Uint8Array = new Uint8Array();
  for await (const bytes of file.chunks()) {
    head = bytes.subarray(0, HEAD_BYTES);
    break;
  }
  const kind = recognizeForeignFile(head);
  if (kind !== null) return notTextTableError(displayName, kind);
  const delimiter = /[;\t|]/.exec(Buffer.from(head).toString("latin1"))?.[0];
  const { code, headerLine, line, message } = error;
  const location = line === null ? displayName : `${displayName}, line ${line}`;
  const path = isPlainShellWord(displayName) ? displayName : quoteShellWord(displayName);
  return new ClaimsError("rejected", code, `${location}: ${message} (${code})`, {
    hint: HINTS[code]({ path, isUtf16: isUtf16(head), delimiter, line, headerLine }),
  });
}
