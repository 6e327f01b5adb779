import { describe, expect, test } from "vitest";
import { formatOptionalDay } from "../../../../../src/domain/entries/dates.ts";
import { codesOf, fixture, readEntryFile, readFileError } from "../../../../support/read-entry-file.ts";

const GOLDEN = [
  "sample_entries",
  "sample_es003",
  "es003_mixed",
  "boundaries",
  "bad_entries",
  "bad_files/repairable_warnings",
];

/** Assesses a fixture in the shape of *.expected.json, which omits some fields. */
function assessFixture(name: string, sizes?: readonly number[]) {
  const { entries, report } = readEntryFile(fixture(`${name}.csv`), sizes);
  const { entriesDeferred, ...totals } = report.totals;
  expect(entriesDeferred).toBe(0);
  return {
    state: "completed",
    layout: report.layout,
    asOf: report.asOf,
    totals,
    byRoute: report.byRoute,
    byClassification: report.byClassification,
    byGrade: report.byGrade,
    rf8Review: report.rf8Review,
    entries: entries.map(({ entry, classification, route, grade, interestCents, nextDeadline }) => ({
      line: entry.line,
      entryNumber: entry.entryNumber,
      classification,
      route,
      grade,
      enteredValueCents: entry.enteredValueCents,
      ieepaDutyCents: entry.ieepaDutyCents,
      interestCents,
      nextDeadline: formatOptionalDay(nextDeadline),
      warnings: entry.warnings,
    })),
    rejections: report.rejections.map((rejection) => ({ line: rejection.line, codes: codesOf(rejection) })),
  };
}

describe("golden files", () => {
  test.each(GOLDEN)("%s has the expected assessment, also when read byte by byte", (name) => {
    const expected = JSON.parse(fixture(`${name}.expected.json`).toString());
    expect(assessFixture(name)).toEqual(expected);
    expect(assessFixture(name, [1])).toEqual(expected);
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
    for (const sizes of [[65_536], [1], [7]]) {
      expect(readFileError(fixture(`bad_files/${name}.csv`), sizes)).toEqual({ code, line });
    }
  });
});
