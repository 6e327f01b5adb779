import { describe, expect, test } from "vitest";
import { createFileWithRow, readEntryFile, readFileError } from "../../../../support/read-entry-file.ts";
import { ordinaryEntryNumber } from "../../../../support/sandbox-requests.ts";

const NUMBERS = [
  "BND-0000001-1",
  "BND-0000002-9",
  "BND-0000003-7",
  "BND-0000004-5",
  "BND-0000005-2",
  "BND-0000006-0",
];

type Cells = Readonly<Record<string, string>>;

/** A file with these rows, whose entry numbers are in sequence unless a row has one. */
function fileOf(rows: readonly Cells[], ...more: string[]): string {
  const names = [...new Set([...rows.flatMap(Object.keys), ...more])];
  const lines = rows.map((row, at) => {
    const blank = Object.fromEntries(names.map((name) => [name, ""]));
    return createFileWithRow({ ...blank, ...DEFAULTS, entry_number: NUMBERS[at] ?? "", ...row }).split("\n");
  });
  return [lines[0]?.[0], ...lines.map(([, line]) => line), ""].join("\n");
}

/** `createFileWithRow` has a blank cell for each of them otherwise. */
const DEFAULTS: Cells = {
  entry_type_code: "01",
  importer_number: "00-4519380AA",
  entry_date: "2025-09-22",
  country_of_origin_code: "VN",
  entered_value: "10000.00",
  ieepa_duty_paid: "2000.00",
  liquidation_status: "NOT_LIQUIDATED",
};

const warningsOf = (text: string, ...codes: string[]) =>
  readEntryFile(text)
    .report.fileWarnings.filter(({ code }) => codes.length === 0 || codes.includes(code))
    .map(({ detail: _, ...rest }) => rest);

