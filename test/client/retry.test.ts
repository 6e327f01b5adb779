import { describe, expect, it } from "vitest";
import {
  delayBefore,
  isRepeatable,
  isTooLong,
  isWorthRepeating,
  parseRetryAfter,
  wasNeverSent,
} from "../../src/client/retry.ts";

const at = (now: number, random = 0) => ({ now: () => now, random: () => random, sleep: async () => {} });

describe("retries", () => {
  it("repeats a read on 429, 502, 503 and 504, a write on 429 alone", () => {
    const statuses = [400, 409, 429, 500, 502, 503, 504];
    expect(statuses.filter((status) => isWorthRepeating(status, true))).toEqual([429, 502, 503, 504]);
    expect(statuses.filter((status) => isWorthRepeating(status, false))).toEqual([429]);
  });

  it("repeats a failed write only when it provably was not sent", () => {
    expect(isRepeatable("ECONNREFUSED", false)).toBe(true);
    expect(isRepeatable("ECONNRESET", false)).toBe(false);
    expect(isRepeatable("ECONNRESET", true)).toBe(true);
    expect(isRepeatable("DEPTH_ZERO_SELF_SIGNED_CERT", true)).toBe(false);
    expect(wasNeverSent("DEPTH_ZERO_SELF_SIGNED_CERT")).toBe(true);
  });

  it("obeys Retry-After in both forms", () => {
    const now = Date.parse("2026-11-20T00:00:00Z");
    expect(parseRetryAfter("3", now)).toBe(3_000);
    expect(parseRetryAfter("Fri, 20 Nov 2026 00:00:07 GMT", now)).toBe(7_000);
    expect(parseRetryAfter("Thu, 19 Nov 2026 00:00:00 GMT", now)).toBe(0);
    expect(parseRetryAfter("soon", now)).toBeNull();
    expect(delayBefore(1, "2", at(now))).toBe(2_000);
    expect(isTooLong("30", now)).toBe(false);
    expect(isTooLong("31", now)).toBe(true);
    expect(isTooLong(undefined, now)).toBe(false);
  });

  it("doubles its delay, with jitter", () => {
    expect([1, 2, 3].map((attempt) => delayBefore(attempt, undefined, at(0)))).toEqual([125, 250, 500]);
    expect(delayBefore(1, undefined, at(0, 1))).toBe(250);
  });
});
