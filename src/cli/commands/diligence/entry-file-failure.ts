import { Buffer } from "node:buffer";
import { basename } from "node:path";
import { recognizeForeignFile, recognizeUtf16 } from "../../../domain/entries/csv/file-kind.ts";
import { EntryFileError, type FileErrorCode } from "../../../domain/entries/entry-file-error.ts";
import { ClaimsError, rejectedError } from "../../../domain/errors.ts";
import { toShellWord } from "../../../domain/shell.ts";
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
  readonly displayName: string;
  /** As `iconv` names it. */
  readonly encoding: string;
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

const HINTS: Readonly<Record<FileErrorCode, (file: FaultyFile) => string>> = {
  FILE_ENCODING: ({ displayName, encoding }) => rewriteWith(`iconv -f ${encoding} -t UTF-8`, displayName),
  DELIMITER_UNSUPPORTED: ({ displayName, delimiter }) =>
    rewriteWith(
      `python3 -c 'import csv, sys; csv.writer(sys.stdout).writerows(csv.reader(sys.stdin, delimiter="${delimiter === "\t" ? "\\t" : delimiter}"))'`,
      displayName,
    ),
  CSV_MALFORMED: () =>
    "a cell with a comma, a quote or a line end stands in quotes, and a quote in it is written twice",
  LINE_ENDS: ({ displayName }) => rewriteWith("tr '\\r' '\\n'", displayName),
  HEADER_DUPLICATE: () => "if the file needs both columns, rename one heading",
  REQUIRED_COLUMN_MISSING: ({ displayName, headerLine }) =>
    headerLine === null
      ? "add the column, or rename the heading that the file has for it, as in sed '1s/Entrada/entry_number/'; `claims help entry-files` explains the format"
      : rewriteWith(`tail -n +${headerLine}`, displayName),
  NO_DATA_ROWS: () => "check the filter and the period of the export: it found no entry",
  ROW_WIDTH: () => "a cell with a comma stands in quotes, and a row has as many cells as the header",
  TOO_MANY_ENTRIES: () => "keep the rows of an entry in one part, and submit each part",
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
  const isNamed = line === null || new RegExp(`\\bline ${line}\\b`, "i").test(message);
  const location = isNamed ? displayName : `${displayName}, line ${line}`;
  const encoding = recognizeUtf16(head) ?? "WINDOWS-1252";
  return new ClaimsError("rejected", code, `${location}: ${message} (${code})`, {
    hint: HINTS[code]({ displayName, encoding, delimiter, headerLine }),
  });
}