describe("the order of day and month in a column", () => {
  const mixed = (...dates: string[]) =>
    warningsOf(fileOf(dates.map((entry_date) => ({ entry_date }))), "DATE_ORDER_MIXED");

  /** The ambiguous cells, and the lines of the first proof and the first of them. */
  type Fault = { readonly rows: number; readonly lines: readonly [number, number] };

  test.each<[string, string[], Fault | null]>([
    ["a day above 12 proves it", ["13/10/2025", "5/10/2025"], { rows: 1, lines: [2, 3] }],
    ["the proof may come later", ["5/10/2025", "6/10/2025", "31/1/2025"], { rows: 2, lines: [4, 2] }],
    ["so does a date with a time", ["13/10/2025 14:30", "5/10/2025"], { rows: 1, lines: [2, 3] }],
    ["a two-digit year proves it, too", ["13/10/25", "5/10/2025"], { rows: 1, lines: [2, 3] }],
    ["equal numbers are not ambiguous", ["13/10/2025", "5/5/2025"], null],
    ["one ISO date may be right", ["13/10/2025", "2025-05-10"], null],
    [
      "ISO dates with no day above 12 may be swapped",
      ["2025-05-10", "13/10/2025", "2025-07-08 00:00:00"],
      { rows: 2, lines: [3, 2] },
    ],
    [
      "so may they beside months first",
      ["9/15/2025", "2025-01-10", "2025-02-10"],
      { rows: 2, lines: [2, 3] },
    ],
    [
      "with a month first that can be read in both",
      ["9/15/2025", "9/8/2025", "2025-01-10", "2025-02-10"],
      null,
    ],
    [
      "with an ISO day above 12, they are right",
      ["9/15/2025", "2025-09-28", "2025-09-05", "2025-09-04"],
      null,
    ],
    ["with a day above 12, they are not", ["13/10/2025", "2025-05-10", "2025-07-08", "2025-07-13"], null],
    ["equal numbers cannot be swapped", ["13/10/2025", "2025-05-10", "2025-07-07"], null],
    ["without a proof, ISO dates are right", ["9/10/2025", "2025-05-10", "2025-07-08"], null],
    ["a proof of the month first, too", ["13/10/2025", "10/13/2025", "2025-05-10", "2025-07-08"], null],
    ["dashes prove it, too", ["13-10-2025", "5/10/2025"], { rows: 1, lines: [2, 3] }],
    ["so do dots", ["13.10.2025", "2025-05-10", "2025-07-08"], { rows: 2, lines: [2, 3] }],
    ["dashes with the month first prove that", ["5-13-2025", "13/10/2025", "5/10/2025"], null],
    [
      "zeros in the ambiguous cells alone show a spreadsheet",
      ["04/09/2025", "08/07/2025", "02/05/2025", "9/30/2025", "7/21/2025", "5/15/2025", "10/28/2025"],
      { rows: 3, lines: [5, 2] },
    ],
    [
      "so do zeros in the others alone",
      ["4/09/2025", "8/07/2025", "2/05/2025", "09/30/2025", "07/21/2025", "05/15/2025"],
      { rows: 3, lines: [5, 2] },
    ],
    [
      "fewer days may be a chance",
      ["04/09/2025", "08/09/2025", "02/05/2025", "9/30/2025", "7/21/2025", "5/15/2025"],
      null,
    ],
    [
      "zeros in one of the others show none",
      ["04/09/2025", "08/07/2025", "02/05/2025", "9/30/2025", "7/21/2025", "5/15/2025", "05-17-2025"],
      null,
    ],
    [
      "nor does one ambiguous cell without them",
      ["04/09/2025", "08/07/2025", "02/05/2025", "2/06/2025", "9/30/2025", "7/21/2025", "5/15/2025"],
      null,
    ],
    ["a year of two digits may come first", ["25-10-13", "5/10/2025"], null],
    ["dashes that can be read in both orders prove nothing", ["5-10-2025", "5/10/2025"], null],
    ["without a proof, the month is first", ["1/2/2025", "5/10/2025"], null],
    ["a month of 0 and a day of 32 prove nothing", ["0/13/2025", "32/1/2025", "5/10/2025"], null],
    ["one day first among months first is a typing error", ["13/10/2025", "5/10/2025", "5/13/2025"], null],
    ["two are not", ["13/10/2025", "14/10/2025", "5/10/2025", "5/13/2025"], { rows: 1, lines: [2, 4] }],
    ["an ISO date may have the day first", ["2025-10-05", "2025-13-10"], { rows: 1, lines: [3, 2] }],
    [
      "two among days above 12, too",
      ["2025-13-10", "2025-14-10", "2025-05-10", "2025-05-13"],
      { rows: 1, lines: [2, 4] },
    ],
    ["one among them is a typing error", ["2025-13-10", "2025-05-10", "2025-05-13"], null],
    ["a month of 32 or 0 in an ISO date proves nothing", ["2025-32-02", "2025-13-00", "2025-05-10"], null],
  ])("%s", (_, dates, fault) => {
    const warning = { code: "DATE_ORDER_MIXED", severity: "stop", columns: ["entry_date"], ...fault };
    expect(mixed(...dates)).toEqual(fault === null ? [] : [warning]);
  });

  test("two days first among more than 200 cells with the month first are typing errors", () => {
    const cells = (count: number) => {
      const [header, row = ""] = fileOf([{ entry_date: "5/13/2025" }]).split("\n");
      const dates = ["13/5/2025", "14/5/2025", "5/10/2025", ...Array(count - 3).fill("5/13/2025")];
      return warningsOf(
        `${[header, ...dates.map((date: string) => row.replace("5/13/2025", date))].join("\n")}\n`,
        "DATE_ORDER_MIXED",
      );
    };
    expect(cells(200)).toHaveLength(1);
    expect(cells(201)).toHaveLength(0);
  });

  test("a proof in one column counts for another that has none", () => {
    const find = (...rows: Cells[]) =>
      warningsOf(fileOf(rows), "DATE_ORDER_MIXED").map(({ columns, lines }) => [...(columns ?? []), lines]);
    const ambiguous = { entry_summary_date: "9/10/2025" };
    expect(find({ entry_date: "13/5/2025" }, ambiguous)).toEqual([["entry_summary_date", [2, 3]]]);
    // The other column proves the month first.
    expect(find({ entry_date: "13/5/2025" }, ambiguous, { entry_summary_date: "9/13/2025" })).toEqual([]);
    expect(find({ entry_date: "13/5/2025" }, { entry_date: "9/8/2025", ...ambiguous })).toEqual([
      ["entry_date", [2, 3]],
      ["entry_summary_date", [2, 3]],
    ]);
    const isoAmbiguous = { entry_date: "2025-09-05" };
    expect(find({ ...isoAmbiguous, entry_summary_date: "2025-13-05" }, isoAmbiguous)).toEqual([
      ["entry_date", [2, 2]],
    ]);
    // A typing error in one column proves nothing for another.
    expect(find({ entry_date: "13/5/2025" }, { entry_date: "5/13/2025", ...ambiguous })).toEqual([]);
  });
});

