import { expect, test } from "vitest";
import { formatDay } from "../../../../../../src/domain/entries/dates.ts";
import {
  codesOf,
  listRejectionCodes,
  readEntryFile,
  readFileError,
  readOnlyEntry,
} from "../../../../../support/read-entry-file.ts";

const COLUMNS = [
  "Entry Summary Number",
  "Entry Type Code",
  "Importer Number",
  "Importer Name",
  "Port of Entry Code",
  "Entry Date",
  "Entry Summary Date",
  "Country of Origin Code",
  "Tariff Ordinal Number",
  "HTS Number - Full",
  "Line Tariff Goods Value Amount",
  "Line Tariff Duty Amount",
  "Liquidation Status",
  "Liquidation Date",
  "Reconciliation Indicator",
  "Drawback Indicator",
  "Protest Number",
  "Protest Status",
  "Protest Decision Date",
];

const DEFAULTS: Readonly<Record<string, string>> = {
  "Entry Summary Number": "BND00000029",
  "Entry Type Code": "01",
  "Importer Number": "00-4519380AA",
  "Entry Date": "2025-09-02",
  "Country of Origin Code": "VN",
  "Tariff Ordinal Number": "1",
  "HTS Number - Full": "8507600020",
  "Line Tariff Goods Value Amount": "100.00",
  "Line Tariff Duty Amount": "1.00",
};

type Cells = Readonly<Record<string, string>>;

function file(rows: readonly Cells[], columns: readonly string[] = COLUMNS): string {
  const lines = rows.map((row) => columns.map((column) => row[column] ?? DEFAULTS[column] ?? "").join(","));
  return `${columns.join(",")}\n${lines.join("\n")}\n`;
}

const HTS = "HTS Number - Full";
const VALUE = "Line Tariff Goods Value Amount";
const DUTY = "Line Tariff Duty Amount";
const NUMBER = "Entry Summary Number";

test("an entry sums amounts by tariff code and takes other fields from its first row", () => {
  const entry = readOnlyEntry(
    file([
      {
        [HTS]: "9903.01.24",
        [VALUE]: "7",
        [DUTY]: "10",
        "Importer Name": "First",
        "Port of Entry Code": "901",
      },
      {
        [HTS]: "99038815",
        [VALUE]: "7",
        [DUTY]: "3",
        "Importer Name": "Second",
        "Country of Origin Code": "CN",
      },
      { [HTS]: "9903.02.60", [VALUE]: "7", [DUTY]: "20", "Protest Number": "P1" },
      { [HTS]: "8507600020", [VALUE]: "1000", [DUTY]: "5", "Protest Number": "P2" },
      { [HTS]: "99030124", [VALUE]: "7", [DUTY]: "1" },
      { [HTS]: "9503000073", [VALUE]: "50", [DUTY]: "6" },
    ]),
  );
  expect(entry).toMatchObject({
    line: 2,
    entryNumber: "BND00000029",
    importerName: "First",
    portOfEntryCode: "0901",
    countryOfOriginCode: "VN",
    htsNumber: "8507600020",
    chapter99Numbers: ["9903.01.24", "9903.88.15", "9903.02.60"],
    enteredValueCents: 105_000,
    ieepaDutyCents: 3_100,
    baseDutyCents: 1_100,
    otherChapter99DutyCents: 300,
    liquidationStatus: null,
    protestNumber: "P1",
    warnings: ["HTS_NORMALISED", "LEADING_ZERO_RESTORED"],
    extra: {},
  });
});

test("scattered rows of an entry are combined, and entries keep the order of their first rows", () => {
  const other = { [NUMBER]: "BND00000037" };
  const { entries } = readEntryFile(file([{}, other, { [NUMBER]: "bnd-0000002-9" }, other]));
  expect(entries.map(({ entry }) => [entry.line, entry.entryNumber, entry.enteredValueCents])).toEqual([
    [2, "BND00000029", 20_000],
    [3, "BND00000037", 20_000],
  ]);
});

test.each<[string, Cells]>([
  ["Entry Type Code", { "Entry Type Code": "03" }],
  ["Importer Number", { "Importer Number": "12-3456789" }],
  ["Entry Date", { "Entry Date": "2025-09-03" }],
  ["Entry Summary Date", { "Entry Summary Date": "2025-09-03" }],
  ["Liquidation Status", { "Liquidation Status": "Suspended" }],
  ["Reconciliation Indicator", { "Reconciliation Indicator": "Y" }],
  ["Protest Status", { "Protest Status": "Open" }],
])("rows of an entry must have the same %s, also when it is blank", (_, change) => {
  expect(listRejectionCodes(file([{}, change]))).toEqual(["ENTRY_FIELDS_DISAGREE"]);
  expect(listRejectionCodes(file([change, {}]))).toEqual(["ENTRY_FIELDS_DISAGREE"]);
});

