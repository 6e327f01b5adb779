import { describe, expect, test } from "vitest";
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
const LINE = "Entry Summary Line Number";
const ORDINAL = "Tariff Ordinal Number";

test.each([
  ["a wrong digit", "BND00000028"],
  ["a missing one", "BND0000029"],
  ["a note", "BND00000029 see mail"],
])("an entry is not accepted without the row whose number has %s", (_, damaged) => {
  for (const place of [0, 1, 2]) {
    const rows = [1, 2, 3].map((ordinal, index) => ({
      [ORDINAL]: String(ordinal),
      [NUMBER]: index === place ? damaged : "BND00000029",
    }));
    const { entries, report } = readEntryFile(file([...rows, { [NUMBER]: "300-0000001-5" }]));
    expect(entries).toHaveLength(1);
    const codes = report.rejections.map(({ errors }) => errors.map(({ code, line }) => `${code} ${line}`));
    expect(codes.flat()).toContain(`ENTRY_INCOMPLETE ${place + 2}`);
  }
});

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
  const blank = { [NUMBER]: " ", [HTS]: " " };
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

describe("a row with a tariff number and no entry number", () => {
  const UNNUMBERED = { [NUMBER]: "", "Tariff Ordinal Number": "2", [DUTY]: "5" };
  const OTHER = { [NUMBER]: "BND00000037" };

  test("belongs to the nearest row above with a number, sound or not, and rejects its entry", () => {
    const bad = { [NUMBER]: "BND0000003X" };
    const { report } = readEntryFile(
      file([
        {},
        UNNUMBERED,
        { [NUMBER]: "", [HTS]: "" },
        { ...UNNUMBERED, "Tariff Ordinal Number": "3" },
        bad,
        UNNUMBERED,
      ]),
    );
    expect(report.totals).toMatchObject({ entriesSubmitted: 3, entriesRejected: 3, ieepaDutyCents: 0 });
    expect(
      report.rejections.map(({ line, errors }) => [
        line,
        ...errors.map((error) => `${error.line} ${error.code}`),
      ]),
    ).toEqual([
      [2, "3 ENTRY_INCOMPLETE", "5 ENTRY_INCOMPLETE"],
      [4, "4 REQUIRED_FIELD_MISSING"],
      [6, "6 ENTRY_NUMBER_BODY_NOT_NUMERIC", "7 ENTRY_INCOMPLETE"],
    ]);
    expect(report.fileWarnings).toMatchObject([
      { code: "ENTRY_ROWS_WITHOUT_NUMBER", severity: "stop", entries: 2, lines: [3, 5, 7] },
    ]);
  });

  test("raises nothing for its blank cells, and its filled cells must be right and agree", () => {
    const blank = Object.fromEntries(COLUMNS.map((column) => [column, ""]));
    const liquidated = { "Liquidation Status": "Liquidated", "Liquidation Date": "2026-10-01" };
    const row = { ...blank, [HTS]: "8507600020" };
    const codesOfSecond = (more: Cells) =>
      codesOf(readEntryFile(file([liquidated, { ...row, ...more }])).report.rejections[0]);
    expect(codesOfSecond({})).toEqual(["ENTRY_INCOMPLETE"]);
    expect(codesOfSecond({ "Liquidation Status": "Liquidated" })).toEqual(["ENTRY_INCOMPLETE"]);
    expect(codesOfSecond({ "Entry Type Code": "02", [DUTY]: "x" })).toEqual([
      "AMOUNT_NOT_NUMERIC",
      "ENTRY_FIELDS_DISAGREE",
      "ENTRY_INCOMPLETE",
    ]);
  });

  test.each(["Total", "Gesamtergebnis", "合计"])(
    "is a total if it has %s in place of its tariff number",
    (label) => {
      const blank = Object.fromEntries(COLUMNS.map((column) => [column, ""]));
      const { report } = readEntryFile(file([{}, { ...blank, [HTS]: label, [DUTY]: "1.00" }]));
      expect(report.totals).toMatchObject({ entriesSubmitted: 2, entriesAccepted: 1 });
      expect(report.rejections[0]?.errors.map(({ detail }) => detail).join(" ")).toContain(
        "looks like a totals row",
      );
      expect(report.fileWarnings).toEqual([]);
    },
  );

  test("stands alone above the first number", () => {
    const { report } = readEntryFile(file([UNNUMBERED, OTHER]));
    expect(report.totals).toMatchObject({ entriesSubmitted: 2, entriesAccepted: 1 });
    expect(codesOf(report.rejections[0])).toEqual(["REQUIRED_FIELD_MISSING"]);
    expect(report.fileWarnings).toEqual([]);
  });
});