describe("rows of one entry in a file of one row per entry", () => {
  const find = (...rows: Cells[]) =>
    warningsOf(
      fileOf(rows, "Version Number", "Entry Summary Line Number", "mpf_paid", "memo"),
      "ENTRY_HAS_LINES",
    );
  const again = { entry_number: "BND00000011" };
  const stop = (entries: number, ...lines: number[]) => [
    { code: "ENTRY_HAS_LINES", severity: "stop", entries, lines },
  ];

  test.each<[string, Cells]>([
    ["duty", { ieepa_duty_paid: "1" }],
    ["value", { entered_value: "1" }],
    ["country", { country_of_origin_code: "CN" }],
    ["line number", { "Entry Summary Line Number": "0" }],
    ["version", { "Version Number": "2" }],
    ["faulty cell", { entry_type_code: "99" }],
    ["unknown column, which a dataset keeps", { memo: "x" }],
  ])("are lines of it if they differ in a %s", (_, cells) => {
    expect(find({}, { ...again, ...cells })).toEqual(stop(1, 3));
  });

  test("are copies if they mean the same, or differ in what no dataset has", () => {
    expect(
      find({ "Version Number": "1" }, { ...again, entered_value: "$10,000", "Version Number": "01.0" }),
    ).toEqual([]);
    expect(find({}, { ...again, mpf_paid: "5" })).toEqual([]);
  });

  test("are compared with the first row, also if that was rejected", () => {
    const other = { ...again, ieepa_duty_paid: "1" };
    expect(find({ ieepa_duty_paid: "x" }, other, again, { ...again, ieepa_duty_paid: "X" })).toEqual(
      stop(1, 3, 4),
    );
    expect(find({}, {}, other, { ...other, entry_number: "BND00000029" })).toEqual(stop(2, 4, 5));
  });

  const part = { entry_number: "", entry_type_code: "", importer_number: "", entry_date: "" };

  test.each<[string, Cells, boolean]>([
    ["has a part of the duty", {}, true],
    ["repeats the entry type in another form", { entry_type_code: "1" }, true],
    ["is of another entry type", { entry_type_code: "02" }, false],
    ["is of another importer", { importer_number: "00-4519380AB" }, false],
    ["is of another day", { entry_date: "2025-09-03" }, false],
    ["has no duty", { ieepa_duty_paid: "" }, false],
    ["is a total", { memo: "Total" }, false],
    ["is the grand total", { memo: "GRAND TOTALS:" }, false],
    ["is a total of another language", { memo: "Summe" }, false],
    ["is the total of an importer", { memo: "Acme Ergebnis" }, false],
    ["has a word of a total beside others", { memo: "Lump sum" }, true],
  ])("a row without a number below a numbered one that %s", (_, cells, isLine) => {
    expect(find({}, { ...part, ...cells })).toEqual(isLine ? stop(1, 3) : []);
    expect(find({ ...part, ...cells })).toEqual([]);
  });
});

describe("a row without a number, a label and the fields of an entry", () => {
  const blank = { entry_number: "", entry_type_code: "", importer_number: "", entry_date: "" };
  const amounts = (entered_value: string, ieepa_duty_paid: string) => ({ entered_value, ieepa_duty_paid });
  const find = (...rows: Cells[]) => warningsOf(fileOf(rows)).map(({ code, lines }) => [code, lines]);
  const total = { ...blank, ...amounts("20000", "4000") };

  test("is a total if its amounts are the sums of the rows above, or of those below another total", () => {
    expect(find({}, {}, total)).toEqual([]);
    expect(find({}, {}, total, {}, {}, total, { ...blank, ...amounts("40000", "8000") })).toEqual([]);
  });

  test("is a line of the entry otherwise", () => {
    expect(find({}, {}, { ...total, ...amounts("20000", "4001") })).toEqual([["ENTRY_HAS_LINES", [4]]]);
    // The sums of one row are those of a second line like it.
    expect(find({}, blank)).toEqual([["ENTRY_HAS_LINES", [3]]]);
  });
});

describe("amounts that are no IEEPA duty of their value", () => {
  /** Each is the value and the duty of a row. */
  const find = (...amounts: string[]) =>
    warningsOf(
      fileOf(
        amounts.map((amount) => {
          const [entered_value = "", ieepa_duty_paid = ""] = amount.split(" ");
          return { entered_value, ieepa_duty_paid };
        }),
      ),
    ).map(({ code, severity, entries, lines }) => [code, severity, entries, lines]);

  test.each<[string, string[], [number, number[]?] | null]>([
    ["a duty above twice the value", ["100 200.01", "100 10"], [1, [2]]],
    ["one of twice the value", ["100 200.00"], null],
    ["a duty of no value", ["100 10", "0 0.01"], [1, [3]]],
    ["no duty of no value", ["0 0", "100 10"], null],
    ["swapped columns", ["10 100", "20 200"], [2, [2, 3]]],
    ["fractions", ["1000 0.10", "2000 0.25", "5 0"], [2]],
    ["a fraction beside a duty", ["1000 0.10", "2000 200.50"], null],
    ["a fraction beside one of a low value", ["999.99 0.10", "2000 0.25"], [1]],
    ["percents beside one of a low value", ["987 10", "10000 10", "20000 25", "30000 20"], [3]],
    ["percents but for one of four", ["10000 10", "20000 25", "30000 20", "5000 500.50"], [3]],
    ["percents but for two of five", ["10000 10", "20000 25", "30000 20", "5000 501", "5000 502"], null],
    [
      "percents of half of the entries beside duties with cents",
      ["10000 10", "20000 25", "30000 20", ...[1, 2, 3].map((n) => `${n}0000 ${n}000.50`)],
      [3],
    ],
    ["duties in thousands", ["10000 3", "20000 5.5", "30000 4.25"], [3]],
    ["two such duties", ["10000 3", "20000 5.5"], null],
    ["a thousandth in one entry", ["10000 3", "20000 5.5", "30000 400.25"], null],
    ["a duty that was filled down", [1, 2, 3, 4, 5].map((n) => `${n}0000 900.50`), [4]],
    ["equal duties of equal values", [10, 10.1, 10.2, 10.3, 10.4].map((n) => `${n}000 900.50`), null],
    ["three equal duties", ["10000 900.50", "20000 900.50", "30000 900.50", "40000 900.50"], null],
    ["percents", ["10000 10", "20000 25", "30000 145"], [3]],
    ["two small duties", ["100000 10", "20000 25"], null],
    ["small duties with cents", ["10000 10", "20000 25.5", "30000 145"], null],
    ["small duties that are a percent of their values", ["1000 10", "2000 20", "3000 30"], null],
  ])("%s", (_, amounts, found) => {
    expect(find(...amounts)).toEqual(
      found === null
        ? []
        : [["AMOUNTS_IMPLAUSIBLE", "warn", ...found, ...(found.length === 1 ? [undefined] : [])]],
    );
  });
});

