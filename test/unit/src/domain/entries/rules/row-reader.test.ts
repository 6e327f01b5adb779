import { describe, expect, test } from "vitest";
import {
  computeCheckDigit,
  findEntryNumberError,
} from "../../../../../../src/domain/entries/rules/entry-number.ts";
import {
  createFileWithRow,
  listRejectionCodes,
  readEntryFile,
  readOnlyEntry,
} from "../../../../../support/read-entry-file.ts";

test.each(["ABC-1234567-6", "999-9999999-0", "SP7-0000001-4", "ZZ9-1234567-7", "001-0000001-7"])(
  "the check digit of an entry number %s",
  (number) => {
    const compact = number.replaceAll("-", "");
    expect(computeCheckDigit(compact)).toBe(Number(compact.at(-1)));
    expect(findEntryNumberError(compact)).toBeNull();
  },
);

const AMOUNTS = {
  base_duty_paid: "1",
  section_301_duty_paid: "0",
  section_232_duty_paid: "0",
  section_122_duty_paid: "0",
  mpf_paid: "0",
  hmf_paid: "0",
};

describe("rejection of a row", () => {
  test.each<[string, Record<string, string>]>([
    ["ENTRY_NUMBER_SCIENTIFIC", { entry_number: "8.1E+10" }],
    ["ENTRY_NUMBER_LENGTH", { entry_number: "BND-0000002" }],
    ["ENTRY_NUMBER_CHARSET", { entry_number: "B#D-0000002-9" }],
    ["ENTRY_NUMBER_BODY_NOT_NUMERIC", { entry_number: "BND-000O002-9" }],
    ["ENTRY_NUMBER_CHECK_DIGIT", { entry_number: "BND-0000002-8" }],
    ["ENTRY_TYPE_UNKNOWN", { entry_type_code: "04" }],
    ["IMPORTER_NUMBER_FORMAT", { importer_number: "123456789" }],
    ["IMPORTER_NUMBER_FORMAT", { importer_number: "12-3456789IO" }],
    ["PORT_CODE_FORMAT", { port_of_entry_code: "14012" }],
    ["PORT_CODE_FORMAT", { port_of_entry_code: "14A1" }],
    ["DATE_INVALID", { entry_date: "2025-02-29" }],
    ["DATE_FORMAT", { entry_date: "20250201" }],
    ["DATE_INVALID", { entry_summary_date: "2/30/2025" }],
    ["DATE_FORMAT", { protest_decision_date: "soon" }],
    ["DATE_AMBIGUOUS_DAY_FIRST", { entry_date: "13/02/2025" }],
    ["DATE_INVALID", { entry_date: "13/13/2025" }],
    ["DATE_INVALID", { entry_date: "1925-06-18" }],
    ["DATE_INVALID", { liquidation_date: "2569-06-18" }],
    ["DATE_INVALID", { protest_status: "DENIED", protest_decision_date: "1/1/1900" }],
    ["DATE_IN_FUTURE", { entry_date: "2026-11-21" }],
    ["DATE_IN_FUTURE", { protest_status: "DENIED", protest_decision_date: "2026-11-21" }],
    ["COUNTRY_UNKNOWN", { country_of_origin_code: "zz" }],
    ["COUNTRY_UNKNOWN", { country_of_origin_code: "UK" }],
    ["HTS_LENGTH", { hts_number: "850760002" }],
    ["HTS_LENGTH", { hts_number: "85076000AB" }],
    ["CHAPTER_99_FORMAT", { chapter_99_numbers: "9903.01.24;8507.60.00" }],
    ["AMOUNT_NEGATIVE", { entered_value: "(1,000.00)" }],
    ["AMOUNT_NOT_NUMERIC", { entered_value: "1.234" }],
    ["AMOUNT_NOT_NUMERIC", { entered_value: "1." }],
    ["AMOUNT_NOT_NUMERIC", { entered_value: ".5" }],
    ["AMOUNT_NOT_NUMERIC", { entered_value: "100000000000" }],
    ["TOTAL_MISMATCH", { ...AMOUNTS, total_paid: "2002.01" }],
    ["LIQUIDATION_STATUS_UNKNOWN", { liquidation_status: "Maybe" }],
    ["LIQUIDATION_DATE_MISSING", { liquidation_status: "Closed" }],
    ["DATE_FORMAT", { liquidation_status: "Closed", liquidation_date: "x" }],
    ["LIQUIDATION_BEFORE_ENTRY", { liquidation_status: "SUSPENDED", liquidation_date: "2025-09-01" }],
    ["LIQUIDATION_STATUS_CONFLICT", { liquidation_date: "2026-11-20" }],
    ["PROTEST_STATUS_UNKNOWN", { protest_status: "MAYBE" }],
    ["REQUIRED_FIELD_MISSING", { importer_number: "  " }],
    ["REQUIRED_FIELD_MISSING", { importer_number: '=""' }],
    ["REQUIRED_FIELD_MISSING", { liquidation_status: "" }],
    ["FORMULA_INJECTION", { importer_name: "+1 555" }],
    ["FORMULA_INJECTION", { importer_name: " @cmd" }],
    ["FORMULA_INJECTION", { entered_value: "+5" }],
    ["FORMULA_INJECTION", { importer_name: '="=1+1"' }],
    ["FORMULA_INJECTION", { importer_name: '="a"&"b"' }],
    ["FORMULA_INJECTION", { line_description: "=1", mode_of_transport_code: "=1" }],
  ])("%s for %o", (code, changes) => {
    expect(listRejectionCodes(createFileWithRow(changes))).toEqual([code]);
  });

  test("lists each code once, sorted, and masks private values", () => {
    const changes = {
      country_of_origin_code: "x 123-45-6789",
      entry_type_code: "99",
      importer_number: "98-76",
    };
    const [rejection] = readEntryFile(
      createFileWithRow({ ...changes, entered_value: "a", ieepa_duty_paid: "b" }),
    ).report.rejections;
    expect(rejection?.errors.map(({ code, column }) => [code, column])).toEqual([
      ["AMOUNT_NOT_NUMERIC", "entered_value"],
      ["COUNTRY_UNKNOWN", "country_of_origin_code"],
      ["ENTRY_TYPE_UNKNOWN", "entry_type_code"],
      ["IMPORTER_NUMBER_FORMAT", "importer_number"],
    ]);
    expect(rejection?.errors[1]?.detail).toContain('"x ***-**-6789"');
    expect(JSON.stringify(rejection)).not.toMatch(/98-76|123-45/);
  });

  test("finds a duplicate of a rejected row, but no duplicate of an invalid number", () => {
    const [header, row = ""] = createFileWithRow({ country_of_origin_code: "??" }).trim().split("\n");
    const wrong = row.replace("BND-0000002-9", "BND-0000002-8");
    const file = [header, row, row.replace("??", "VN"), wrong, wrong].join("\n");
    expect(readEntryFile(file).report.rejections.map(({ errors }) => errors.map(({ code }) => code))).toEqual(
      [
        ["COUNTRY_UNKNOWN"],
        ["ENTRY_NUMBER_DUPLICATE"],
        ["COUNTRY_UNKNOWN", "ENTRY_NUMBER_CHECK_DIGIT"],
        ["COUNTRY_UNKNOWN", "ENTRY_NUMBER_CHECK_DIGIT"],
      ],
    );
  });
});

