import { quoteCsvCell } from "../../domain/text.ts";
import { sanitizeLine } from "./sanitize.ts";

/** A value as a cell for programs: lists joined with `;`, records as JSON, nothing for null and for what is empty. */
export function formatCellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(formatCellText).join(";");
  if (typeof value !== "object") return String(value);
  return Object.keys(value).length === 0 ? "" : JSON.stringify(value);
}

/** A tab-separated line, without truncation and without characters that end a cell. */
export const formatTabbedLine = (values: readonly unknown[]): string =>
  `${values.map((value) => sanitizeLine(formatCellText(value))).join("\t")}\n`;

/** RFC 4180. Programs read it, so cells that a spreadsheet runs as a formula are unchanged. */
export const formatCsvLine = (values: readonly unknown[]): string =>
  `${values.map((value) => quoteCsvCell(formatCellText(value))).join(",")}\r\n`;