test("a merchandise processing fee above its maximum is in another unit or of another column", () => {
  const find = (text: string) =>
    warningsOf(text, "AMOUNTS_IMPLAUSIBLE").map(({ entries, lines }) => [entries, lines]);
  expect(find(fileOf([{ mpf_paid: "1000.00" }]))).toEqual([]);
  expect(find(fileOf([{}, { mpf_paid: "1000.01" }]))).toEqual([[1, [3]]]);
  const row = { hts_number: "8507600020", line_duty: "1", mpf_paid: "600.00" };
  const asLines = (...rows: Cells[]) => fileOf(rows).replace("ieepa_duty_paid", "x");
  // Each row may have the fee of its entry.
  expect(find(asLines(row, { ...row, entry_number: NUMBERS[0] ?? "" }))).toEqual([]);
  expect(find(asLines(row, { ...row, entry_number: NUMBERS[0] ?? "", mpf_paid: "1717.00" }))).toEqual([
    [1, [2]],
  ]);
});

describe("a quoted cell that holds rows", () => {
  const [HEADER = "", ROW = ""] = fileOf([{ entry_number: "BND-0000001-1" }], "memo")
    .trim()
    .split("\n");
  const OTHER = ROW.replace("BND-0000001-1", "BND-0000002-9");
  const find = (...lines: string[]) =>
    warningsOf(`${[HEADER, ...lines].join("\n")}\n`, "CELL_HOLDS_ROWS").map(({ rows, lines: at }) => [
      rows,
      at,
    ]);

  test("is found if its first line completes the row, and its last line begins one", () => {
    // Both quotes are in the same column.
    const open = ROW.replace(",VN,", ',"VN,');
    const close = OTHER.replace(",VN,", ',VN",');
    expect(find(open, "x", close)).toEqual([[1, [2]]]);
    expect(find(ROW, open, OTHER.replace("BND", "???"), close)).toEqual([[1, [3]]]);
  });

  test.each(["\n", "\r\n", "\r"])("is found if an entry number begins a whole line after %j", (lineEnd) => {
    const memo = (text: string) => `${ROW}"${text}"`;
    expect(find(memo(`a${lineEnd}${OTHER}`))).toEqual([[1, [2]]]);
    expect(find(memo(`a${lineEnd}=""BND-0000002-9""${OTHER.slice(13)}${lineEnd}b`))).toEqual([[1, [2]]]);
    expect(find(memo(`see${lineEnd}BND-0000002-9${lineEnd}and${lineEnd}BND-0000003-7`))).toEqual([]);
    expect(find(memo(`a${lineEnd}${OTHER.replace("-9,", "-8,")}${lineEnd}b`))).toEqual([]);
    expect(find(memo(`one, two${lineEnd}three`))).toEqual([]);
  });

  describe("below a name with a comma, whose quotes are the fault,", () => {
    // The name is the first cell: `"Ace, Inc` closes in the next row.
    const wide = (open: string, ...lines: string[]) =>
      warningsOf(
        `${[`importer_name,${HEADER}`, `"Ace, Inc,${open}`, ...lines].join("\n")}\n`,
        "CELL_HOLDS_ROWS",
      ).map(({ lines: at }) => at);

    const WRONG = ROW.replace("BND", "???");

    test.each<[string, string, string[]]>([
      ["its entry number", ROW, [`Bay",${OTHER}`]],
      ["the number of a row between", WRONG, [`Cod,${ROW}`, `Bay",${OTHER}`]],
      ["a date, if the number is wrong", WRONG, [`Bay",${OTHER}`]],
      ["a date with slashes", WRONG.replace("2025-09-22", "9/22/2025"), [`Bay",${OTHER}`]],
    ])("is found by %s", (_, open, lines) => {
      expect(wide(open, ...lines)).toEqual([[2]]);
    });

    const last = (text: string) =>
      warningsOf(`${HEADER}\n${ROW}"${text}"\n`, "CELL_HOLDS_ROWS").map(({ lines: at }) => at);
    const commas = ",".repeat(9);

    test.each<[string, string]>([
      [
        "a list of materials",
        "COTTON\n50% cotton, 20% wool, 10% silk, 5% flax, 5% hemp, 4% jute, 3% sisal, 2% x, 1% y, z",
      ],
      ["a list of entry numbers", `see\n${Array(10).fill("BND-0000002-9").join(",")}`],
      ["a list of dates", `shipped\n${Array(10).fill("2025-09-02").join(",")}`],
      ["a sentence with a date", "Shipped\non Monday, 2025-09-02, from A, B, C, D, E, F and G"],
      ["a number at the end of a sentence", `x\n${"a,".repeat(9)} BND-0000002-9`],
      ["a number in another line", `a, BND-0000002-9\nb\n${commas}`],
      ["fewer cells than a row", "BND-0000002-9,x\n2025-09-02,a,b,c"],
      ["commas", `a\n${commas}`],
    ])("is not found in %s", (_, text) => {
      expect(last(text)).toEqual([]);
    });
  });

  test("is found in the header", () => {
    const text = `${HEADER.replace("memo", '"memo')}\n${ROW}\n${OTHER}"\n${ROW}\n`;
    expect(warningsOf(text, "CELL_HOLDS_ROWS")).toMatchObject([{ rows: 1, lines: [1] }]);
  });
});