test("any yes of the rows of an entry puts it on a drawback claim, and a blank indicator is no", () => {
  const entry = (...cells: string[]) =>
    readOnlyEntry(
      file(
        cells.map((cell, at) => ({ "Drawback Indicator": cell, "Tariff Ordinal Number": String(at + 1) })),
      ),
    );
  expect(entry("N", "Y", "").drawback).toBe(true);
  expect(entry("", "N").drawback).toBe(false);
});

describe("two versions of an entry summary", () => {
  const VERSION = "Entry Summary Version Number";
  const rows = (...versions: string[]) =>
    file(
      versions.map((version, at) => ({ [VERSION]: version, "Tariff Ordinal Number": String(at + 1) })),
      [...COLUMNS, VERSION],
    );

  test("reject the entry, once, at the first row that differs from the first known one", () => {
    const { report } = readEntryFile(rows("", "1", "01", "2", "3", "1.0"));
    expect(report.rejections).toMatchObject([
      { line: 2, errors: [{ code: "ENTRY_VERSIONS_MIXED", line: 5, column: VERSION }] },
    ]);
    expect(report.rejections[0]?.errors).toHaveLength(1);
  });

  test("are compared as numbers, and blank is unknown", () => {
    expect(readOnlyEntry(rows("1", "01", "1.0", "")).ieepaDutyCents).toBe(0);
    expect(listRejectionCodes(rows("A", "a"))).toEqual([]);
    expect(listRejectionCodes(rows("1", "1.5"))).toEqual(["ENTRY_VERSIONS_MIXED"]);
  });
});

