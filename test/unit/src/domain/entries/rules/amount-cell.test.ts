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
    ["0 021", "spaces"],
    ["100,000,000,000", ""],
  ])("of %j are not, and the error says %j", (amount, words) => {
    const error = readAmountError(amount);
    expect(error?.code).toBe("AMOUNT_NOT_NUMERIC");
    expect(error?.detail).toContain(words);
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