describe("two headings of one column", () => {
  const find = (...cells: Cells[]) =>
    warningsOf(fileOf(cells), "COLUMN_TWICE").map(({ columns, lines, severity }) => [
      columns,
      lines,
      severity,
    ]);

  test("are named if a row has different values in them, with its line", () => {
    const equal = { entered_value: "1000", "Goods Value": "$1,000.00" };
    expect(find(equal)).toEqual([]);
    expect(find(equal, { ...equal, "Goods Value": "1000.01" }, { ...equal, "Goods Value": "9" })).toEqual([
      [["entered_value", "Goods Value"], [3], "warn"],
    ]);
    expect(find({ ...equal, "Goods Value": "" })).toHaveLength(1);
    expect(find({ country_of_origin_code: "CN", COO: "cn" })).toEqual([]);
    expect(find({ entry_date: "2025-09-02", "ENTRY-DATE": '="9/2/2025"' })).toEqual([]);
    expect(find({ entered_value: "N/A", "Goods Value": "n/a" })).toEqual([]);
  });

  test("that are the same in any letter case cannot be read", () => {
    const text = fileOf([{ "IEEPA Duty": "1" }]).replace("IEEPA Duty", "IEEPA_Duty_Paid");
    expect(readFileError(text)).toEqual({ code: "HEADER_DUPLICATE", line: 1 });
  });
});

test("a file without a line end at its end has a note, which names the heading of a cut amount", () => {
  const find = (text: string) => warningsOf(text, "NO_FINAL_LINE_END");
  const text = fileOf([{}], "total_paid", "memo");
  expect(find(text)).toEqual([]);
  expect(find(text.slice(0, -1))).toMatchObject([
    { code: "NO_FINAL_LINE_END", severity: "warn", lines: [2] },
  ]);
  const amount = fileOf([{ total_paid: "99.0" }]).slice(0, -1);
  expect(find(amount)).toMatchObject([{ columns: ["total_paid"], lines: [2] }]);
  expect(find(`${amount}\n "`.slice(0, -1))).toMatchObject([{ lines: [3] }]);
});

test("an es003 file without one of the liquidation columns names that one", () => {
  const names = ["Liquidation Status", "Liquidation Date"];
  const find = (...present: string[]) =>
    warningsOf(
      fileOf([{ hts_number: "8507600020", line_duty: "1" }], ...present)
        .replace("ieepa_duty_paid", "x")
        .replace("liquidation_status", "y"),
      "LIQUIDATION_COLUMNS_ABSENT",
    );
  expect(find(...names)).toEqual([]);
  expect(find("Liquidation Status")).toMatchObject([{ columns: ["Liquidation Date"] }]);
  expect(find("Liquidation Date")).toMatchObject([{ columns: ["Liquidation Status"] }]);
  expect(find()).toMatchObject([{ columns: names }]);
});

