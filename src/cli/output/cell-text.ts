import { quoteCsvCell } from "../../domain/csv.ts";
import { sanitizeLine } from "./sanitize.ts";

/** A value as the text of one cell for a program: lists joined with `;`, a record as JSON, nothing for null. */
export function formatCellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(formatCellText).join(";");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Tab-separated: no header, nothing cut off, and no character that would end a cell early. */
export const formatTabbedLine = (values: readonly unknown[]): string =>
  `${values.map((value) => sanitizeLine(formatCellText(value))).join("\t")}\n`;

/** RFC 4180; a cell that a spreadsheet would run as a formula is left as it is, since programs read this. */
export const formatCsvLine = (values: readonly unknown[]): string =>
  `${values.map((value) => quoteCsvCell(formatCellText(value))).join(",")}\r\n`;
