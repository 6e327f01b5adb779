import { describe, expect, it } from "vitest";
import {
  backoff,
  DEFAULT_RETRY_POLICY,
  isOverloaded,
  isRetryableCode,
  isRetryableResponse,
  wasNotSent,
} from "../../../../../src/client/http/retry.ts";

const answer = (status: number, headers = {}) => ({ status, headers });
const soon = { "retry-after": "1" };

describe("retries", () => {
  it("repeats a read on 429, 502, 503 and 504, a write on 429 alone", () => {
    const statuses = [400, 409, 429, 500, 502, 503, 504];
    const repeated = (safe: boolean) =>
      statuses.filter((status) => isRetryableResponse(answer(status), safe, !safe));
    expect(repeated(true)).toEqual([429, 502, 503, 504]);
    expect(repeated(false)).toEqual([429]);
  });

  it("repeats a request whose key is still in use, if the response says when", () => {
    expect(isRetryableResponse(answer(409, soon), false, true)).toBe(true);
    expect(isRetryableResponse(answer(409), false, true)).toBe(false);
    expect(isRetryableResponse(answer(409, soon), true, false)).toBe(false);
  });

  it("slows a batch down for 429, and for 503 that says for how long", () => {
    expect([answer(429), answer(503, soon)].every(isOverloaded)).toBe(true);
    expect([answer(503), answer(409, soon), answer(200)].some(isOverloaded)).toBe(false);
  });

  it("repeats a failed write only when it provably was not sent", () => {
    expect(isRetryableCode("ECONNREFUSED", false)).toBe(true);
    expect(isRetryableCode("ECONNRESET", false)).toBe(false);
    expect(isRetryableCode("ECONNRESET", true)).toBe(true);
    expect(isRetryableCode("DEPTH_ZERO_SELF_SIGNED_CERT", true)).toBe(false);
    expect(wasNotSent("DEPTH_ZERO_SELF_SIGNED_CERT")).toBe(true);
  });

  it("does not wait for a whole timeout twice", () => {
    expect(isRetryableCode("UND_ERR_HEADERS_TIMEOUT", true)).toBe(false);
    expect(isRetryableCode("UND_ERR_CONNECT_TIMEOUT", true)).toBe(true);
  });

  it("doubles its delay, with jitter", () => {
    const delay = (attempt: number, random = 0) => backoff(attempt, DEFAULT_RETRY_POLICY, () => random);
    expect([1, 2, 3].map((attempt) => delay(attempt))).toEqual([125, 250, 500]);
    expect(delay(1, 1)).toBe(250);
    expect(delay(20, 1)).toBe(30_000);
  });
});
