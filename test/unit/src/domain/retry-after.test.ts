import { describe, expect, it } from "vitest";
import { parseRetryAfter } from "../../../../src/domain/retry-after.ts";

describe("parseRetryAfter", () => {
  const now = Date.parse("2026-11-20T00:00:00Z");

  it.each<[string, number | null]>([
    ["3", 3_000],
    ["Fri, 20 Nov 2026 00:00:07 GMT", 7_000],
    ["Friday, 20-Nov-26 00:00:07 GMT", 7_000],
    ["Thu, 19 Nov 2026 00:00:00 GMT", 0],
    ["soon", null],
    ["-5", null],
    ["1.5", 2_000],
  ])("parses %s", (value, milliseconds) => {
    expect(parseRetryAfter({ "retry-after": value }, now)).toBe(milliseconds);
  });

  it("returns null without the header", () => expect(parseRetryAfter({}, now)).toBeNull());

  it("compares a date with the Date header of the response, if there is one", () => {
    const until = { "retry-after": "Fri, 20 Nov 2026 00:00:07 GMT" };
    expect(parseRetryAfter({ ...until, date: "Fri, 20 Nov 2026 00:00:02 GMT" }, now - 86_400_000)).toBe(
      5_000,
    );
    expect(parseRetryAfter({ ...until, date: "half past nine" }, now)).toBe(7_000);
  });
});