describe("rows that mean the same", () => {
  const ORDINAL = "Tariff Ordinal Number";
  const VERSION = "Entry Summary Version Number";
  const OTHER = "BND00000037";
  const WIDE = [...COLUMNS, LINE, VERSION, "Description", "Chapter 99 Codes", "Memo"];
  const first = { [ORDINAL]: "", [LINE]: "" };

  /** Severity, rows and lines of the warning, or null. */
  const find = (...rows: Cells[]) => {
    const { report } = readEntryFile(file(rows, WIDE));
    const found = report.fileWarnings.find(({ code }) => code === "ROWS_REPEATED");
    return found ? [found.severity, found.rows, ...(found.lines ?? [])] : null;
  };

  test.each<[string, Cells]>([
    ["amounts in other forms", { [VALUE]: "$100.0", [DUTY]: "1" }],
    ["dates in other forms", { "Entry Date": "9/2/2025" }],
    ["a tariff number with dots", { [HTS]: "8507.60.0020" }],
    ["a country in lower case", { "Country of Origin Code": "vn" }],
    ["a description in other case and spaces", { Description: "led  LAMPS" }],
    ["the dashes of its entry number", { [NUMBER]: "BND-0000002-9" }],
    ["a column that the model does not know", { Memo: "x" }],
    ["only a line number", { [LINE]: "1" }],
    ["only line number and ordinal", { [LINE]: "1", [ORDINAL]: "2" }],
    ["only a version", { [VERSION]: "1" }],
  ])("differ in %s", (_, cells) => {
    expect(
      find({ ...first, Description: "LED lamps" }, { ...first, Description: "LED lamps", ...cells }),
    ).toEqual(["warn", 1, 3]);
  });

  test.each<[string, Cells]>([
    ["tariff number", { [HTS]: "8507600030" }],
    ["goods value", { [VALUE]: "100.01" }],
    ["duty", { [DUTY]: "1.01" }],
    ["country", { "Country of Origin Code": "CN" }],
    ["chapter 99 numbers", { "Chapter 99 Codes": "9903.01.24" }],
    ["description", { Description: "x" }],
    ["entry number", { [NUMBER]: OTHER }],
  ])("do not differ in the %s", (_, cells) => {
    expect(find(first, { ...first, ...cells })).toBeNull();
  });

  test("are compared with their numbers if both have the same ones, which may be written otherwise", () => {
    const line = (number: string) => ({ [ORDINAL]: "", [LINE]: number });
    expect(find(line("1"), line("2"))).toBeNull();
    expect(find(line("1"), line("2"), line("01.0"))).toEqual(["warn", 1, 4]);
    expect(find({ ...line("1"), [VERSION]: "1" }, { ...line("1"), [VERSION]: "2" })).toBeNull();
    // The one has a line number, the other an ordinal.
    expect(find(line("1"), { [ORDINAL]: "1", [LINE]: "" })).toEqual(["warn", 1, 3]);
  });

  test("do not count if every row has line number and ordinal, or repeats both", () => {
    const full = { [ORDINAL]: "1", [LINE]: "1" };
    expect(find(full, { [ORDINAL]: "2", [LINE]: "1" })).toBeNull();
    // The last row repeats the first by its numbers; the third lacks them.
    expect(find(full, { [ORDINAL]: "2", [LINE]: "1" }, first, full)).toEqual(["warn", 1, 4]);
    // Two rows with both are told apart by them, even if another row lacks them.
    expect(find(full, { ...full, [ORDINAL]: "2" }, { ...first, [DUTY]: "9" })).toBeNull();
  });

  test("count in rejected entries, and a faulty cell is its text", () => {
    expect(find({ ...first, [DUTY]: "x Y" }, { ...first, [DUTY]: "X  y" })).toEqual(["warn", 1, 3]);
    expect(find({ ...first, [DUTY]: "x" }, { ...first, [DUTY]: "y" })).toBeNull();
  });

  test("stop the submission if an entry of several rows stands there twice as a whole", () => {
    const second = { ...first, [DUTY]: "2" };
    expect(find(first, second, first)).toEqual(["warn", 1, 4]);
    expect(find(first, second, first, second)).toEqual(["stop", 2, 4, 5]);
    expect(find(first, second, first, first)).toEqual(["stop", 2, 4, 5]);
  });

  test("stop the submission if the only row of two entries repeats, in at least half of the entries", () => {
    const single = (number: string) => ({ ...first, [NUMBER]: number });
    const [a, b, c, d, e] = ["BND00000029", OTHER, "BND00000045", "BND00000052", "BND00000060"].map(single);
    if (!a || !b || !c || !d || !e) throw new Error("five entries");
    expect(find(a, a)).toEqual(["warn", 1, 3]);
    expect(find(a, b, c, d, a, b)).toEqual(["stop", 2, 6, 7]);
    expect(find(a, b, c, d, e, a, b)).toEqual(["warn", 2, 7, 8]);
  });
});

