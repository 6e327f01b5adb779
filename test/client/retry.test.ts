import { describe, expect, it } from "vitest";
import {
  askedPause,
  backoff,
  DEFAULT_PATIENCE,
  isRepeatable,
  isWorthRepeating,
  slowsAll,
  wasNeverSent,
} from "../../src/client/retry.ts";

const answer = (status: number, headers = {}) => ({ status, headers });
const soon = { "retry-after": "1" };

describe("retries", () => {
  it("repeats a read on 429, 502, 503 and 504, a write on 429 alone", () => {
    const statuses = [400, 409, 429, 500, 502, 503, 504];
    const repeated = (safe: boolean) =>
      statuses.filter((status) => isWorthRepeating(answer(status), safe, !safe));
    expect(repeated(true)).toEqual([429, 502, 503, 504]);
    expect(repeated(false)).toEqual([429]);
  });

  it("repeats what the same key is still running for, when it is told when", () => {
    expect(isWorthRepeating(answer(409, soon), false, true)).toBe(true);
    expect(isWorthRepeating(answer(409), false, true)).toBe(false);
    expect(isWorthRepeating(answer(409, soon), true, false)).toBe(false);
  });

  it("slows a batch down for 429, and for 503 that says for how long", () => {
    expect([answer(429), answer(503, soon)].every(slowsAll)).toBe(true);
    expect([answer(503), answer(409, soon), answer(200)].some(slowsAll)).toBe(false);
  });

  it("repeats a failed write only when it provably was not sent", () => {
    expect(isRepeatable("ECONNREFUSED", false)).toBe(true);
    expect(isRepeatable("ECONNRESET", false)).toBe(false);
    expect(isRepeatable("ECONNRESET", true)).toBe(true);
    expect(isRepeatable("DEPTH_ZERO_SELF_SIGNED_CERT", true)).toBe(false);
    expect(wasNeverSent("DEPTH_ZERO_SELF_SIGNED_CERT")).toBe(true);
  });

  it("does not wait for a whole timeout twice", () => {
    expect(isRepeatable("UND_ERR_HEADERS_TIMEOUT", true)).toBe(false);
    expect(isRepeatable("UND_ERR_CONNECT_TIMEOUT", true)).toBe(true);
  });

  it("doubles its delay, with jitter", () => {
    const delay = (attempt: number, random = 0) => backoff(attempt, DEFAULT_PATIENCE, () => random);
    expect([1, 2, 3].map((attempt) => delay(attempt))).toEqual([125, 250, 500]);
    expect(delay(1, 1)).toBe(250);
    expect(delay(20, 1)).toBe(30_000);
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-11-20T00:00:00Z");

  it.each<[string, number | null]>([
    ["3", 3_000],
    ["Fri, 20 Nov 2026 00:00:07 GMT", 7_000],
    ["Friday, 20-Nov-26 00:00:07 GMT", 7_000],
    ["Thu, 19 Nov 2026 00:00:00 GMT", 0],
    ["soon", null],
    ["-5", null],
    ["1.5", null],
  ])("%s", (value, milliseconds) => {
    expect(askedPause({ "retry-after": value }, now)).toBe(milliseconds);
  });

  it("is null where there is none", () => expect(askedPause({}, now)).toBeNull());

  it("as a date is held against the service's own clock, where it tells it", () => {
    const until = { "retry-after": "Fri, 20 Nov 2026 00:00:07 GMT" };
    expect(askedPause({ ...until, date: "Fri, 20 Nov 2026 00:00:02 GMT" }, now - 86_400_000)).toBe(5_000);
    expect(askedPause({ ...until, date: "half past nine" }, now)).toBe(7_000);
  });
});