describe("repair of a row", () => {
  test.each<[string, Record<string, string>]>([
    ["ENTRY_NUMBER_REPAIRED", { entry_number: " bnd 0000002 9" }],
    ["ENTRY_NUMBER_REPAIRED", { entry_number: '="BND00000029"' }],
    ["LEADING_ZERO_RESTORED", { entry_type_code: "1" }],
    ["LEADING_ZERO_RESTORED", { port_of_entry_code: "901" }],
    ["DATE_US_FORMAT", { entry_date: "9/2/2025" }],
    ["HTS_NORMALISED", { hts_number: "8507.60.0020" }],
    ["HTS_NORMALISED", { chapter_99_numbers: "9903.01.24|99030125" }],
    ["AMOUNT_FORMATTED", { entered_value: "$ 1,234,567.8" }],
  ])("%s for %o", (code, changes) => {
    expect(readOnlyEntry(createFileWithRow(changes)).warnings).toEqual([code]);
  });

  test("gives no warning for other dashes or for canonical values", () => {
    expect(readOnlyEntry(createFileWithRow({ entry_number: "BND0000002-9" })).warnings).toEqual([]);
    expect(
      readOnlyEntry(
        createFileWithRow({ ...AMOUNTS, total_paid: "2000.00", chapter_99_numbers: "9903.01.24" }),
      ).warnings,
    ).toEqual([]);
  });
});

