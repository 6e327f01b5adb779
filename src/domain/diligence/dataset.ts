import { quoteCsvCell } from "../csv.ts";
import { formatDay, formatOptionalDay } from "../entries/dates.ts";
import type { LiquidationStatus, ProtestStatus, WarningCode } from "../entries/entry.ts";
import type { ClassifiedEntry } from "./classified-entry.ts";
import type { Classification, Grade, Route } from "./classify.ts";

/** One row of the dataset (diligence-model §3); dates are `YYYY-MM-DD`, amounts integer cents. */
export interface DatasetRow {
  line: number;
  entryNumber: string;
  entryTypeCode: string;
  importerNumber: string;
  importerName: string | null;
  portOfEntryCode: string | null;
  entryDate: string;
  entrySummaryDate: string | null;
  countryOfOriginCode: string;
  htsNumber: string | null;
  chapter99Numbers: readonly string[];
  enteredValueCents: number;
  baseDutyCents: number;
  ieepaDutyCents: number;
  otherChapter99DutyCents: number;
  interestCents: number;
  liquidationStatus: LiquidationStatus | null;
  liquidationDate: string | null;
  daysSinceLiquidation: number | null;
  classification: Classification;
  route: Route;
  grade: Grade;
  deadlines: DatasetDeadlines;
  nextDeadline: string | null;
  protestNumber: string | null;
  protestStatus: ProtestStatus | null;
  warnings: readonly WarningCode[];
  extra: Readonly<Record<string, string>>;
}

export interface DatasetDeadlines {
  cape: string | null;
  reliquidation: string | null;
  protest: string | null;
  summons: string | null;
}

/** The dataset's row of an accepted entry. */
export function toDatasetRow(classified: ClassifiedEntry): DatasetRow {
  const { entry, deadlines } = classified;
  return {
    line: entry.line,
    entryNumber: entry.entryNumber,
    entryTypeCode: entry.entryTypeCode,
    importerNumber: entry.importerNumber,
    importerName: entry.importerName,
    portOfEntryCode: entry.portOfEntryCode,
    entryDate: formatDay(entry.entryDate),
    entrySummaryDate: formatOptionalDay(entry.entrySummaryDate),
    countryOfOriginCode: entry.countryOfOriginCode,
    htsNumber: entry.htsNumber,
    chapter99Numbers: entry.chapter99Numbers,
    enteredValueCents: entry.enteredValueCents,
    baseDutyCents: entry.baseDutyCents,
    ieepaDutyCents: entry.ieepaDutyCents,
    otherChapter99DutyCents: entry.otherChapter99DutyCents,
    interestCents: classified.interestCents,
    liquidationStatus: entry.liquidationStatus,
    liquidationDate: formatOptionalDay(entry.liquidationDate),
    daysSinceLiquidation: classified.daysSinceLiquidation,
    classification: classified.classification,
    route: classified.route,
    grade: classified.grade,
    deadlines: {
      cape: formatOptionalDay(deadlines.cape),
      reliquidation: formatOptionalDay(deadlines.reliquidation),
      protest: formatOptionalDay(deadlines.protest),
      summons: formatOptionalDay(deadlines.summons),
    },
    nextDeadline: formatOptionalDay(classified.nextDeadline),
    protestNumber: entry.protestNumber,
    protestStatus: entry.protestStatus,
    warnings: entry.warnings,
    extra: entry.extra,
  };
}

type CellValue = string | number | null;

const CSV_CELLS: Readonly<Record<string, (row: DatasetRow) => CellValue>> = {
  line: (row) => row.line,
  entryNumber: (row) => row.entryNumber,
  entryTypeCode: (row) => row.entryTypeCode,
  importerNumber: (row) => row.importerNumber,
  importerName: (row) => row.importerName,
  portOfEntryCode: (row) => row.portOfEntryCode,
  entryDate: (row) => row.entryDate,
  entrySummaryDate: (row) => row.entrySummaryDate,
  countryOfOriginCode: (row) => row.countryOfOriginCode,
  htsNumber: (row) => row.htsNumber,
  chapter99Numbers: (row) => row.chapter99Numbers.join(";"),
  enteredValueCents: (row) => row.enteredValueCents,
  baseDutyCents: (row) => row.baseDutyCents,
  ieepaDutyCents: (row) => row.ieepaDutyCents,
  otherChapter99DutyCents: (row) => row.otherChapter99DutyCents,
  interestCents: (row) => row.interestCents,
  liquidationStatus: (row) => row.liquidationStatus,
  liquidationDate: (row) => row.liquidationDate,
  daysSinceLiquidation: (row) => row.daysSinceLiquidation,
  classification: (row) => row.classification,
  route: (row) => row.route,
  grade: (row) => row.grade,
  deadlineCape: (row) => row.deadlines.cape,
  deadlineReliquidation: (row) => row.deadlines.reliquidation,
  deadlineProtest: (row) => row.deadlines.protest,
  deadlineSummons: (row) => row.deadlines.summons,
  nextDeadline: (row) => row.nextDeadline,
  protestNumber: (row) => row.protestNumber,
  protestStatus: (row) => row.protestStatus,
  warnings: (row) => row.warnings.join(";"),
  extra: (row) => formatExtra(row.extra),
};

const CSV_READERS = Object.values(CSV_CELLS);

/** The columns of the dataset as CSV: lists joined with `;`, deadlines flattened, `extra` as one JSON cell. */
export const DATASET_COLUMNS: readonly string[] = Object.keys(CSV_CELLS);

/** The header record, with its CRLF. */
export function formatDatasetCsvHeader(): string {
  return `${DATASET_COLUMNS.join(",")}\r\n`;
}

/** One record (RFC 4180), with its CRLF. */
export function formatDatasetCsvRecord(row: DatasetRow): string {
  return `${CSV_READERS.map((read) => formatCsvCell(read(row))).join(",")}\r\n`;
}

function formatCsvCell(value: CellValue): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const safe = escapeFormula(value);
  return quoteCsvCell(safe);
}

const PLAIN_NUMBER = /^[+-]?\d+(\.\d+)?$/;

/** A spreadsheet runs a cell that starts like a formula (OWASP "CSV injection"): `'` makes it text. */
function escapeFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
}

// The columns are the file's own, unknown until the last row: one JSON cell can be streamed, columns cannot.
function formatExtra(extra: Readonly<Record<string, string>>): string | null {
  return Object.keys(extra).length === 0 ? null : JSON.stringify(extra);
}
