import { describe, expect, test } from "vitest";
import { createFileWithRow, readEntryFile, readOnlyEntry } from "../../../../../support/read-entry-file.ts";

/** The error of a file with this cell. */
function readError(cells: Readonly<Record<string, string>>) {
  const [rejection] = readEntryFile(createFileWithRow(cells)).report.rejections;
  return rejection?.errors[0];
}

describe("an HTS number", () => {
  test.each([
    ["8507600020", "8507600020"],
    ["85076000", "85076000"],
    ["8507.60.0020", "8507600020"],
    ["8507.60.00.20", "8507600020"],
    ["8507.60.00 20", "8507600020"],
    ["8507 60 00 20", "8507600020"],
    ["8507.60.00", "85076000"],
    ["8507.6000", "85076000"],
    ["85076000 20", "8507600020"],
    ["0085076000", "85076000"],
    ["0001012100", "01012100"],
  ])("%j is read as %s", (cell, digits) => {
    expect(readOnlyEntry(createFileWithRow({ hts_number: cell })).htsNumber).toBe(digits);
  });

  test.each([
    ["901210010.0", "pandas"],
    ["9012100.0", "pandas"],
    ["8507600020.0", "pandas"],
    ["90121001.00", "pandas"],
    ["8.5076E+09", "scientific"],
    ["901210010", "it is 0901210010 if only a zero was lost"],
    ["8507600020.", "after 4, 6 and 8 digits"],
    ["850760.0020", "after 4, 6 and 8 digits"],
    ["85.07.60.00.20", "after 4, 6 and 8 digits"],
    ["850 7600 020", "after 4, 6 and 8 digits"],
    ["8507..60.0020", "after 4, 6 and 8 digits"],
    ["00850760", "no chapter 00"],
    ["0000850760", "no chapter 00"],
  ])("%j is refused, and the error says %j", (cell, words) => {
    const error = readError({ hts_number: cell });
    expect(error?.code).toBe("HTS_LENGTH");
    expect(error?.detail).toContain(words);
  });
});

test("zeros before a number of eight digits are dropped with a warning, and the duty is that of its tariff", () => {
  const columns =
    "Entry Summary Number,Entry Type Code,Importer Number,Entry Date,Country of Origin Code,HTS Number - Full,Line Tariff Goods Value Amount,Line Tariff Duty Amount";
  const row = "BND00000029,01,00-4519380AA,2025-09-02,VN,0099030124,0,20.00";
  expect(readOnlyEntry(`${columns}\n${row}\n`)).toMatchObject({
    chapter99Numbers: ["9903.01.24"],
    ieepaDutyCents: 2_000,
    warnings: ["HTS_NORMALISED"],
  });
});

describe("a list of chapter 99 numbers", () => {
  test.each([
    ["9903.01.25;99030224", ["9903.01.25", "9903.02.24"]],
    ["9903.01.24; 9903.02.60,9903.01.2510", ["9903.01.24", "9903.02.60", "9903.01.2510"]],
    ["9903.0125", ["9903.01.25"]],
    ["9903.01.25\n9903.02.24", ["9903.01.25", "9903.02.24"]],
    ["9903.01.25.10 | 9903.01.2510", ["9903.01.2510", "9903.01.2510"]],
  ])("%j is read as %j", (cell, numbers) => {
    expect(readOnlyEntry(createFileWithRow({ chapter_99_numbers: cell })).chapter99Numbers).toEqual(numbers);
  });

  test.each(["99030125.0", "9903012.5", "990301.25", "9903012500.0", "9903.01.25.", "9903.01.25;99030.124"])(
    "%j is refused",
    (cell) => {
      expect(readError({ chapter_99_numbers: cell })?.code).toBe("CHAPTER_99_FORMAT");
    },
  );
});
