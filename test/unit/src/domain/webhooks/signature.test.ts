import { describe, expect, it } from "vitest";
import { explain, type SignInput, sign, type VerifyInput, verify } from "../../../../../src/signature.ts";

// Callers without types: an unset variable, one secret in place of a list, a parsed body.

const secret = "whsec_abcdefghijklmnop";
const delivery = {
  secrets: [secret],
  headers: { "X-Service-Timestamp": "1795443216", "X-Service-Signature": "a".repeat(64) },
  body: "{}",
};

it.each([
  [{ secret: undefined }, "secret must be a string or a Uint8Array, not undefined"],
  [{ secret: 5 }, "secret must be a string or a Uint8Array, not number"],
  [{ body: null }, "body must be a string or a Uint8Array, not null"],
  [{ body: { a: 1 } }, "body must be a string or a Uint8Array, not object"],
  [{ body: [1] }, "body must be a string or a Uint8Array, not object"],
  [{ timestamp: undefined }, "timestamp is missing: give the value of its header"],
])("sign refuses %j", (wrong, message) => {
  const input = { secret, timestamp: "1", body: "", ...wrong };
  expect(() => sign(input as unknown as SignInput)).toThrow(new TypeError(message));
});

describe.each([
  ["verify", verify],
  ["explain", explain],
])("%s", (_, check) => {
  it.each([
    [{ secrets: undefined }, "secrets must be a list of signing secrets"],
    [{ secrets: secret }, "secrets must be a list of signing secrets"],
    [{ secrets: [secret, undefined] }, "secrets[1] must be a string or a Uint8Array, not undefined"],
    [{ headers: undefined }, "headers must be an object, a list of pairs, or Headers"],
    [{ headers: "a: b" }, "headers must be an object, a list of pairs, or Headers"],
    [{ body: { a: 1 } }, "body must be the raw body, a Uint8Array or a string, not a parsed one"],
    [
      { headers: Object.entries(delivery.headers).flat() },
      "headers is a flat list: give pairs or req.headers",
    ],
    [{ now: null }, "now must be a number, in milliseconds since 1970"],
    [{ now: new Date(0) }, "now must be a number, in milliseconds since 1970"],
    [{ now: 1, tolerance: 300 }, "tolerance is toleranceSeconds here"],
    [{ now: 1, toleranceSeconds: null }, "toleranceSeconds must be a number of at least 0"],
    [{ now: 1, toleranceSeconds: "300" }, "toleranceSeconds must be a number of at least 0"],
    [{ now: 1, toleranceSeconds: -1 }, "toleranceSeconds must be a number of at least 0"],
  ])("refuses %j", (wrong, message) => {
    const input = { ...delivery, ...wrong };
    expect(() => check(input as unknown as VerifyInput)).toThrow(new TypeError(message));
  });
});
