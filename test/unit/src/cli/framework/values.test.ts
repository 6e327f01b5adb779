import { describe, expect, it } from "vitest";
import { parseDay, parseDayLimit } from "../../../../../src/cli/framework/values.ts";

describe("parseDayLimit", () => {
  const today = parseDay("2026-11-20");

  it("includes the last of a number of days, as the urgent entries of a report", () => {
    expect(parseDayLimit("14d")(today)).toBe(parseDay("2026-12-05"));
    expect(parseDayLimit("0d")(today)).toBe(parseDay("2026-11-21"));
  });

  it("ends before a date", () => {
    expect(parseDayLimit("2026-12-04")(today)).toBe(parseDay("2026-12-04"));
  });

  it.each(["14", "14h", "2026-13-01", ""])("refuses %j", (text) => {
    expect(() => parseDayLimit(text)).toThrow(/is neither a number of days nor a date/);
  });
});
