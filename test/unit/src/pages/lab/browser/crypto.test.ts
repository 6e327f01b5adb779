import * as node from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createHash,
  createHmac,
  hash,
  timingSafeEqual,
} from "../../../../../../src/pages/lab/browser/crypto.ts";

const ALGORITHMS = ["md5", "sha1", "sha256", "sha384", "sha512"] as const;
/** Around the ends of blocks of 64 and 128 bytes, where the padding takes another block. */
const LENGTHS = [0, 1, 55, 56, 57, 63, 64, 65, 111, 112, 113, 127, 128, 129, 1_000];

describe.each(ALGORITHMS)("%s in a browser", (name) => {
  it("gives the digests of node:crypto", () => {
    for (const length of LENGTHS) {
      const bytes = Buffer.alloc(length, "browser");
      const expected = node.createHash(name).update(bytes).digest("hex");
      expect(createHash(name).update(bytes).digest("hex"), String(length)).toBe(expected);
      expect(hash(name, bytes, "hex")).toBe(expected);
    }
  });

  it("gives the HMACs of node:crypto, in pieces of any length", () => {
    const bytes = fc.uint8Array({ maxLength: 300 });
    fc.assert(
      fc.property(bytes, fc.array(fc.oneof(bytes, fc.string()), { maxLength: 4 }), (key, parts) => {
        const own = createHmac(name, key);
        const expected = node.createHmac(name, key);
        for (const part of parts) {
          own.update(part);
          expected.update(part);
        }
        expect(own.digest("base64")).toBe(expected.digest("base64"));
      }),
      { numRuns: 50, seed: 1 },
    );
  });
});

describe("the rest of node:crypto in a browser", () => {
  it("refuses what it has not", () => {
    expect(() => createHash("sha3-256")).toThrow("no hash function sha3-256");
  });

  it("compares bytes of one length", () => {
    expect(timingSafeEqual(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true);
    expect(timingSafeEqual(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false);
    expect(() => timingSafeEqual(Uint8Array.of(1), Uint8Array.of(1, 2))).toThrow("lengths");
  });
});
