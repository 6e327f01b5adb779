import { Buffer } from "node:buffer";
import { countKnownHeadings } from "../../../domain/entries/header.ts";
import { ADDED_COLUMNS } from "../../../domain/entries/rejected-rows.ts";

/** Headings of a dataset that no export of entries has. */
const DATASET_HEADINGS: readonly string[] = [
  "classification",
  "ieepaDutyCents",
  "interestCents",
  "nextDeadline",
];

/**
 * Names the table of this tool that a file is, by its headings, whatever its name: in a folder of entry files it would be
 * sent as one. Null for any other file. Tables of rejected rows have the headings of their entry file, so they are none.
 */
export function recognizeOwnOutput(headings: readonly string[]): string | null {
  const has = (heading: string) => headings.includes(heading);
  if (has("entryNumber") && DATASET_HEADINGS.some(has)) return "a dataset of this tool";
  if (countKnownHeadings(headings) > 0) return null;
  if (has("jobId")) return "a table of results of this tool";
  return has("file") && (has("seller") || has("seller_name")) ? "a manifest of a batch" : null;
}

/** Whether the last headings are those that `check --rejected-csv` adds. */
export function hasRejectedRowHeadings(headings: readonly string[]): boolean {
  const last = headings.slice(-ADDED_COLUMNS.length);
  // A heading that the entry file has already gets a number.
  return ADDED_COLUMNS.every((name, index) => last[index]?.replace(/ \(\d+\)$/, "") === name);
}

/** The headings of a table of this tool, none of which has a delimiter in it. A spreadsheet may have written another delimiter. */
export function readHeadings(head: Uint8Array): readonly string[] {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("utf8");
  const [line = ""] = text.replace(/^\ufeff/, "").split(/[\r\n]/, 1);
  return line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
}