/** Each row is its line number, tariff number and duty. */
test.each<[string, readonly string[], readonly number[] | null]>([
  [
    "each row of two lines has the same",
    ["1 99030124 30", "1 99030225 30", "2 99030124 5", "2 8507600020 5"],
    [3, 5],
  ],
  [
    "the rows of some line differ",
    ["1 99030124 30", "1 99030225 30", "2 99030124 5", "2 8507600020 0"],
    null,
  ],
  ["no line has two rows", ["1 99030124 30", "2 99030225 30"], null],
  ["no duty was paid", ["1 99030124 0", "1 8507600020 0"], null],
])("the duty of whole lines is added up in each row, if %s", (_, rows, lines) => {
  const columnsOf = (duty: string) => [LINE, ...COLUMNS.map((column) => (column === DUTY ? duty : column))];
  const read = (heading: string) =>
    readEntryFile(
      file(
        rows.map((row, at) => {
          const [line = "", hts = "", duty = ""] = row.split(" ");
          return { [LINE]: line, "Tariff Ordinal Number": `${at}`, [HTS]: hts, [heading]: duty };
        }),
        columnsOf(heading),
      ),
    ).report.fileWarnings.filter(({ code }) => code === "LINE_DUTY_REPEATED");
  const warning = { severity: "stop", columns: ["Line Duty Amount"], rows: lines?.length, lines };
  expect(read("Line Duty Amount")).toEqual(lines === null ? [] : [expect.objectContaining(warning)]);
  // The amounts of tariff numbers may be equal.
  expect(read(DUTY)).toEqual([]);
});

/** Each row is the line, the tariff number, the goods value and the duty. */
const toLines = (rows: readonly string[], more: Cells = {}): Cells[] =>
  rows.map((row, at) => {
    const [line = "", hts = "", value = "", duty = ""] = row.split(" ");
    return { [LINE]: line, [ORDINAL]: `${at}`, [HTS]: hts, [VALUE]: value, [DUTY]: duty, ...more };
  });

const warningsOf = (rows: readonly Cells[], ...more: string[]) =>
  readEntryFile(file(rows, [LINE, ...COLUMNS, ...more])).report.fileWarnings.filter(
    ({ code }) => code !== "COLUMNS_UNRECOGNIZED",
  );

/** One line of goods with this base duty and the same duty of two IEEPA numbers. */
const toLine = (line: number, value: number, base: number, one: number, other = one) => [
  `${line} 99030124 0 ${one}`,
  `${line} 99030125 0 ${other}`,
  `${line} 8507600020 ${value} ${base}`,
];

test.each<[string, readonly string[], readonly number[] | null]>([
  [
    "lines with different goods values have the same duty of IEEPA numbers",
    [1, 2, 3, 4].flatMap((line) => toLine(line, line * 1_000, line * 20, 300, 150)),
    [5, 8, 11],
  ],
  [
    "so do rates in the column of the duty",
    [1, 2, 3, 4].flatMap((line) => toLine(line, line * 1_000, 2, 20, 10)),
    [5, 8, 11],
  ],
  [
    "that may be a chance",
    [1, 2, 3].flatMap((line) => toLine(line, line * 1_000, line * 20, 300, 150)),
    null,
  ],
  [
    "one duty follows the value",
    [1, 2, 3, 4, 5].flatMap((line) => toLine(line, line * 1_000, line * 20, line === 5 ? 600 : 300, 150)),
    null,
  ],
  [
    "the goods values are equal",
    [1, 2, 3, 4].flatMap((line) => toLine(line, 1_000 + line, 20, 300, 150)),
    null,
  ],
  [
    "a number has a higher rate where all rows of a line have the same duty",
    [...toLine(1, 1_000, 320, 320), ...toLine(2, 2_000, 40, 400, 200)],
    [3, 4],
  ],
  [
    "all rows have the same duty at one rate",
    [...toLine(1, 1_000, 100, 100), ...toLine(2, 2_000, 200, 200)],
    null,
  ],
  [
    "the rate is lower of goods that are partly free",
    [...toLine(1, 1_000, 100, 100), "2 99030124 0 50", "2 9802008068 500 0", "2 8507600020 500 50"],
    null,
  ],
])("the duty of a tariff number is a total in each row, if %s", (_, rows, lines) => {
  const found = warningsOf(toLines(rows));
  expect(found.filter(({ code }) => code === "LINE_DUTY_REPEATED")).toEqual(
    lines === null ? [] : [expect.objectContaining({ severity: "stop", columns: [DUTY], lines })],
  );
});