describe("values of a row", () => {
  test.each([
    ["12-3456789", "12-3456789"],
    ["12-3456789AB", "12-3456789AB"],
    ["123456789AB", "12-3456789AB"],
    ["123456-12345", "123456-12345"],
    ["123-45-6789", "***-**-6789"],
    ['="12-3456789"', "12-3456789"],
  ])("importer number %s is stored as %s", (cell, stored) => {
    expect(readOnlyEntry(createFileWithRow({ importer_number: cell })).importerNumber).toBe(stored);
  });

  test.each([
    ["Unliquidated", "NOT_LIQUIDATED"],
    ["PENDING", "NOT_LIQUIDATED"],
    ["under review", "UNDER_REVIEW"],
    ["Extended", "EXTENDED"],
  ])("liquidation status %s is %s", (cell, status) => {
    expect(readOnlyEntry(createFileWithRow({ liquidation_status: cell })).liquidationStatus).toBe(status);
  });

  test("other duties are added up, an indicator is read by its first letter, and blank cells have defaults", () => {
    const entry = readOnlyEntry(
      createFileWithRow({
        ...AMOUNTS,
        section_301_duty_paid: "1.10",
        section_122_duty_paid: "2",
        drawback_indicator: "yes",
      }),
    );
    expect(entry).toMatchObject({ baseDutyCents: 100, otherChapter99DutyCents: 310, drawback: true });
    expect(entry).toMatchObject({ reconciliation: false, entrySummaryDate: null, importerName: null });
  });

  test("unknown columns are kept, also with repeated or blank names", () => {
    const [header = "", row = ""] = createFileWithRow().trim().split("\n");
    const entry = readOnlyEntry(`${header}, Memo ,Memo,,__proto__\n${row},+1,=2,c,d\n`);
    expect(Object.entries(entry.extra)).toEqual([
      ["Memo", "+1"],
      ["Memo (2)", "=2"],
      ["column 11", "c"],
      ["__proto__", "d"],
    ]);
  });
});

test.each([
  ["270426123456", "270426123456"],
  ["NULL", null],
  ["N/A", null],
  ["0", null],
  ["0.0", null],
])("a protest number of %j is %j", (cell, number) => {
  expect(readOnlyEntry(createFileWithRow({ protest_number: cell })).protestNumber).toBe(number);
});

test.each(["2.70E+11", "270426123456.0"])("a protest number of %j was taken for a number", (cell) => {
  expect(listRejectionCodes(createFileWithRow({ protest_number: cell }))).toEqual(["PROTEST_NUMBER_FORMAT"]);
});

describe("masking of a social security number", () => {
  const toText = (text: string) => {
    const { entries, report } = readEntryFile(text);
    return JSON.stringify([entries, report]);
  };

  test.each([
    ["in an unknown column", { "IOR Number": "123-45-6789", importer_number: "123-45-6789" }],
    ["in the middle of an unknown column", { memo: "see 123-45-6789, please" }],
    ["in the column of entry numbers", { entry_number: "123-45-6789" }],
    ["in a column that does not allow it", { entry_date: "123-45-6789" }],
  ])("masks a number %s", (_, changes) => {
    expect(toText(createFileWithRow(changes))).not.toMatch(/123-?45/);
  });
});

test.each([
  ["Y", true],
  ["yes", true],
  ["True.", true],
  ["t", true],
  ["1", true],
  [" x ", true],
  ["YES, by CBP", true],
  ["N", false],
  ["no;", false],
  ["FALSE", false],
  ["f", false],
  ["0", false],
  ["No recon", false],
  [" ", false],
])("the indicator %j is %s", (cell, expected) => {
  const file = createFileWithRow({ reconciliation_indicator: cell, drawback_indicator: cell });
  expect(readOnlyEntry(file)).toMatchObject({ reconciliation: expected, drawback: expected });
});

test.each([
  "N/A",
  "Y/N",
  "1.0",
  "2",
  "-",
  "Yellow",
  "✓",
  ".",
  "\ufeffY",
  "N Y",
  "Yes,\nno",
  "N\nN\nY",
  "No. 4711",
  "no #27-1",
])("the indicator %j is unknown", (cell) => {
  expect(listRejectionCodes(createFileWithRow({ drawback_indicator: cell }))).toEqual(["INDICATOR_UNKNOWN"]);
});

test.each<[string, Record<string, string>]>([
  ["write 50415", { entered_value: "50.415" }],
  ['such as "Filer Code", join the two', { entry_number: "0000002-9" }],
  ["because a space stands before them", { country_of_origin_code: ' ""VN""' }],
])("the error of a cell says %j", (words, cells) => {
  const [rejection] = readEntryFile(createFileWithRow(cells)).report.rejections;
  expect(rejection?.errors[0]?.detail).toContain(words);
});

test.each([
  ["2025-09-01", true],
  ["2025-09-02", false],
  ["2025-11-01", false],
  ["2025-11-02", true],
])("a summary date of %s for an entry of 2025-09-02 is implausible: %s", (date, isImplausible) => {
  const { warnings } = readOnlyEntry(createFileWithRow({ entry_summary_date: date }));
  expect(warnings.includes("SUMMARY_DATE_IMPLAUSIBLE")).toBe(isImplausible);
});

