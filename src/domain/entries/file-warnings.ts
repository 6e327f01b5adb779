/** What a warning about a whole file means, and what to do (diligence-model §1). */
export const FILE_WARNING_MESSAGES = {
  AMOUNTS_IMPLAUSIBLE:
    "The IEEPA duty is more than twice the entered value, as low as a rate, or equal in entries of different values, or the processing fee is above its maximum. Check whether columns are swapped or filled down, a decimal point or the rows with the value are missing, or the duty is a rate or in another unit.",
  CELLS_SHIFTED:
    "Rows have an amount that an unquoted thousands comma split, so that the cells behind it stand one column too far right, or a number in a last column without a heading. Write cells with a comma in quotes, and amounts without one.",
  CELL_HOLDS_ROWS:
    "A cell in quotes holds lines that look like rows, which are then not read. Look for a quote that is missing or too many.",
  COLUMNS_UNRECOGNIZED:
    "No column takes some headings. A cell under a misspelled heading is not read: correct the heading.",
  COLUMN_TWICE:
    "Two headings name one column, and some row has different values in them. Only one is read: remove the other.",
  DATE_ORDER_MIXED:
    "Cells of a date column have the day first, or a spreadsheet swapped day and month in it, so that others may be read wrong. Write YYYY-MM-DD.",
  DATE_ORDER_UNPROVEN:
    "No date with slashes has a day above 12, so that the file does not show whether day or month is first. The month is read first. Write YYYY-MM-DD.",
  DECIMAL_COMMA_MIXED:
    "Amounts have a decimal comma, so that others such as 1,234 may be read a thousand times too high. Save the file with decimal points.",
  ENTRIES_IMPLAUSIBLE:
    "A fifth of the entries or more have what is then no chance: summary dates far from the entry dates, IEEPA duties above the totals, on days without one or beside the numbers of other tariffs, or protests without a liquidation. Look whether columns, or day and month, are swapped.",
  ENTRY_HAS_LINES:
    "Rows with one entry number differ, so that the first one is not the whole entry. Add up the rows of an entry, or use the report ES-003.",
  ENTRY_ROWS_WITHOUT_NUMBER:
    "A report leaves the entry number blank below the first row of an entry. Let it show all duplicate values, or fill the column down.",
  HEADINGS_DIFFER:
    "A second heading line has other columns than the first one, or in another order, and the rows below it are read under the first one. Submit the two exports apart.",
  IEEPA_ROWS_ABSENT:
    "Entries list the numbers of IEEPA tariffs, and none of their rows has the duty of one, so that their claim is 0. Export one row for each tariff number.",
  LINE_DUTY_REPEATED:
    "Each tariff row has the duty of the whole line or entry, so that the sum is too high; a warning alone if two tariffs may have one rate. Export Line Tariff Duty Amount.",
  LIQUIDATION_COLUMNS_ABSENT:
    "The ES-003 export lacks liquidation columns. Without the status, each entry is liquidation_unknown. Add them to the report.",
  NO_FINAL_LINE_END:
    "The last line has no end, as in a file that was cut off. Compare its last row with the export.",
  ROWS_REPEATED:
    "Rows of an entry mean the same, and line number or tariff ordinal do not tell them apart. If an export was pasted twice, the claim is too high: remove the copies.",
  TARIFF_ROWS_ABSENT:
    "A tariff ordinal stands in more rows than the one before it, so that tariff rows are missing, and their duty is not counted. Look for a filter of the report or of a spreadsheet.",
  TEMPLATE_ROW_LEFT:
    "The example of `claims diligence template` stands among the entries, and counts as one. Remove its rows.",
} as const;

export type FileWarningCode = keyof typeof FILE_WARNING_MESSAGES;

export interface FileWarning {
  readonly code: FileWarningCode;
  /** `stop`: `check` fails, and `submit` and `batch` do not send the file. */
  readonly severity: "stop" | "warn";
  readonly detail: string;
  /** Headings: those of the file that it is about, or those that the file lacks. */
  readonly columns?: string[];
  /** Unknown headings that are close to the heading of an absent column. */
  readonly similar?: { heading: string; closest: string }[];
  /** Unknown headings whose cells may decide a route. */
  readonly important?: string[];
  readonly rows?: number;
  readonly entries?: number;
  /** The first ones. A row's line is where it begins (header = 1). */
  readonly lines?: number[];
}

const MAX_LISTED_LINES = 10;

/** Counts rows, and keeps the lines of the first ones. */
export class LineList {
  count = 0;
  readonly first: number[] = [];

  add(line: number): void {
    if (this.count < MAX_LISTED_LINES) this.first.push(line);
    this.count += 1;
  }

  /** The warning about these rows; none if there are none. */
  warn(
    code: FileWarningCode,
    severity: FileWarning["severity"],
    detail: string,
    about: Pick<FileWarning, "columns" | "rows" | "entries"> = { rows: this.count },
  ): FileWarning[] {
    return this.count === 0 ? [] : [{ code, severity, detail, ...about, lines: this.first }];
  }

  /** `line 3`, or `lines 3, 4 and 12 more`. */
  toString(): string {
    const more = this.count - this.first.length;
    return `line${this.count === 1 ? "" : "s"} ${this.first.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  }
}