describe("a heading with a sign or letters that change what it means", () => {
  const columnsOf = (...headings: string[]) =>
    readEntryFile(fileOf([{}], ...headings)).report.fileWarnings.flatMap(
      ({ code, columns, detail, similar }) =>
        code === "COLUMNS_UNRECOGNIZED" ? [{ columns, detail, similar }] : [],
    );

  test.each([
    ["MPF %", '"MPF %" (it is a rate)'],
    ["% Total Duty", "(it is a rate)"],
    ["HMF (€)", '"HMF (€)" (it is in another currency)'],
    ["HMF ￥", "(it is in another currency)"],
    ["MPF 税率", '"MPF 税率" (it has letters of another alphabet)'],
    ["品名", '"品名"'],
    ["MPF #", '"MPF #" (it is a count)'],
    ["HMF (-)", "(it has the sign of a correction)"],
    ["HMF (+/-)", "(it has the sign of a correction)"],
    ["- HMF", "(it has the sign of a correction)"],
    ["Total Duty (±)", "(it has the sign of a correction)"],
  ])("%j is an unknown column", (heading, words) => {
    const [warning] = columnsOf(heading);
    expect(warning).toMatchObject({ columns: [heading] });
    expect(warning?.detail).toContain(words);
    expect(warning?.similar).toBeUndefined();
  });

  test("is read as it is where its cells are no amounts", () => {
    const file = fileOf([{}])
      .replace("entry_date", "Entry Date 日期")
      .replace("importer_number", "Importer Number №é");
    expect(readEntryFile(file).report.totals.entriesAccepted).toBe(1);
  });

  test("has no such sign for a dollar sign, dashes or a byte order mark", () => {
    expect(columnsOf("MPF ($)", "$ HMF", "Base–Duty–Paid", "MPF -", "\ufeffTotal Duty*")).toEqual([]);
  });

  test.each([
    ["IEEPA Duty %", "ieepa_duty_paid", '"IEEPA Duty %" is not read, because it is a rate.'],
    [
      "Entered Value (€)",
      "entered_value",
      '"Entered Value (€)" is not read, because it is in another currency.',
    ],
    ["IEEPA Duty 元", "ieepa_duty_paid", "because it has letters of another alphabet"],
    [
      "IEEPA Duty (EUR)",
      "ieepa_duty_paid",
      '"IEEPA Duty (EUR)" is not read: rename it if its cells are right',
    ],
    ["ieepa_duty_paid...8", "ieepa_duty_paid", '"ieepa_duty_paid...8" is not read: rename it'],
    ["ie\u00adepa_duty_paid", "ieepa_duty_paid", '"ie‹U+00AD›epa_duty_paid" is not read: rename it'],
    ["Duty Rate", "ieepa_duty_paid", "lacks a required column: ieepa_duty_paid. The file"],
  ])("%j is not the required column %s", (heading, column, words) => {
    const [header = "", row] = fileOf([{}]).split("\n");
    expect(() => readEntryFile(`${header.replace(column, heading)}\n${row}\n`)).toThrow(words);
  });

  test("leaves the column to the heading without it", () => {
    const file = fileOf([{ "IEEPA Duty %": "25", "IEEPA Duty": "250.00" }]).replace("ieepa_duty_paid", "x");
    expect(readEntryFile(file).report.totals.ieepaDutyCents).toBe(25_000);
  });
});

test("headings that may decide a route are important, unless a column takes them or ES-003 has them", () => {
  const headings = [
    "Recon",
    "My DRAWBACK no",
    "Protests",
    "Liquidator",
    "currency",
    "entry_status",
    "CANCELLED",
    "Duty Refunded",
    "Summary Version",
    "IEEPA Amount",
    "Reciprocal Duty",
    "Ch. 99 Duty",
    "Corrected Duty",
    "Entered Value USD",
    "Cur.",
    "Void",
    "Claimed",
    "Scale",
    "Prot. Stat",
    "DB Ind",
    "DBK",
    "Summary Dt",
    "Filing Date",
    "Payment Date",
    "ES Date",
    "Denial Date",
    "Crcy",
    "Curr.",
    "Währung",
    "Devise",
    "Moneda",
    "Total Liquidated Duty Amount",
    "Notes",
    "Conversion",
    "Unit Price",
    "Duty Owed to Surety",
    "Protest Number",
  ];
  expect(warningsOf(fileOf([{}], ...headings))).toMatchObject([
    {
      code: "COLUMNS_UNRECOGNIZED",
      important: headings.slice(0, 31),
      columns: [...headings.slice(0, 31), "Notes", "Conversion", "Unit Price", "Duty Owed to Surety"],
    },
  ]);
});

test("two headings are not close if they share only a word", () => {
  const [{ similar } = {}] = readEntryFile(fileOf([{}], "Job Number", "HTS Numbr", "Liquidation Dat")).report
    .fileWarnings;
  expect(similar).toEqual([
    { heading: "HTS Numbr", closest: "HTS Number - Full" },
    { heading: "Liquidation Dat", closest: "Liquidation Date" },
  ]);
});

