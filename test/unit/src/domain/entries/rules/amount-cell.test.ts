import { describe, expect, test } from "vitest";
import { createFileWithRow, readEntryFile, readOnlyEntry } from "../../../../../support/read-entry-file.ts";

/** The error of a file with this amount. */
function readAmountError(amount: string) {
  const [rejection] = readEntryFile(createFileWithRow({ ieepa_duty_paid: amount })).report.rejections;
  return rejection?.errors[0];
}

describe("the groups of an amount", () => {
  test.each([
    ["1,234", 123_400],
    ["12,345.6", 1_234_560],
    ["1,234,567.89", 123_456_789],
    ["99,999,999,999.99", 9_999_999_999_999],
    ["100 200", 10_020_000],
    ["1 234.50", 123_450],
    ["1\u00a0234\u202f567", 123_456_700],
  ])("of %j are three digits, so that it is %d cents", (amount, cents) => {
    const { ieepaDutyCents, warnings } = readOnlyEntry(createFileWithRow({ ieepa_duty_paid: amount }));
    expect([ieepaDutyCents, warnings]).toEqual([cents, ["AMOUNT_FORMATTED"]]);
  });

  test.each([
    ["0,021", "decimal comma"],
    ["0,125", "decimal comma"],
    ["$0,125", "decimal comma"],
    [",123", "decimal comma"],
    ["00,100", "decimal comma"],
    ["1, 234", ""],
    ["1234,5", "Write 1234.5."],
    ["$ 1234,50", "Write 1234.50."],
    ["1234,500", "decimal comma"],
    ["1234,567", "decimal comma"],
    ["12345,678.00", "not groups of three digits"],
    ["1234,567,890", "not groups of three digits"],
    ["1,2345", "not groups of three digits"],
    ["01,234", "not groups of three digits"],
    ["1,234 567", ""],
    ["1 234,567", ""],
    ["1 2.50", "spaces"],
    ["12 34", "spaces"],
    ["1  234", "spaces"],
    ["1\t000", ""],
    ["\u22125.00", "minus sign"],
    ["$\u20135.00", "minus sign"],
    ["5.00\u2212", "minus sign"],
    [".50", "Write 0.50."],
    ["100.", "Write 100.00."],
    ["0 021", "spaces"],
    ["100,000,000,000", ""],
  ])("of %j are not, and the error says %j", (amount, words) => {
    const error = readAmountError(amount);
    expect(error?.code).toBe("AMOUNT_NOT_NUMERIC");
    expect(error?.detail).toContain(words);
  });
});

describe("the decimal sign of a column", () => {
  const [header = "", row = ""] = createFileWithRow().split("\n");
  const find = (...rows: { value?: string; duty?: string }[]) =>
    readEntryFile(
      [
        header,
        ...rows.map(({ value = "10000.00", duty = "2000" }) =>
          row.replace("10000.00", `"${value}"`).replace("2000.00", `"${duty}"`),
        ),
        "",
      ].join("\n"),
    ).report.fileWarnings.flatMap(({ code, columns, lines, rows, severity }) =>
      code === "DECIMAL_COMMA_MIXED" ? [{ columns, lines, rows, severity }] : [],
    );

  test.each<[string, string[], [number, number, number] | null]>([
    ["three digits may be decimals", ["0,125", "1,250", "0,5", "$12,500"], [2, 2, 3]],
    ["the proof may come later", ["1,250", "1234,50"], [1, 3, 2]],
    ["points of thousands prove it, too", ["1.250,000", "1,250", "7,5"], [1, 2, 3]],
    ["two commas in a column with points are no typing errors", ["1,5", "1,250", "2,5", "2.50"], [1, 2, 3]],
    ["one is no typing error either", ["1,5", "1,250", "$2,500.00"], [1, 2, 3]],
    ["among more than a hundred, it is", ["1,5", "1,250", ...Array(101).fill("2.50")], null],
    ["without a proof, it is thousands", ["1,250", "12,34,567", "1,2345"], null],
    ["other amounts cannot be read in both ways", ["1,5", "1234", "1,234,567"], null],
  ])("%s", (_, amounts, fault) => {
    const [rows, ...lines] = fault ?? [];
    const warning = { severity: "stop", columns: ["ieepa_duty_paid"], rows, lines };
    expect(find(...amounts.map((duty) => ({ duty })))).toEqual(fault === null ? [] : [warning]);
  });

  test("is that of another column if a column proves none", () => {
    const proof = { duty: "0,5", value: "1,250" };
    expect(find(proof)).toMatchObject([{ columns: ["entered_value"], rows: 1, lines: [2, 2] }]);
    expect(find(proof, {})).toEqual([]);
  });
});

describe("the dollar sign of an amount", () => {
  test.each([
    ["$5", 500],
    ["$ 1,234.50", 123_450],
    ["$\u00a01 234", 123_400],
    ["5.25$", 525],
    ["1,234.50 $", 123_450],
    ["$-", 0],
    ["$ -", 0],
    ["- $", 0],
  ])("may be before or after it: %j is %d cents", (amount, cents) => {
    const { ieepaDutyCents, warnings } = readOnlyEntry(createFileWithRow({ ieepa_duty_paid: amount }));
    expect([ieepaDutyCents, warnings]).toEqual([cents, ["AMOUNT_FORMATTED"]]);
  });

  test.each(["1$00", "10$0.00", "$$5", "$5$", "5$$", "$ $ -", "$", "1$-"])("is elsewhere in %j", (amount) => {
    expect(readAmountError(amount)?.code).toBe("AMOUNT_NOT_NUMERIC");
  });

  test.each(["-5", "-$5", "$-5", "$ -5.00", "($5.00)", "$(5.00)", "( 5.00 )", "(.5)"])(
    "does not hide that %j is negative",
    (amount) => {
      expect(readAmountError(amount)?.code).toBe("AMOUNT_NEGATIVE");
    },
  );
});

describe("zeros before an amount", () => {
  test.each(["00000744876", "007", "$0012"])(
    "of %j, which has no point, may stand before cents",
    (amount) => {
      const error = readAmountError(amount);
      expect(error?.code).toBe("AMOUNT_NOT_NUMERIC");
      expect(error?.detail).toContain("cents of fixed-width records");
    },
  );

  test.each([
    ["0007448.76", 744_876],
    ["000", 0],
    ["0", 0],
  ])("of %j are dropped", (amount, cents) => {
    expect(readOnlyEntry(createFileWithRow({ ieepa_duty_paid: amount })).ieepaDutyCents).toBe(cents);
  });
});
