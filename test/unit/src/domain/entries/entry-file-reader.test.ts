import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Assessment } from "../../../../../src/domain/diligence/assessment.ts";
import type { ClassifiedEntry } from "../../../../../src/domain/diligence/entry-classifier.ts";
import { CsvReader } from "../../../../../src/domain/entries/csv/csv-reader.ts";
import { computeCheckDigit } from "../../../../../src/domain/entries/rules/entry-number.ts";
import { IS_EXHAUSTIVE } from "../../../../support/exhaustive.ts";
import { itEachFirst } from "../../../../support/large.ts";
import {
  createFileWithRow,
  finish,
  fixture,
  OPTIONS,
  readEntryFile,
  readFileError,
  readOnlyEntry,
  splitIntoChunks,
} from "../../../../support/read-entry-file.ts";

const [HEADER = "", ROW = ""] = createFileWithRow().trim().split("\n");

/** Returns a valid entry number with this serial number. */
function createEntryNumber(serial: number): string {
  const body = `ZZ9${String(serial).padStart(7, "0")}`;
  return body + computeCheckDigit(body);
}

function createRow(serial: number): string {
  return ROW.replace("BND-0000002-9", createEntryNumber(serial));
}

describe("reading an entry file in chunks", () => {
  const files = [
    "sample_es003.csv",
    "boundaries.csv",
    "bad_entries.csv",
    "bad_files/repairable_warnings.csv",
  ];

  test.each(files)("gives the same result for %s with any chunk sizes", (name) => {
    const bytes = fixture(name);
    const { entries, report } = readEntryFile(bytes, [bytes.length]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4000 }), { minLength: 1, maxLength: 8 }), (sizes) => {
        const inChunks = readEntryFile(bytes, sizes);
        expect(inChunks.entries).toEqual(entries);
        expect(inChunks.report).toEqual(report);
      }),
      { numRuns: IS_EXHAUSTIVE ? 50 : 5 },
    );
  });

  test("allows the caller to reuse the buffer of a chunk", () => {
    const bytes = Buffer.from(createFileWithRow({ importer_name: "Süd & Söhne" }));
    const buffer = Buffer.alloc(5);
    const entries: ClassifiedEntry[] = [];
    const reused = new Assessment(OPTIONS, (entry) => entries.push(entry));
    for (const chunk of splitIntoChunks(bytes, [5])) {
      buffer.set(chunk);
      reused.push(buffer.subarray(0, chunk.length));
    }
    finish(reused);
    expect(entries.map(({ entry }) => entry.importerName)).toEqual(["Süd & Söhne"]);
  });
});