test.each([
  ["2026-12-21", []],
  ["2026-12-22", ["LIQUIDATION_DATE_IN_FUTURE"]],
])("an entry liquidated on %s has the errors %o on 2026-11-20", (date, codes) => {
  const changes = { liquidation_status: "LIQUIDATED", liquidation_date: date };
  expect(listRejectionCodes(createFileWithRow(changes))).toEqual(codes);
});

test("dashes of word processors and any white space are dropped from an entry number, with a warning", () => {
  for (const dash of ["\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2015", "\u2212", "\u00a0", "\t"])
    expect(readOnlyEntry(createFileWithRow({ entry_number: `BND${dash}0000002${dash}9` }))).toMatchObject({
      entryNumber: "BND00000029",
      warnings: ["ENTRY_NUMBER_REPAIRED"],
    });
  // White space around the cell changes nothing in it.
  expect(readOnlyEntry(createFileWithRow({ entry_number: "\u00a0BND-0000002-9 " })).warnings).toEqual([]);
});

test.each([
  [{ entry_number: "\u200bBND-0000002-9" }, 'U\\+200B.*Ctrl\\+H.*"‹U\\+200B›BND-0000002-9"'],
  [{ entry_number: "BND-0000002-9\ufeff" }, '"BND-0000002-9‹U\\+FEFF›"'],
  [{ entry_number: "BND-000000\u0417-9" }, "‹U\\+0417›"],
  [{ entered_value: "100\u22125" }, "dash of a word processor.*‹U\\+2212›"],
  [{ entry_date: "2025\u201309\u201302" }, "‹U\\+2013›"],
  [{ entered_value: "100.00-" }, "SAP"],
  [{ entered_value: "US$100.00" }, "names the currency\\. Write 100\\.00"],
  [{ entered_value: "1,234.50 USD" }, "names the currency\\. Write 1234\\.50"],
  [{ entered_value: "€1.000,00" }, "currency €, but an amount is in US dollars"],
  [{ entered_value: "100 CNY" }, "currency CNY, but"],
  [{ entered_value: "HK$100" }, "currency HK\\$, but"],
  [{ entered_value: "1\u202f250,50" }, "decimal comma. Write 1250\\.50"],
  [{ entered_value: "1.0E+02" }, "scientific"],
  [{ entered_value: "N/A" }, "stands for no value"],
  [{ liquidation_date: "NA" }, "leave the cell blank"],
  [{ liquidation_date: "9999-12-31" }, "leave the cell blank"],
  [{ liquidation_date: "12/31/9999 0:00" }, "leave the cell blank"],
  [{ protest_status: "\\N" }, "leave the cell blank"],
  [{ country_of_origin_code: "UK" }, "Write GB"],
  [{ entry_type_code: "01 - Consumption" }, "Write the code alone: 01"],
  [{ entry_number: "100000017" }, "it is 001-0000001-7"],
  [{ entry_number: "100000018" }, "without dashes\\. Found"],
  [{ entry_number: "12300000044.0" }, "it is 123-0000004-4"],
  [{ entry_number: "" }, "Is it a total\\?"],
  [{ entry_number: "", importer_name: "Acme Total" }, 'totals row: remove the row. Found: "Total"'],
  [{ entry_number: "", importer_name: "合计:" }, 'totals row: remove the row. Found: "合计"'],
  [{ entry_number: "", importer_name: "Total Tools" }, "Is it a total\\?"],
  [{ entry_number: "ZZ9-0000001-1 Total" }, "looks like a totals row"],
  [{ entry_number: "Zwischensumme" }, "looks like a totals row"],
  [{ importer_number: "123456789" }, "nine digits and no dash: write NN-NNNNNNN"],
  [{ entry_number: "Average" }, "looks like a note of the report"],
  [{ entry_number: "2 of 350 records found" }, "look whether the export has all entries"],
  [{ entry_number: "\ufeffEntry Number" }, "repeats the headings"],
  [{ entry_number: "'BND-0000002-9" }, "begins with an apostrophe"],
  [{ liquidation_date: "1/0/1900" }, "leave the cell blank"],
  [{ liquidation_date: "0001-01-01" }, "leave the cell blank"],
])("the error of %o explains it", (cells, says) => {
  const { report } = readEntryFile(createFileWithRow(cells));
  expect(report.rejections[0]?.errors[0]?.detail).toMatch(new RegExp(says));
});

test.each(["2025-06-18 00:00:00.000", "2025-06-18T00:00:00.0000000", "6/18/2025 12:00:00\u202fAM"])(
  "midnight after a date is dropped: %j",
  (entry_date) => {
    expect(readOnlyEntry(createFileWithRow({ entry_date })).warnings).toContain("DATE_TIME_DROPPED");
  },
);
