import type { Day } from "./dates.ts";

/** The two layouts of an entry file (diligence-model §1). */
export type Layout = "entry" | "es003";

/** What a row can be rejected for (diligence-model §1). */
export type RowErrorCode =
  | "AMOUNT_NEGATIVE"
  | "AMOUNT_NOT_NUMERIC"
  | "CHAPTER_99_FORMAT"
  | "COUNTRY_UNKNOWN"
  | "DATE_AMBIGUOUS_DAY_FIRST"
  | "DATE_INVALID"
  | "DATE_IN_FUTURE"
  | "ENTRY_FIELDS_DISAGREE"
  | "ENTRY_NUMBER_BODY_NOT_NUMERIC"
  | "ENTRY_NUMBER_CHARSET"
  | "ENTRY_NUMBER_CHECK_DIGIT"
  | "ENTRY_NUMBER_DUPLICATE"
  | "ENTRY_NUMBER_LENGTH"
  | "ENTRY_NUMBER_SCIENTIFIC"
  | "ENTRY_TYPE_UNKNOWN"
  | "FORMULA_INJECTION"
  | "HTS_LENGTH"
  | "IMPORTER_NUMBER_FORMAT"
  | "LIQUIDATION_BEFORE_ENTRY"
  | "LIQUIDATION_DATE_MISSING"
  | "LIQUIDATION_STATUS_CONFLICT"
  | "LIQUIDATION_STATUS_UNKNOWN"
  | "PORT_CODE_FORMAT"
  | "PROTEST_STATUS_UNKNOWN"
  | "REQUIRED_FIELD_MISSING"
  | "TOTAL_MISMATCH";

/** What was repaired in an accepted entry. */
export type WarningCode =
  | "AMOUNT_FORMATTED"
  | "DATE_US_FORMAT"
  | "ENTRY_NUMBER_REPAIRED"
  | "HTS_NORMALISED"
  | "LEADING_ZERO_RESTORED";

export type FileWarningCode = "LIQUIDATION_COLUMNS_ABSENT";

export type LiquidationStatus = "NOT_LIQUIDATED" | "LIQUIDATED" | "SUSPENDED" | "EXTENDED" | "UNDER_REVIEW";

export type ProtestStatus = "OPEN" | "SUSPENDED" | "DENIED" | "ALLOWED";

/** One accepted entry; amounts in integer cents. `line` is the physical line of its first row (header = 1). */
export interface Entry {
  readonly line: number;
  /** 11 characters, no dashes. */
  readonly entryNumber: string;
  readonly entryTypeCode: string;
  /** Always with its dash; the SSN shape arrives masked (`***-**-1234`). */
  readonly importerNumber: string;
  readonly importerName: string | null;
  readonly portOfEntryCode: string | null;
  readonly entryDate: Day;
  /** As in the file; null when blank (interest then starts at `entryDate`). */
  readonly entrySummaryDate: Day | null;
  readonly countryOfOriginCode: string;
  readonly htsNumber: string | null;
  /** Written as `9903.01.24`. */
  readonly chapter99Numbers: readonly string[];
  readonly enteredValueCents: number;
  readonly baseDutyCents: number;
  readonly ieepaDutyCents: number;
  readonly otherChapter99DutyCents: number;
  /** Null only in the es003 layout. */
  readonly liquidationStatus: LiquidationStatus | null;
  readonly liquidationDate: Day | null;
  readonly reconciliation: boolean;
  readonly drawback: boolean;
  readonly protestNumber: string | null;
  readonly protestStatus: ProtestStatus | null;
  readonly protestDecisionDate: Day | null;
  /** Sorted, each once. */
  readonly warnings: readonly WarningCode[];
  /** Unknown columns by header; always empty in the es003 layout. */
  readonly extra: Readonly<Record<string, string>>;
}

export interface RowError {
  readonly code: RowErrorCode;
  /** The column's own name in the model, whatever the file calls it. */
  readonly column: string;
  readonly detail: string;
}

/** A rejected entry: at its (first) row, each code once, sorted. */
export interface Rejection {
  readonly line: number;
  /** Normalised; null when the cell is blank. */
  readonly entryNumber: string | null;
  readonly errors: readonly RowError[];
}