describe("if all rows of each line have one duty", () => {
  const pair = (line: number, value: number, duty: number, base = duty) => [
    `${line} 99030125 0 ${duty}`,
    `${line} 8507600020 ${value} ${base}`,
  ];
  const find = (rows: readonly string[], more: Cells = {}, columns = [LINE, ...COLUMNS]) =>
    readEntryFile(file(toLines(rows, more), columns)).report.fileWarnings.flatMap(
      ({ code, severity, lines }) => (code === "LINE_DUTY_REPEATED" ? [[severity, lines]] : []),
    );
  const ROWS = [...pair(1, 1_000, 130), ...pair(2, 2_000, 460), ...pair(3, 1_000, 280)];

  test("and a number has two rates, it is a total", () => {
    expect(find(ROWS)).toEqual([["stop", [3, 5, 7]]]);
    expect(find(ROWS, {}, [...COLUMNS])).toEqual([["stop", [3, 5, 7]]]);
  });

  test("and one rate, it may be a total", () => {
    expect(find([1, 2, 3].flatMap((line) => pair(line, line * 1_000, line * 100)))).toEqual([
      ["warn", [3, 5, 7]],
    ]);
  });

  test.each([
    ["are few", ROWS.slice(0, 4)],
    ["are not all so", [...ROWS, ...pair(4, 1_000, 280, 20)]],
    [
      "have no goods",
      [1, 2, 3].flatMap((line) => pair(line, 1_000, 130).map((row) => row.replace("85", "99"))),
    ],
    ["have none", [1, 2, 3].flatMap((line) => pair(line, line * 1_000, 0))],
  ])("it is right if such lines %s", (_, rows) => {
    expect(find(rows)).toEqual([]);
    expect(find(rows, {}, [...COLUMNS])).toEqual([]);
  });

  test("it is right if another line begins with its goods", () => {
    const rows = [1, 2, 3].flatMap((line) => pair(line, line * 1_000, line * 130, line * 20).reverse());
    expect(find(rows, {}, [...COLUMNS])).toEqual([]);
  });
});

test.each<[string, readonly string[], number | null]>([
  ["no line has the first ordinal", ["1 2", "1 3", "2 2", "2 3"], 2],
  ["a line lacks one in the middle", ["1 1", "1 2", "1 3", "2 1", "2 3"], 1],
  ["the ordinals begin with 0", ["1 0", "1 1", "2 0", "2 1"], null],
  ["the ordinals count the rows of the entry", ["1 1", "1 2", "2 3", "2 4"], null],
  ["a line has fewer rows", ["1 1", "1 2", "2 1", "3 1", "3 2"], null],
  ["the rows are sorted by the ordinal", ["1 1", "2 1", "1 2", "2 2"], null],
  ["the file is a part of one with numbered rows", ["1 4", "1 5", "2 6", "2 7"], null],
  ["a row stands there twice", ["1 1", "1 2", "1 2", "1 2"], null],
])("tariff rows are missing or not, if %s", (_, rows, missing) => {
  const cells = rows.map((row) => {
    const [line = "", ordinal = ""] = row.split(" ");
    return { [LINE]: line, [ORDINAL]: ordinal };
  });
  const found = warningsOf(cells).filter(({ code }) => code === "TARIFF_ROWS_ABSENT");
  expect(found.map(({ severity, rows: count }) => [severity, count])).toEqual(
    missing === null ? [] : [["warn", missing]],
  );
});

