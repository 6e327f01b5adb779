import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Bytes, hmacSha256 } from "../../../../../src/domain/webhooks/hmac.ts";
import { codePoint } from "../../../../support/unicode.ts";

const expectedOf = (key: Bytes, parts: readonly Bytes[]): string => {
  const hmac = createHmac("sha256", key);
  for (const part of parts) hmac.update(part);
  return hmac.digest("hex");
};

/** Bytes of every length around the limits of blocks and of copies. */
const bytes = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 200 }),
  fc.uint8Array({ maxLength: 200 }),
  fc.constantFrom(0, 55, 56, 63, 64, 65, 21_844, 21_846, 65_535, 65_537).map((length) => "a".repeat(length)),
  fc.constantFrom(65_536, 65_537).map((length) => new Uint8Array(length)),
);

describe("hmacSha256", () => {
  it("equals createHmac for keys and parts of any length, one after another", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(bytes, fc.array(bytes, { maxLength: 3 })), { minLength: 1 }), (calls) => {
        for (const [key, parts] of calls) {
          expect(hmacSha256(key, parts)).toBe(expectedOf(key, parts));
          expect(hmacSha256(key, ["a"])).toBe(expectedOf(key, ["a"]));
        }
      }),
    );
  });

  it("reads a key again whose bytes have changed", () => {
    const key = new Uint8Array([1, 2, 3]);
    expect(hmacSha256(key, ["a"])).toBe(expectedOf(key, ["a"]));
    key[0] = 9;
    expect(hmacSha256(key, ["a"])).toBe(expectedOf(key, ["a"]));
  });

  it.each([
    ["a DataView", (all: Uint8Array) => new DataView(all.buffer, 2, 6)],
    ["numbers of two bytes", (all: Uint8Array) => new Uint16Array(all.buffer, 2, 3)],
    ["signed bytes", (all: Uint8Array) => new Int8Array(all.buffer, 2, 6)],
  ])("hashes the bytes of %s", (_, view) => {
    const all = new Uint8Array([1, 2, 3, 255, 5, 6, 7, 8]);
    const body = view(all) as unknown as Uint8Array;
    expect(hmacSha256("key", [body])).toBe(expectedOf("key", [all.subarray(2)]));
  });
});
