import { readFileSync } from "node:fs";
import type { DiligenceReport } from "../../src/domain/diligence/assessment.ts";
import { Assessment } from "../../src/domain/diligence/assessment.ts";
import type { ClassifiedEntry } from "../../src/domain/diligence/entry-classifier.ts";
import { FileCheck } from "../../src/domain/entries/csv/file-check.ts";
import { parseIsoDay } from "../../src/domain/entries/dates.ts";
import type { Entry } from "../../src/domain/entries/entry.ts";
import { EntryFileError } from "../../src/domain/entries/entry-file-error.ts";
import type { Rejection } from "../../src/domain/entries/rules/row-error-messages.ts";
import { quoteCsvCell } from "../../src/domain/text.ts";

const AS_OF = parseIsoDay("2026-11-20") ?? 0;
export const SELLER = "Harbor & Pine Trading, LLC";
export const OPTIONS = { asOf: AS_OF, sellerName: SELLER, requiresProtestDocumentation: true };

export function fixture(name: string): Buffer {
  return readFileSync(new URL(`../../fixtures/${name}`, import.meta.url));
}

export interface FileResult {
  entries: ClassifiedEntry[];
  report: DiligenceReport;
  assessment: Assessment;
}

/** Splits the bytes into chunks of these sizes, repeatedly. */
export function* splitIntoChunks(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** Reads a whole file as `check` and the sandbox do: it is checked, read, and read again if rows are to be compared. */
export function readEntryFile(
  file: string | Uint8Array,
  sizes: readonly number[] = [65_536],
  options = OPTIONS,
): FileResult {
  const bytes = typeof file === "string" ? Buffer.from(file) : file;
  const check = new FileCheck();
  for (const chunk of splitIntoChunks(bytes, sizes)) check.push(chunk);
  check.end();
  const entries: ClassifiedEntry[] = [];
  const assessment = new Assessment(options, (entry) => entries.push(entry));
  for (const chunk of splitIntoChunks(bytes, sizes)) assessment.push(chunk);
  finish(assessment);
  const second = assessment.startSecondPass();
  if (second) {
    for (const chunk of splitIntoChunks(bytes, sizes)) second.push(chunk);
    second.end();
  }
  return { entries, report: assessment.report(), assessment };
}

/** Completes all entries. */
export const finish = (assessment: Assessment): number => [...assessment.finish()].length;

/** Code and line of the error that ends the reading; throws if the file is readable. */
export function readFileError(
  file: string | Uint8Array,
  sizes?: readonly number[],
): { code: string; line: number | null } {
  try {
    readEntryFile(file, sizes);
  } catch (error) {
    if (error instanceof EntryFileError) return { code: error.code, line: error.line };
    throw error;
  }
  throw new Error("The file has no error.");
}

const ENTRY_DEFAULTS: Readonly<Record<string, string>> = {
  entry_number: "BND-0000002-9",
  entry_type_code: "01",
  importer_number: "00-4519380AA",
  entry_date: "2025-09-02",
  country_of_origin_code: "VN",
  entered_value: "10000.00",
  ieepa_duty_paid: "2000.00",
  liquidation_status: "NOT_LIQUIDATED",
};

/** A file in the entry layout with one valid row, except for these columns. */
export function createFileWithRow(changes: Readonly<Record<string, string>> = {}): string {
  const cells = { ...ENTRY_DEFAULTS, ...changes };
  return `${Object.keys(cells).join(",")}\n${Object.values(cells).map(quoteCsvCell).join(",")}\n`;
}

/** The only entry of a file; throws if it was rejected. */
export function readOnlyEntry(file: string): Entry {
  const { entries, report } = readEntryFile(file);
  const [only] = entries;
  if (only === undefined) throw new Error(`Rejected: ${JSON.stringify(report.rejections)}`);
  return only.entry;
}

export function codesOf(rejection: Rejection | undefined): string[] {
  return rejection?.errors.map((error) => error.code) ?? [];
}

/** The codes with which a file's only entry is rejected; empty if it is accepted. */
export function listRejectionCodes(file: string): string[] {
  return codesOf(readEntryFile(file).report.rejections[0]);
}