describe("two versions of an entry", () => {
  const errorsOf = (rows: readonly Cells[], ...more: string[]) =>
    readEntryFile(file(rows, [LINE, ...COLUMNS, ...more])).report.rejections.flatMap(({ errors }) =>
      errors.map(({ code, line }) => [code, line]),
    );
  const MIXED = "ENTRY_VERSIONS_MIXED";
  const BEFORE = ["1 99030124 0 200", "1 8507600020 1000 20"];
  const AFTER = ["1 99030124 0 300", "1 8507600020 1000 30"];

  test("show in an IEEPA number that a line has with two duties", () => {
    expect(errorsOf(toLines([...BEFORE, ...AFTER], { [ORDINAL]: "" }))).toEqual([[MIXED, 4]]);
  });

  test.each([
    ["in equal rows", [...BEFORE, "1 99030124 0 200"]],
    ["in other lines", [...BEFORE, "2 99030124 0 300"]],
    ["in other numbers", [...BEFORE, "1 8507600020 1000 30", "1 99038815 0 1", "1 99038815 0 2"]],
  ])("do not show %s", (_, rows) => {
    expect(errorsOf(toLines(rows, { [ORDINAL]: "" }))).toEqual([]);
  });

  test.each([
    ["Post Summary Correction Indicator", "N", "Y"],
    ["PSC Filed", "no", "yes"],
    ["Summary Version", "Original", "PSC 1"],
    ["Report Run Date", "2026-03-01", "2026-10-01"],
  ])("show under the heading %s in rows without line numbers", (heading, before, after) => {
    const rows = (one: string, other: string, more: Cells = {}) => [
      ...toLines(BEFORE, { [LINE]: "", [ORDINAL]: "", [heading]: one, ...more }),
      ...toLines(AFTER, { [LINE]: "", [ORDINAL]: "", [heading]: other, ...more }),
    ];
    expect(errorsOf(rows(before, after), heading)).toEqual([[MIXED, 4]]);
    expect(errorsOf(rows(before, before.toUpperCase()), heading)).toEqual([]);
    expect(errorsOf(rows(before, ""), heading)).toEqual([]);
    const numbered = rows(before, after).map((row, at) => ({ ...row, [LINE]: `${at}`, [ORDINAL]: "1" }));
    expect(errorsOf(numbered, heading)).toEqual([]);
  });

  test.each([
    ["Line Post Summary Correction Indicator", "N", "Y"],
    ["Report Date", "2026-03-01 10:00", "2026-03-01T11:00"],
    ["Conversion", "1", "2"],
  ])("do not show under the heading %s from %s to %s", (heading, one, other) => {
    const rows = [one, other].flatMap((cell) =>
      toLines(BEFORE, { [LINE]: "", [ORDINAL]: "", [heading]: cell }),
    );
    expect(errorsOf(rows, heading)).toEqual([]);
  });
});

test("a row with the duty of those above it, without line number and ordinal, may be a subtotal", () => {
  const subtotal = (duty: string, more: Cells = {}) =>
    readEntryFile(
      file(
        [
          ...toLines(["1 8507600020 1000 20", "1 99030124 0 200", "1 99030125 0 100"]),
          ...toLines([` 99030125 0 ${duty}`], { [ORDINAL]: "", ...more }),
        ],
        [LINE, ...COLUMNS],
      ),
    ).report.rejections.flatMap(({ errors }) => errors);
  const error = { code: "REQUIRED_FIELD_MISSING", line: 5, column: LINE };
  expect(subtotal("300")).toEqual([{ ...error, detail: expect.stringContaining("Is it a total?") }]);
  expect(subtotal("320")).toMatchObject([error]);
  expect(subtotal("310")).toEqual([]);
  expect(subtotal("300", { [ORDINAL]: "4" })).toEqual([]);
});

