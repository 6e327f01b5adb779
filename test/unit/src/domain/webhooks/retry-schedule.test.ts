import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  nextRetryDelayMs,
  parseRetrySchedule,
  RETRY_SCHEDULES,
} from "../../../../../src/domain/webhooks/retry-schedule.ts";

const HOUR = 3_600_000;
const sum = (delays: readonly number[]) => delays.reduce((total, delay) => total + delay, 0);

/** A schedule, one of its attempts except the last, and jitter. */
const retries = fc
  .record({
    schedule: fc.array(fc.integer({ min: 0, max: 24 * HOUR }), { minLength: 1, maxLength: 12 }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    place: fc.nat(),
  })
  .map(({ schedule, jitter, place }) => ({ schedule, jitter, attempt: place % schedule.length }));

describe("parseRetrySchedule", () => {
  it("has a standard schedule of ten attempts over 75 h 35 min 5 s", () => {
    expect(RETRY_SCHEDULES.standard).toHaveLength(10);
    expect(sum(RETRY_SCHEDULES.standard)).toBe(75 * HOUR + 35 * 60_000 + 5_000);
  });

  it.each([
    ["standard", RETRY_SCHEDULES.standard],
    ["fast", [0, 1_000, 2_000, 5_000, 10_000, 30_000]],
    ["none", [0]],
    ["0,5s,5m", [0, 5_000, 300_000]],
    ["1s, 1h30m ,250ms", [1_000, 5_400_000, 250]],
  ])("parses %s", (text, delays) => {
    expect(parseRetrySchedule(text)).toEqual(delays);
  });

  it.each([
    ["", '"" is not a duration'],
    ["toString", '"toString" is not a duration'],
    ["0,5", '"5" is not a duration'],
    ["0,366d", "366d is longer than a year"],
    [Array(101).fill("1s").join(), "it has 101 attempts; the maximum is 100"],
  ])("rejects %j", (text, message) => {
    expect(() => parseRetrySchedule(text)).toThrow(
      expect.objectContaining({
        kind: "usage",
        code: "option_invalid",
        message: expect.stringContaining(message),
        hint: "give standard, fast, none or the delay before each attempt, such as 0,5s,5m,1h",
      }),
    );
  });
});

describe("nextRetryDelayMs", () => {
  it("varies the delay by at most 20% in both directions", () => {
    const at = (jitter: number) =>
      nextRetryDelayMs({ schedule: [5_000], attempt: 0, jitter, retryAfterMs: null });
    expect([at(0), at(0.25), at(1)]).toEqual([4_000, 4_500, 6_000]);
    fc.assert(
      fc.property(retries, (retry) => {
        const delay = retry.schedule[retry.attempt] ?? Number.NaN;
        const found = nextRetryDelayMs({ ...retry, retryAfterMs: null }) ?? Number.NaN;
        return Number.isInteger(found) && Math.abs(found - delay) <= 0.2 * delay + 0.5;
      }),
    );
  });

  it("does not add an attempt for Retry-After", () => {
    expect(nextRetryDelayMs({ schedule: [0], attempt: 1, jitter: 0.5, retryAfterMs: 1_000 })).toBeNull();
  });
});
