import fc from "fast-check";
import { expect, test } from "vitest";
import {
  computeInterestCents,
  computeInterestFactor,
} from "../../../../../src/domain/diligence/entry-classifier.ts";
import { formatDay, parseIsoDay, toDay } from "../../../../../src/domain/entries/dates.ts";

const day = (text: string) => parseIsoDay(text) ?? Number.NaN;

test("computeInterestCents is exact beyond 2^53", () => {
  const duty = fc.oneof(fc.nat(), fc.integer({ min: 0, max: 9_999_999_999_999 }), fc.maxSafeNat());
  fc.assert(
    fc.property(duty, fc.integer({ min: 0, max: 3_000_000 }), (cents, factor) => {
      expect(BigInt(computeInterestCents(cents, factor))).toBe((BigInt(cents) * BigInt(factor)) / 3_650_000n);
    }),
    { numRuns: 2_000 },
  );
});

test("computeInterestCents rounds a value just below a whole cent down", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000_000_000 }), (cents) => {
      expect(computeInterestCents(cents * 3_650_000 - 1, 1)).toBe(cents - 1);
    }),
  );
});

test.each([
  ["2026-11-20", "2026-11-20", 0],
  ["2026-12-25", "2026-11-20", 0],
  ["2024-12-20", "2025-01-02", 600],
  ["2024-12-01", "2024-12-31", 0],
  ["2026-03-31", "2026-04-02", 1_100],
  ["2026-05-01", "2026-05-03", 1_000],
])("computeInterestFactor in days × bps from %s to %s: %d", (start, asOf, factor) => {
  expect(computeInterestFactor(day(start), day(asOf))).toBe(factor);
});

test("parseIsoDay inverts formatDay, and toDay rejects impossible dates", () => {
  fc.assert(
    fc.property(fc.integer({ min: -600_000, max: 2_900_000 }), (number) => {
      expect(parseIsoDay(formatDay(number))).toBe(number);
    }),
  );
  expect(formatDay(day("9999-12-31") + 1)).toBe("+010000-01-01");
  expect(toDay(2024, 2, 29)).not.toBeNull();
  for (const [year, month, date] of [
    [2023, 2, 29],
    [1900, 2, 29],
    [2025, 13, 1],
    [2025, 0, 1],
    [2025, 4, 31],
  ] as const) {
    expect(toDay(year, month, date)).toBeNull();
  }
});