test("an entry that pairs off but for cents, country and description may stand there twice", () => {
  const rows = [
    "1 99030124 0 224.69",
    "1 8507600020 1123.45 22.46",
    "1 99030124 0 424.69",
    "1 8507600020 2123.45 42.46",
  ];
  const find = (copies: readonly string[], more: Cells) => {
    const blank = { [LINE]: "", [ORDINAL]: "" };
    const all = [...toLines(rows, blank), ...toLines(copies, { ...blank, ...more })];
    return warningsOf(all).flatMap(({ code, severity, rows: count }) =>
      code === "ROWS_REPEATED" ? [[severity, count]] : [],
    );
  };
  const dollars = ["1 99030124 0 225", "1 8507600020 1123 22", "1 99030124 0 425", "1 8507600020 2123 42"];
  expect(find(dollars, {})).toEqual([["warn", 4]]);
  expect(find(rows, { "Country of Origin Code": "CN" })).toEqual([["warn", 4]]);
  expect(find(rows, {})).toEqual([["stop", 4]]);
  expect(find(dollars.slice(1), {})).toEqual([]);
  expect(find(["1 8507600020 1124.60 23"], {})).toEqual([]);
});

test("headings below that name the duty of whole lines belong to another export", () => {
  const [header = "", row = ""] = file([{}]).split("\n");
  const find = (heading: string) =>
    readEntryFile([header, row, header.replace(DUTY, heading), ""].join("\n")).report.fileWarnings.filter(
      ({ code }) => code === "HEADINGS_DIFFER",
    );
  expect(find("Line Duty Amount")).toMatchObject([{ severity: "stop", lines: [3] }]);
  expect(find("Line Tariff Amount")).toEqual([]);
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

test("an entry has its first protest decision date that is not blank", () => {
  const status = { "Protest Status": "Denied" };
  const entry = readOnlyEntry(file([status, { ...status, "Protest Decision Date": "2026-06-07" }]));
  expect(formatDay(entry.protestDecisionDate ?? 0)).toBe("2026-06-07");
});

test("an entry may have 20,000 different chapter 99 numbers", { tags: "large" }, () => {
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

/** Each row is its entry number, tariff number, duty and list of chapter 99 numbers. */
test.each<[string, readonly string[], readonly number[]]>([
  [
    "no row of an entry has the duty of one",
    [
      "ZZ900000011 8507600020 100 9903.01.24",
      "ZZ900000029 8507600020 5 99030225",
      "ZZ900000029 8507600020 5 99030225",
      "ZZ900000037 99030124 30",
    ],
    [2, 3],
  ],
  [
    "another row of the entry has it",
    ["ZZ900000011 8507600020 100 9903.01.24", "ZZ900000011 99030124 30"],
    [],
  ],
  ["no duty was paid", ["ZZ900000011 8507600020 0 9903.01.32"], []],
  ["they are of other tariffs", ["ZZ900000011 8507600020 100 9903.88.15"], []],
])("entries that list IEEPA numbers are warned of, if %s", (_, rows, lines) => {
  const columns = [...COLUMNS, "Chapter 99 Codes"];
  const cells = rows.map((row, at) => {
    const [number = "", hts = "", duty = "", list = ""] = row.split(" ");
    const named = { [NUMBER]: number, "Tariff Ordinal Number": `${at}`, "Chapter 99 Codes": list };
    return { ...named, [HTS]: hts, [DUTY]: duty };
  });
  const { fileWarnings } = readEntryFile(file(cells, columns)).report;
  expect(
    fileWarnings.filter(({ code }) => code === "IEEPA_ROWS_ABSENT").flatMap((warning) => warning.lines),
  ).toEqual(lines);
});

test("the column of the IEEPA duty is not read in a file of tariff rows, and is named", () => {
  const { report } = readEntryFile(
    file([{ [HTS]: "9903.01.24", ieepa_duty_paid: "x" }], [...COLUMNS, "ieepa_duty_paid"]),
  );
  expect(report.totals).toMatchObject({ entriesAccepted: 1, ieepaDutyCents: 100 });
  expect(report.fileWarnings).toMatchObject([
    { code: "COLUMNS_UNRECOGNIZED", important: ["ieepa_duty_paid"] },
    { code: "AMOUNTS_IMPLAUSIBLE", lines: [2] },
  ]);
});