describe("lines and records of an entry file", () => {
  test("line numbers count line ends inside quotes and blank rows", () => {
    const file = `${HEADER},memo\r\n${createRow(1)},"a\r\nb\nc"\r\n\r\n ,,,,,,,,\r\n${createRow(2)},x\n${createRow(3)},"y"\n${createRow(4)},"z\n"`;
    expect(readEntryFile(file).entries.map(({ entry }) => [entry.line, entry.extra.memo])).toEqual([
      [2, "a\r\nb\nc"],
      [7, "x"],
      [8, "y"],
      [9, "z\n"],
    ]);
  });

  test("doubled quotes, quotes inside an unquoted cell and Excel's text form are read", () => {
    const file = `${HEADER},a,b\n${createRow(1).replace(createEntryNumber(1), `="${createEntryNumber(1)}"`)},"say ""x""",6" pipe\n`;
    const entry = readOnlyEntry(file);
    expect(entry.extra).toEqual({ a: 'say "x"', b: '6" pipe' });
    expect(entry.warnings).toEqual(["ENTRY_NUMBER_REPAIRED"]);
  });

  test.each([
    ["with text after a closing quote", `${HEADER}\n${createRow(1)}\n"x"y${ROW}\n`, 3],
    ["with an unclosed quote", `${HEADER}\n${createRow(1)}\n"x\n${ROW}\n`, 3],
  ])("a record %s is malformed", (_, file, line) => {
    expect(readFileError(file)).toEqual({ code: "CSV_MALFORMED", line });
    expect(readFileError(file, [3])).toEqual({ code: "CSV_MALFORMED", line });
  });

  test.each([[[65_536]], [[1 << 21]], [[999_983]]])(
    "a record may have 1 MiB but not more, with chunks of %o bytes",
    (sizes) => {
      const filler = (bytes: number) =>
        "é".repeat((bytes - ROW.length - 1) / 2 - 1) + "abc".slice(0, 1 + ((bytes - ROW.length) % 2));
      const fit = Buffer.byteLength(`${ROW},${filler(1 << 20)}`);
      const longest = `${ROW},${filler(1 << 20)}${"x".repeat((1 << 20) - fit)}`;
      expect(readEntryFile(`${HEADER},memo\r\n${longest}\r\n`, sizes).entries).toHaveLength(1);
      expect(readFileError(`${HEADER},memo\r\n${longest}x\r\n`, sizes)).toEqual({
        code: "CSV_MALFORMED",
        line: 2,
      });
      expect(readFileError(`${HEADER},memo\r\n${longest}x`, sizes)).toEqual({
        code: "CSV_MALFORMED",
        line: 2,
      });
    },
  );

  test.each([
    ["line ends", "\n"],
    ["cells", '","\n'],
  ])("a record with an open quote is not read again for each piece, with %s", (_, piece) => {
    let cells = 0;
    const reader = new CsvReader(({ count }) => {
      cells += count;
    });
    reader.push(Buffer.from('"'));
    for (let pieces = 0; pieces < 60_000; pieces += 1) reader.push(Buffer.from(piece));
    expect(cells).toBe(0);
    reader.push(Buffer.from('"\nlast\n'));
    reader.end();
    expect(cells).toBe(piece === "\n" ? 2 : 60_002);
  });

  test("a long record with an open quote is read as in one piece, whatever follows it", () => {
    const bytes = Buffer.from(
      `${HEADER},memo\n${createRow(1)},"${"a,\r\n".repeat(1_000)}"\n${createRow(2)},x\r\n${createRow(3)},"\n"\n`,
    );
    const { entries, report } = readEntryFile(bytes, [bytes.length]);
    expect(entries.map(({ entry }) => entry.line)).toEqual([2, 1_003, 1_004]);
    for (const sizes of [[1], [7, 1], [4], [1_000], [5_000, 3]]) {
      const inChunks = readEntryFile(bytes, sizes);
      expect(inChunks.entries).toEqual(entries);
      expect(inChunks.report).toEqual(report);
    }
  });

  test("the first error in file order is reported", () => {
    const file = `${HEADER}\n${createRow(1)}\nx,y\n"z"z\n`;
    expect(readFileError(file)).toEqual({ code: "ROW_WIDTH", line: 3 });
  });
});

describe("the header of an entry file", () => {
  test("a byte order mark, case and repeated separators do not matter", () => {
    const header = HEADER.replace("entry_number", " Entry Summary Number").replace(
      "importer_number",
      "IOR  Number",
    );
    expect(readOnlyEntry(`\uFEFF${header}\n${ROW}\n`).line).toBe(2);
  });

  test("the canonical column name wins, then the first synonym; the others are unknown columns", () => {
    const header = HEADER.replace("entered_value", "Line Goods Value Amount");
    expect(readOnlyEntry(`${header},Goods Value\n${ROW},7\n`)).toMatchObject({
      enteredValueCents: 700,
      extra: { "Line Goods Value Amount": "10000.00" },
    });
    expect(readOnlyEntry(`Goods Value,${HEADER}\n7,${ROW}\n`)).toMatchObject({
      enteredValueCents: 1_000_000,
      extra: { "Goods Value": "7" },
    });
  });

  test.each([
    ["REQUIRED_COLUMN_MISSING", `${HEADER.replace("entry_date", "x")}\n${ROW}\n`],
    ["HEADER_DUPLICATE", `${HEADER}, entry_date\n${ROW},x\n`],
    ["DELIMITER_UNSUPPORTED", `${HEADER.replaceAll(",", "\t")}\n`],
    ["DELIMITER_UNSUPPORTED", `${HEADER.replaceAll(",", "|")}\n`],
    ["DELIMITER_UNSUPPORTED", `"${HEADER.replaceAll(",", '";"')}"\n`],
    ["DELIMITER_UNSUPPORTED", `"${HEADER.replaceAll(",", '"\t"')}"\r\n`],
    ["CSV_MALFORMED", `"${HEADER.replaceAll(",", '"x"')}"\n`],
  ])("an invalid header has the code %s", (code, file) => {
    expect(readFileError(file)).toEqual({ code, line: 1 });
  });

  itEachFirst<[string, (index: number) => string]>([
    ["the same name", () => "x"],
    ["numbered names", (index) => (index % 2 === 0 ? "x" : `x (${index})`)],
  ])("a header record may have 40,000 more columns with %s", (_, nameOf) => {
    const names = Array.from({ length: 40_000 }, (_unused, index) => nameOf(index));
    const { extra } = readOnlyEntry(`${HEADER},${names.join(",")}\n${ROW}${",".repeat(names.length)}\n`);
    expect(Object.keys(extra)).toHaveLength(names.length);
  });

  test("the error names the missing columns", () => {
    expect(() =>
      readEntryFile(`${HEADER.replace("entry_date", "x").replace("entered_value", "y")}\n`),
    ).toThrow(/entry_date, entered_value\. The file is read as a row for each entry/);
  });

  test("the error about a first line without any heading says so", () => {
    for (const file of [`${ROW}\n`, `${HEADER.replaceAll(",", "^")}\n`])
      expect(() => readEntryFile(file)).toThrow(/None of its headings is known: it may be a row/);
  });

  test.each([
    [`${ROW},x`, "9 cells, but .* unquoted comma"],
    [ROW.replace(/,[^,]*$/, ""), "7 cells, but .* blank cells at its end"],
    [`${ROW},${ROW}`, "16 cells, but .* Two rows seem to stand on this line"],
    [ROW + ROW, "15 cells, but .* Two rows seem to stand on this line"],
    ["(6 rows affected)", "1 cell, but .* end of a report, remove it"],
    ["Total", "1 cell, but .* totals row"],
  ])("the row %j has too many or too few cells", (row, words) => {
    expect(() => readEntryFile(`${HEADER}\n${ROW}\n${row}\n`)).toThrow(new RegExp(words));
  });
});

