import * as zlib from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decompress } from "../../../../../../src/pages/lab/browser/decompress.ts";

const FORMATS = {
  gzip: [zlib.gzipSync, zlib.gunzipSync],
  deflate: [zlib.deflateSync, zlib.inflateSync],
  "deflate-raw": [zlib.deflateRawSync, zlib.inflateRawSync],
} as const;

const MAX_BYTES = 2_000;

const bytesOf = (run: () => Uint8Array): string | null => {
  try {
    return Buffer.from(run()).toString("base64");
  } catch {
    return null;
  }
};

/** What a network or a program does to compressed bytes. */
const DAMAGES: readonly ((packed: Buffer, at: number) => Buffer)[] = [
  (packed) => packed,
  (packed, at) => packed.subarray(0, at % packed.length),
  (packed, at) =>
    packed.map((byte, index) => (index === at % packed.length ? byte ^ (1 << (at % 8)) : byte)) as Buffer,
  (packed) => Buffer.concat([packed, packed]),
  (packed) => Buffer.concat([packed, Buffer.from("tail")]),
  (packed) => Buffer.concat([packed, Buffer.alloc(3)]),
];

describe.each(Object.entries(FORMATS))("%s in a browser", (name, [pack, unpack]) => {
  it("unpacks what node:zlib unpacks", () => {
    let unpacked = 0;
    const text = fc
      .string({ maxLength: 200 })
      .chain((piece) => fc.nat(20).map((count) => piece.repeat(count)));
    fc.assert(
      fc.property(
        fc.oneof(
          text.map((each) => Buffer.from(each)),
          fc.uint8Array({ maxLength: 300 }),
        ),
        fc.record({ level: fc.integer({ min: 0, max: 9 }), strategy: fc.integer({ min: 0, max: 4 }) }),
        fc.constantFrom(...DAMAGES),
        fc.nat(),
        (bytes, options, damage, at) => {
          const packed = damage(pack(bytes, options), at);
          const expected = bytesOf(() => unpack(packed, { maxOutputLength: MAX_BYTES }));
          const own = bytesOf(() => decompress(packed, name as keyof typeof FORMATS, MAX_BYTES));
          if (expected === null) return;
          expect(own).toBe(expected);
          unpacked += 1;
        },
      ),
      { numRuns: 300, seed: 1 },
    );
    expect(unpacked).toBeGreaterThan(100);
  });

  it("refuses text, and more bytes than it may give", () => {
    const packed = pack(Buffer.from(Array.from({ length: 900 }, (_, index) => `{"n":${index}}`).join()));
    const text = Buffer.from("x^ is not compressed");
    expect(() => decompress(text, name as keyof typeof FORMATS, MAX_BYTES)).toThrow();
    expect(() => decompress(packed, name as keyof typeof FORMATS, MAX_BYTES)).toThrow("too many bytes");
    expect(() => decompress(pack(Buffer.alloc(1 << 24)), name as keyof typeof FORMATS, MAX_BYTES)).toThrow(
      "too many bytes",
    );
  });
});

it("brotli has no decoder in a browser", () => {
  expect(() => decompress(zlib.brotliCompressSync("{}"), "br", MAX_BYTES)).toThrow("brotli");
});