test("rows are compared after normalisation, and an invalid cell is not compared", () => {
  expect(
    readOnlyEntry(
      file([{ "Entry Date": "9/2/2025", "Reconciliation Indicator": "N" }, { "Entry Type Code": "1" }]),
    ),
  ).toBeDefined();
  const bad = { "Entry Date": "x" };
  expect(listRejectionCodes(file([bad, {}, {}]))).toEqual(["DATE_FORMAT"]);
  expect(listRejectionCodes(file([bad, {}, { "Entry Date": "2025-09-03" }]))).toEqual([
    "DATE_FORMAT",
    "ENTRY_FIELDS_DISAGREE",
  ]);
});

test("an invalid row rejects its entry with the codes of all its rows, and a blank number is an entry per row", () => {
  const blank = { [NUMBER]: " " };
  const { report } = readEntryFile(file([{}, blank, { [DUTY]: "x" }, blank, { [HTS]: "1", [DUTY]: "y" }]));
  expect(report.totals).toMatchObject({ entriesSubmitted: 3, entriesRejected: 3 });
  expect(
    report.rejections.map((rejection) => [rejection.line, rejection.entryNumber, codesOf(rejection)]),
  ).toEqual([
    [2, "BND00000029", ["AMOUNT_NOT_NUMERIC", "AMOUNT_NOT_NUMERIC", "HTS_LENGTH"]],
    [3, null, ["REQUIRED_FIELD_MISSING"]],
    [5, null, ["REQUIRED_FIELD_MISSING"]],
  ]);
});

test("the report lists the first thousand rejections by line, even if the invalid row comes last", () => {
  const rows = Array.from({ length: 1_200 }, (_, index) => ({ [NUMBER]: `X${index}` }));
  const { report } = readEntryFile(file([{}, ...rows, { "Entry Date": "x" }]));
  expect(report.rejections).toHaveLength(1_000);
  expect(report.rejections[0]).toMatchObject({
    line: 2,
    errors: [{ code: "DATE_FORMAT", line: 1_203, column: "Entry Date" }],
  });
  expect(report.rejections.at(-1)).toMatchObject({ line: 1_001, errors: [{ code: "ENTRY_NUMBER_LENGTH" }] });
  expect(report.totals.entriesRejected).toBe(1_201);
});

test("a file without liquidation columns has one file warning and an unknown liquidation status", () => {
  const columns = COLUMNS.filter((column) => !column.startsWith("Liquidation"));
  const { report } = readEntryFile(file([{ [HTS]: "99030124" }], columns));
  expect(report.fileWarnings).toMatchObject([{ code: "LIQUIDATION_COLUMNS_ABSENT" }]);
  expect(Object.keys(report.byClassification)).toEqual(["liquidation_unknown"]);
  expect(readEntryFile(file([{}])).report.fileWarnings).toEqual([]);
});

test("an entry has its first protest decision date that is not blank", () => {
  const status = { "Protest Status": "Denied" };
  const entry = readOnlyEntry(file([status, { ...status, "Protest Decision Date": "2026-06-07" }]));
  expect(formatDay(entry.protestDecisionDate ?? 0)).toBe("2026-06-07");
});

test("an entry may have 20,000 different chapter 99 numbers", () => {
  const codes = Array.from({ length: 20_000 }, (_, index) => `99${String(index).padStart(8, "0")}`);
  const rows = [...codes, ...codes].map((code) => ({ [HTS]: code }));
  const { chapter99Numbers } = readOnlyEntry(file(rows));
  expect(chapter99Numbers).toHaveLength(codes.length);
  expect(chapter99Numbers.slice(0, 2)).toEqual(["9900.00.0000", "9900.00.0001"]);
});

test("a sum over 2^53 - 1 cents is an error", () => {
  const rows = Array.from({ length: 901 }, () => ({ [VALUE]: "99999999999.99" }));
  expect(readFileError(file(rows))).toEqual({ code: "AMOUNT_OVERFLOW", line: 2 });
});

test.each<[string, Cells, Cells, string[]]>([
  [
    "a date and a blank",
    { "Liquidation Status": "Liquidated", "Liquidation Date": "2026-10-01" },
    { "Liquidation Status": "Liquidated" },
    ["ENTRY_FIELDS_DISAGREE", "LIQUIDATION_DATE_MISSING"],
  ],
  [
    "a required cell and a blank one",
    {},
    { "Entry Date": "" },
    ["ENTRY_FIELDS_DISAGREE", "REQUIRED_FIELD_MISSING"],
  ],
  [
    "two dates, one before the entry",
    { "Liquidation Date": "2026-10-01" },
    { "Liquidation Date": "2025-08-01" },
    ["ENTRY_FIELDS_DISAGREE", "LIQUIDATION_BEFORE_ENTRY"],
  ],
  ["an unreadable date and a date", {}, { "Entry Date": "soon" }, ["DATE_FORMAT"]],
  [
    "two social security numbers with the same end",
    { "Importer Number": "123-45-6789" },
    { "Importer Number": "987-65-6789" },
    ["ENTRY_FIELDS_DISAGREE"],
  ],
])("two rows of an entry are rejected for %s", (_, first, second, codes) => {
  expect(listRejectionCodes(file([first, second]))).toEqual(codes);
});

test("rows with the same social security number have one importer, with a masked number", () => {
  const row = { "Importer Number": "123-45-6789" };
  expect(readOnlyEntry(file([row, row])).importerNumber).toBe("***-**-6789");
});