describe("limits of an entry file", () => {
  test("a file may have a million entries, but not more", { tags: "large" }, () => {
    const rows = [HEADER];
    for (let serial = 0; serial <= 1_000_000; serial += 1) rows.push(",,,,,,,x");
    expect(readFileError(rows.join("\n"))).toEqual({ code: "TOO_MANY_ENTRIES", line: 1_000_002 });
    rows.pop();
    const { report } = readEntryFile(rows.join("\n"));
    expect(report.totals.entriesRejected).toBe(1_000_000);
    expect(report.rejections).toHaveLength(1_000);
    expect(report.rejectionsTruncated).toBe(true);
  });

  test("a total over 2^53 - 1 cents is an error at the entry that exceeds it", () => {
    const rows = [HEADER];
    for (let serial = 1; serial <= 901; serial += 1)
      rows.push(createRow(serial).replace("10000.00", "99999999999.99"));
    expect(readFileError(rows.join("\n"))).toEqual({ code: "AMOUNT_OVERFLOW", line: 902 });
    expect(readFileError(`${rows.join("\n")}\nx,y\n`)).toEqual({ code: "AMOUNT_OVERFLOW", line: 902 });
    expect(readEntryFile(rows.slice(0, 901).join("\n")).report.totals.enteredValueCents).toBe(
      900 * 9_999_999_999_999,
    );
  });
});

test.each([
  ["empty", "NO_DATA_ROWS", null],
  ["header_only", "NO_DATA_ROWS", null],
  ["missing_required_column", "REQUIRED_COLUMN_MISSING", 1],
  ["duplicate_header", "HEADER_DUPLICATE", 1],
  ["semicolon_delimited", "DELIMITER_UNSUPPORTED", 1],
  ["ragged_row", "ROW_WIDTH", 2],
  ["unclosed_quote", "CSV_MALFORMED", 2],
  ["utf16", "FILE_ENCODING", 1],
  ["windows1252", "FILE_ENCODING", 2],
])("bad_files/%s.csv is rejected with %s", (name, code, line) => {
  for (const sizes of [[65_536], [1], [7]])
    expect(readFileError(fixture(`bad_files/${name}.csv`), sizes)).toEqual({ code, line });
});

test.each([
  ["a NUL byte", [0x62, 0x00]],
  ["a surrogate", [0xed, 0xa0, 0x80]],
])("an entry file with %s is no UTF-8", (_, bytes) => {
  const file = Buffer.concat([Buffer.from(`${HEADER}\n`), Buffer.from(bytes)]);
  for (const sizes of [[file.length], [1]])
    expect(readFileError(file, sizes)).toEqual({ code: "FILE_ENCODING", line: 2 });
});
