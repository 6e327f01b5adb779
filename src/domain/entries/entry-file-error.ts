/** Faults of a whole file (diligence-model §1): they end the job as failed, without report or dataset. */
export const FILE_ERROR_CODES = [
  "FILE_ENCODING",
  "DELIMITER_UNSUPPORTED",
  "CSV_MALFORMED",
  "HEADER_DUPLICATE",
  "REQUIRED_COLUMN_MISSING",
  "NO_DATA_ROWS",
  "ROW_WIDTH",
  "TOO_MANY_ENTRIES",
  "AMOUNT_OVERFLOW",
] as const;

export type FileErrorCode = (typeof FILE_ERROR_CODES)[number];

/** Thrown for a fault of the file; `message` is a sentence for people, `line` a physical line (header = 1). */
export class EntryFileError extends Error {
  override readonly name = "FileFault";
  readonly code: FileErrorCode;
  readonly line: number | null;

  constructor(code: FileErrorCode, line: number | null, message: string) {
    super(message);
    this.code = code;
    this.line = line;
  }
}
