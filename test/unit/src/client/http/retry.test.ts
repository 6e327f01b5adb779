import { describe, expect, it } from "vitest";
import {
  backoff,
  DEFAULT_RETRY_POLICY,
  isOverloaded,
  isRetryableCode,
  isRetryableResponse,
  wasNotSent,
} from "../../../../../src/client/http/retry.ts";

const response = (status: number, headers = {}) => ({ status, headers });
const soon = { "retry-after": "1" };

describe("the retry policy", () => {
  it("retries a read after 429, 502, 503 and 504, and a write only after 429", () => {
    const statuses = [400, 409, 429, 500, 502, 503, 504];
    const listRetried = (safe: boolean) =>
      statuses.filter((status) => isRetryableResponse(response(status), safe));
    expect(listRetried(true)).toEqual([429, 502, 503, 504]);
    expect(listRetried(false)).toEqual([429]);
  });

  it("reports overload for 429, and for 503 with Retry-After", () => {
    expect([response(429), response(503, soon)].every(isOverloaded)).toBe(true);
    expect([response(503), response(409, soon), response(200)].some(isOverloaded)).toBe(false);
  });

  it("retries a failed write only when it was certainly not sent", () => {
    expect(isRetryableCode("ECONNREFUSED", false)).toBe(true);
    expect(isRetryableCode("ECONNRESET", false)).toBe(false);
    expect(isRetryableCode("ECONNRESET", true)).toBe(true);
    expect(isRetryableCode("DEPTH_ZERO_SELF_SIGNED_CERT", true)).toBe(false);
    expect(wasNotSent("DEPTH_ZERO_SELF_SIGNED_CERT")).toBe(true);
  });

  it("does not retry after a response timeout", () => {
    expect(isRetryableCode("UND_ERR_HEADERS_TIMEOUT", true)).toBe(false);
    expect(isRetryableCode("UND_ERR_CONNECT_TIMEOUT", true)).toBe(true);
  });

  it("doubles the delay at each attempt up to a maximum, with jitter", () => {
    const delay = (attempt: number, random = 0) => backoff(attempt, DEFAULT_RETRY_POLICY, () => random);
    expect([1, 2, 3].map((attempt) => delay(attempt))).toEqual([125, 250, 500]);
    expect(delay(1, 1)).toBe(250);
    expect(delay(20, 1)).toBe(30_000);
  });
});
