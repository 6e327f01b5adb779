import type { Day } from "./dates.ts";
import type { LiquidationStatus, ProtestStatus } from "./rules/code-lists.ts";
import type { WarningCode } from "./rules/warnings.ts";

/** The two layouts of an entry file (diligence-model §1). */
export type Layout = "entry" | "es003";

/** The types of the kinds of fields. The kinds with a question mark can be null. */
export interface FieldTypes {
  line: number;
  entryNumber: string;
  text: string;
  "text?": string | null;
  texts: readonly string[];
  textByName: Readonly<Record<string, string>>;
  day: Day;
  "day?": Day | null;
  cents: number;
  boolean: boolean;
  "liquidationStatus?": LiquidationStatus | null;
  "protestStatus?": ProtestStatus | null;
  warnings: readonly WarningCode[];
}

// The fields of an entry, with the kind of each. They are in groups because a dataset row has other fields between them
// (diligence-model §3). Types, reading from storage, dataset columns and the contract's schema follow from this table.

export const FILED_FIELDS = {
  /** The physical line of the entry's first row (header = 1). */
  line: "line",
  /** 11 characters, no dashes. */
  entryNumber: "entryNumber",
  entryTypeCode: "text",
  /** With its dash. A social security number is masked (`***-**-1234`). */
  importerNumber: "text",
  importerName: "text?",
  portOfEntryCode: "text?",
  entryDate: "day",
  /** Null when blank: interest then starts at `entryDate`. */
  entrySummaryDate: "day?",
  countryOfOriginCode: "text",
  htsNumber: "text?",
  /** Written as `9903.01.24`. */
  chapter99Numbers: "texts",
  enteredValueCents: "cents",
  baseDutyCents: "cents",
  ieepaDutyCents: "cents",
  otherChapter99DutyCents: "cents",
} as const;

export const LIQUIDATION_FIELDS = {
  /** Null only in the es003 layout. */
  liquidationStatus: "liquidationStatus?",
  liquidationDate: "day?",
} as const;

export const PROTEST_FIELDS = { protestNumber: "text?", protestStatus: "protestStatus?" } as const;

export const NOTE_FIELDS = {
  /** Sorted, each once. */
  warnings: "warnings",
  /** Unknown columns by header; always empty in the es003 layout. */
  extra: "textByName",
} as const;

export const ENTRY_FIELDS = {
  ...FILED_FIELDS,
  ...LIQUIDATION_FIELDS,
  reconciliation: "boolean",
  drawback: "boolean",
  ...PROTEST_FIELDS,
  protestDecisionDate: "day?",
  ...NOTE_FIELDS,
} as const;

export type EntryField = keyof typeof ENTRY_FIELDS;

/** One accepted entry. Amounts are integer cents. */
export type Entry = { readonly [Field in EntryField]: FieldTypes[(typeof ENTRY_FIELDS)[Field]] };
