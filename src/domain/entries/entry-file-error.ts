/** Errors of a whole file (diligence-model §1). They end the job as failed, without report or dataset. */
export const FILE_ERROR_CODES = [
  "FILE_ENCODING",
  "DELIMITER_UNSUPPORTED",
  "CSV_MALFORMED",
  "LINE_ENDS",
  "NOT_A_TABLE",
  "HEADER_DUPLICATE",
  "REQUIRED_COLUMN_MISSING",
  "NO_DATA_ROWS",
  "ROW_WIDTH",
  "TOO_MANY_ENTRIES",
  "AMOUNT_OVERFLOW",
] as const;

export type FileErrorCode = (typeof FILE_ERROR_CODES)[number];

export class EntryFileError extends Error {
  override readonly name = "EntryFileError";
  readonly code: FileErrorCode;
  /** A physical line (header = 1). */
  readonly line: number | null;
  /** The line that looks like the header, below titles. */
  readonly headerLine: number | null;

  constructor(code: FileErrorCode, line: number | null, message: string, headerLine: number | null = null) {
    super(message);
    this.code = code;
    this.line = line;
    this.headerLine = headerLine;
  }
}

export function delimiterError(delimiter: string): EntryFileError {
  const shown = delimiter === "\t" ? "tabs" : `"${delimiter}"`;
  const message = `The columns are separated by ${shown}. Save the file with commas and submit it again.`;
  return new EntryFileError("DELIMITER_UNSUPPORTED", 1, message);
}