describe("an unquoted thousands comma", () => {
  const HEADER =
    "entry_number,entry_type_code,importer_number,entry_date,country_of_origin_code,liquidation_status,entered_value,ieepa_duty_paid,base_duty_paid,mpf_paid";
  const find = (heading: string, ...rows: string[]) => {
    const lines = rows.map((row, at) => `${NUMBERS[at]},01,00-4519380AA,2025-09-22,VN,NOT_LIQUIDATED,${row}`);
    return warningsOf(`${HEADER},${heading}\n${lines.join("\n")}\n`, "CELLS_SHIFTED");
  };
  const PLAIN = "3682.30,736.46,500.00,26.79,";

  test.each([
    ["a column without a heading", "", ["50415.00,10,083.00,500.00,26.79", PLAIN]],
    ["a column of notes", "Notes", ["50415.00,10,083.00,500.00,26.79", `${PLAIN}ok`]],
    ["a column of whole dollars", "", ["50415,10,415,500,26", PLAIN]],
    ["in the entered value", "", ["50,415.00,10083.00,500.00,26.79", PLAIN]],
    ["a fee that other rows lack", "hmf_paid", ["$1,234.50,$123.45,500.00,$26.79", PLAIN]],
    ["where a spreadsheet dropped last zeros", "", ["50415.00,10,083.5,500.00,26.8", PLAIN]],
    ["into the column that follows", "Notes", ["50415.00,10083.00,500.00,1,026.79", PLAIN]],
  ])("moves cells into %s", (_, heading, rows) => {
    expect(find(heading, ...rows)).toEqual([
      { code: "CELLS_SHIFTED", severity: "stop", rows: 1, lines: [2] },
    ]);
  });

  const FEE = "3682.30,736.46,500.00,26.79,1.25";

  test.each([
    ["the duty is what is left of the value", "hmf_paid", ["1,000.00,500.00,26.79,1.25", FEE]],
    ["the base duty is what is left of the duty", "hmf_paid", ["1000.00,1,012.00,500.00,26.79", FEE]],
    ["a column without a heading is", "", ["1000.00,100.00,500.00,1,000.00", PLAIN]],
    ["a group in the middle is", "hmf_paid", ["1,234,000.00,500.00,26.79", FEE]],
    ["there are whole dollars and dollar signs", "hmf_paid", ["$1,000,$500,26,1", FEE]],
    ["no row is right", "hmf_paid", ["1,000.00,500.00,26.79,1.25"]],
  ])("leaves three digits that begin with a zero if %s", (_, heading, rows) => {
    expect(find(heading, ...rows)).toEqual([
      { code: "CELLS_SHIFTED", severity: "stop", rows: 1, lines: [2] },
    ]);
  });

  test.each([
    ["pads its amounts", "hmf_paid", ["12,050.00,500.00,26.79,", "1200.00,060.00,500.00,26.79,"]],
    ["has whole numbers that are no amounts", "Line", ["1000.00,100.00,500.00,26,001", PLAIN]],
    ["has right amounts", "hmf_paid", ["12,0.00,0,02.79,1.25", PLAIN]],
    ["has the fee of one entry alone", "hmf_paid", ["500,125.00,0.00,31.67,0.63", PLAIN]],
  ])("does not if the column %s", (_, heading, rows) => {
    expect(find(heading, ...rows)).toEqual([]);
  });

  test.each([
    ["the column has numbers in other rows", "Fee", ["50415.00,10,283.00,500.00,26.79", `${PLAIN}12`]],
    ["the column has numbers in all rows", "Fee", ["50415.00,10,283.00,500.00,26.79"]],
    ["whole amounts stand beside a number as a note", "Notes", ["980,98,500,26,4711", PLAIN]],
    ["no amount looks split", "Notes", ["50415.00,10083.00,500.00,26.79,12.10", PLAIN]],
    ["no cell moved", "Notes", ["980,98,500.00,26,", PLAIN]],
  ])("is not found if %s", (_, heading, rows) => {
    expect(find(heading, ...rows)).toEqual([]);
  });
});

describe("a number in a last column without a heading", () => {
  const [header = "", row = ""] = fileOf([{}]).split("\n");
  const find = (...cells: string[]) => {
    const rows = cells.map((cell, at) => `${row.replace(NUMBERS[0] ?? "", NUMBERS[at] ?? "")},${cell}`);
    return warningsOf(`${header},\n${rows.join("\n")}\n`, "CELLS_SHIFTED");
  };

  test.each([["26.8"], ["$26"], ["0.05"]])("may have moved there: %s", (cell) => {
    expect(find("", cell, "")).toEqual([{ code: "CELLS_SHIFTED", severity: "warn", rows: 1, lines: [3] }]);
  });

  test.each([
    ["is in every row", ["26.8", "26.9"]],
    ["stands among notes", ["26.8", "", "see mail"]],
    ["is a note of words", ["", "see mail"]],
  ])("is right if it %s", (_, cells) => {
    expect(find(...cells)).toEqual([]);
  });
});

describe("a sign that a fifth of the entries have", () => {
  const find = (...rows: Cells[]) =>
    warningsOf(fileOf(rows), "ENTRIES_IMPLAUSIBLE").map(({ severity, entries }) => [severity, entries]);

  test.each<[string, Cells]>([
    ["of summary dates", { entry_summary_date: "2025-09-21" }],
    ["of duties above the total", { total_paid: "200.00" }],
    ["of duties on days without one", { entry_date: "2021-09-01" }],
    ["of lists without an IEEPA number", { chapter_99_numbers: "9903.88.15;9903.88.03" }],
    ["of protests without a liquidation", { liquidation_status: "Open", protest_status: "DENIED" }],
  ])("%s is a warning about the file", (_, cells) => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ entry_number: ordinaryEntryNumber(index) }));
    expect(find(cells, cells, ...many(8))).toEqual([["warn", 2]]);
    expect(find(cells, cells, ...many(9))).toEqual([]);
    expect(find(cells, {})).toEqual([]);
  });
});

