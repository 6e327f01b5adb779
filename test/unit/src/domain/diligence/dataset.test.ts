import { parse } from "papaparse";
import { expect, test } from "vitest";
import {
  createCsvWriter,
  DATASET_COLUMNS,
  toDatasetRow,
} from "../../../../../src/domain/diligence/dataset.ts";
import { createFileWithRow, readEntryFile } from "../../../../support/read-entry-file.ts";

const { header, writeRow } = createCsvWriter();

function rowOf(changes: Record<string, string>) {
  const [assessed] = readEntryFile(createFileWithRow(changes)).entries;
  if (assessed === undefined) throw new Error("rejected");
  return toDatasetRow(assessed);
}

test("toDatasetRow returns the dataset fields in their fixed order", () => {
  const row = rowOf({ liquidation_status: "Closed", liquidation_date: "2026-09-01", Memo: "x" });
  expect(Object.keys(row).join(", ")).toBe(
    "line, entryNumber, entryTypeCode, importerNumber, importerName, portOfEntryCode, entryDate, entrySummaryDate, " +
      "countryOfOriginCode, htsNumber, chapter99Numbers, enteredValueCents, baseDutyCents, ieepaDutyCents, " +
      "otherChapter99DutyCents, interestCents, liquidationStatus, liquidationDate, daysSinceLiquidation, " +
      "classification, route, grade, deadlines, nextDeadline, protestNumber, protestStatus, warnings, extra",
  );
  expect(row).toMatchObject({
    entryDate: "2025-09-02",
    entrySummaryDate: null,
    daysSinceLiquidation: 80,
    deadlines: { cape: "2026-11-20", reliquidation: "2026-11-30", protest: "2027-02-28", summons: null },
    nextDeadline: "2026-11-20",
    extra: { Memo: "x" },
  });
});

test("the CSV is that of RFC 4180 with a cell for every column", () => {
  const row = rowOf({ importer_name: 'A "B", C', chapter_99_numbers: "9903.01.24;99030125", Memo: "=1\n2" });
  const text = header + writeRow(row);
  const [cells] = parse<Record<string, string>>(text, { header: true, newline: "\r\n" }).data;
  expect(Object.keys(cells ?? {})).toEqual(DATASET_COLUMNS);
  expect(cells).toMatchObject({
    importerName: 'A "B", C',
    chapter99Numbers: "9903.01.24;9903.01.25",
    warnings: "HTS_NORMALISED",
    extra: '{"Memo":"=1\\n2"}',
    "deadlines.cape": "",
  });
});

test.each([
  ["-x", "'-x"],
  ["-5", "-5"],
  ["-5.00", "-5.00"],
  ["-5+1", "'-5+1"],
  ["plain", "plain"],
])("the CSV has the cell %s as %s", (cell, expected) => {
  const line = writeRow({ ...rowOf({}), protestNumber: cell });
  const [cells] = parse<string[]>(line.trim()).data;
  expect(cells?.[DATASET_COLUMNS.indexOf("protestNumber")]).toBe(expected);
});

test.each(["=1+1", "+1 555", "@x", "\tx", "\rx"])("the CSV quotes the formula %j", (cell) => {
  const line = writeRow({ ...rowOf({}), importerName: cell });
  expect(line).toContain(`'${cell}`);
});
