import { formatDay, formatOptionalDay } from "../entries/dates.ts";
import {
  FILED_FIELDS,
  type FieldTypes,
  LIQUIDATION_FIELDS,
  NOTE_FIELDS,
  PROTEST_FIELDS,
} from "../entries/entry.ts";
import { valueAt } from "../json.ts";
import { escapeFormula, quoteDelimitedCell } from "../text.ts";
import type { Classification, Grade, Route } from "./classify.ts";
import type { ClassifiedEntry, Deadlines } from "./entry-classifier.ts";

/** The fields of a dataset row in their order (diligence-model §3), with the kind of each. */
export const DATASET_FIELDS = {
  ...FILED_FIELDS,
  interestCents: "cents",
  ...LIQUIDATION_FIELDS,
  daysSinceLiquidation: "integer?",
  classification: "classification",
  route: "route",
  grade: "grade",
  deadlines: "deadlines",
  nextDeadline: "day?",
  ...PROTEST_FIELDS,
  ...NOTE_FIELDS,
} as const;

/** The types of the kinds in a dataset: days are `YYYY-MM-DD`. */
interface DatasetTypes extends Omit<FieldTypes, "day" | "day?"> {
  day: string;
  "day?": string | null;
  "integer?": number | null;
  classification: Classification;
  route: Route;
  grade: Grade;
  deadlines: Record<keyof Deadlines, string | null>;
}

type DatasetField = keyof typeof DATASET_FIELDS;

export type DatasetRow = { [Field in DatasetField]: DatasetTypes[(typeof DATASET_FIELDS)[Field]] };

/** Written out, because a loop over the fields makes a million rows take twice as long. */
export function toDatasetRow({ entry, deadlines, ...classified }: ClassifiedEntry): DatasetRow {
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

const FIELDS = Object.keys(DATASET_FIELDS) as readonly DatasetField[];

/** The columns of the dataset as CSV, named by the path in JSON. Each deadline has one, and `extra` is one JSON cell. */
export const DATASET_COLUMNS: readonly string[] = FIELDS.flatMap((field) =>
  field === "deadlines"
    ? ["cape", "reliquidation", "protest", "summons"].map((name) => `deadlines.${name}`)
    : field,
);

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return escapeFormula(value.join(";"));
  // One JSON cell for `extra`, because the columns of the file are unknown until its last row.
  if (typeof value === "object") return Object.keys(value).length === 0 ? "" : JSON.stringify(value);
  return typeof value === "string" ? escapeFormula(value) : String(value);
}

/** Writes a dataset as CSV (RFC 4180). */
export function createCsvWriter(delimiter = ",") {
  const writeLine = (cells: readonly string[]): string =>
    `${cells.map((cell) => quoteDelimitedCell(cell, delimiter)).join(delimiter)}\r\n`;
  return {
    header: writeLine(DATASET_COLUMNS),
    writeRow: (row: DatasetRow): string =>
      writeLine(DATASET_COLUMNS.map((column) => formatCell(valueAt(row, column)))),
  };
}