describe("a file that is no table", () => {
  const errorOf = (text: string | Uint8Array) =>
    [readFileError(text), readFileError(text, [1])].map(({ code }) => code);

  test.each([
    ["<html>", "NOT_A_TABLE"],
    ["\ufeff \r\n\t<table>", "NOT_A_TABLE"],
    ['{"entries": []}', "NOT_A_TABLE"],
    ["[\n]", "NOT_A_TABLE"],
    // Line ends come first, the delimiter after it.
    ["[a\rb\r", "LINE_ENDS"],
    ["[a;b", "NOT_A_TABLE"],
    ["a;b<", "DELIMITER_UNSUPPORTED"],
  ])("%j has the error %s", (text, code) => {
    expect(errorOf(text)).toEqual([code, code]);
  });

  test("a bad encoding comes first", () => {
    expect(errorOf(Buffer.from("<a>\r\xe9\r", "latin1"))).toEqual(["FILE_ENCODING", "FILE_ENCODING"]);
  });

  test.each([
    ['a\r"x\ny"\r', "LINE_ENDS"],
    ['"a\nb"\r"x""\n"\r', "LINE_ENDS"],
    ['\ufeff"a\nb",c\r', "LINE_ENDS"],
    // One LF outside quotes.
    ['a\r"x"\ny\r', "REQUIRED_COLUMN_MISSING"],
    ["a\r\nb\r\n", "REQUIRED_COLUMN_MISSING"],
    ['a"\r\n"b', "REQUIRED_COLUMN_MISSING"],
    ['"a\rb"', "REQUIRED_COLUMN_MISSING"],
  ])("the line ends of %j: %s", (text, code) => {
    expect(errorOf(text)).toEqual([code, code]);
  });
});

describe("a second export below the first one", () => {
  const [header = "", row = ""] = fileOf([{}]).split("\n");
  const swap = (line: string) =>
    line.replace("entered_value,ieepa_duty_paid", "ieepa_duty_paid,entered_value");

  test("stops the file if its columns are in another order", () => {
    expect(header).toContain("entered_value,ieepa_duty_paid");
    const file = [header, row, swap(header), row, ""].join("\n");
    expect(warningsOf(file, "HEADINGS_DIFFER")).toEqual([
      { code: "HEADINGS_DIFFER", severity: "stop", lines: [3] },
    ]);
  });

  test.each([
    ["other words, of which two are known", "Entry No,Type,IOR,Name,Date,COO,Duty,Value,Status,Liq"],
    ["three known ones and a digit", "Entry No,Type 1,IOR,Name,Date,COO,IEEPA Duty,Goods Value,Status,Liq"],
  ])("stops the file if it has %s", (_, headings) => {
    const cells = headings.split(",").slice(0, header.split(",").length);
    const line = header.split(",").map((__, index) => cells[index] ?? "");
    expect(warningsOf([header, row, line.join(","), ""].join("\n"), "HEADINGS_DIFFER")).toMatchObject([
      { severity: "stop", lines: [3] },
    ]);
  });

  const WORDS = header
    .split(",")
    .map((_, index) => `Word${"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP"[index]}`);

  test("stops the file if it has unknown words where the columns have numbers and dates", () => {
    const file = (...lines: string[]) => warningsOf([...lines, ""].join("\n"), "HEADINGS_DIFFER");
    const [words, blank] = [WORDS, WORDS.toSpliced(0, 1, "")].map((cells) => cells.join(","));
    expect(file(header, row, words ?? "", row)).toMatchObject([{ severity: "stop", lines: [3] }]);
    expect(file(header, row, blank ?? "", row)).toEqual([]);
    // It may explain the headings.
    expect(file(header, words ?? "", row)).toEqual([]);
  });

  test("is no row of units", () => {
    const units = header.split(",").map((name) => (name.endsWith("date") ? "date" : "text"));
    expect(warningsOf([header, row, units.join(","), ""].join("\n"), "HEADINGS_DIFFER")).toEqual([]);
  });

  test("only repeats a row if they are in the same one", () => {
    const file = [header, row, header, row.replace(NUMBERS[0] ?? "", NUMBERS[1] ?? ""), ""].join("\n");
    expect(warningsOf(file, "HEADINGS_DIFFER")).toEqual([]);
    expect(readEntryFile(file).report.totals.entriesAccepted).toBe(2);
  });
});

test.each(["ieepa_duty_paid.1", "IEEPA Duty_1", "ieepa_duty_paid...9"])(
  "%s is a second heading of a column, which a program numbered",
  (heading) => {
    const warning = warningsOf(fileOf([{ [heading]: "7.00" }]), "COLUMN_TWICE");
    expect(warning).toEqual([
      { code: "COLUMN_TWICE", severity: "warn", columns: ["ieepa_duty_paid", heading], lines: [2] },
    ]);
  },
);
