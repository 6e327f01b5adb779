/** What a warning about a whole file means, and what to do (diligence-model §1). */
export const FILE_WARNING_MESSAGES = {
  COLUMNS_UNRECOGNIZED:
    "No column takes some headings. A cell under a misspelled heading is not read: correct the heading.",
  LIQUIDATION_COLUMNS_ABSENT:
    "The ES-003 export lacks the liquidation columns, so each entry is liquidation_unknown. Add them to the report.",
  ROWS_REPEATED:
    "Rows of an entry are equal in every cell, and line number or tariff ordinal do not tell them apart. If an export was pasted twice, the claim is too high: remove the copies.",
} as const;

export type FileWarningCode = keyof typeof FILE_WARNING_MESSAGES;

export interface FileWarning {
  readonly code: FileWarningCode;
  readonly detail: string;
  /** Headings: those of the file that are not read, or those that it lacks. */
  readonly columns?: string[];
  /** Unknown headings that are close to the heading of an absent column. */
  readonly similar?: { heading: string; closest: string }[];
  readonly rows?: number;
}
