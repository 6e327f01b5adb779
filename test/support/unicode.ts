import fc, { type Arbitrary } from "fast-check";

// fast-check's own units "binary" and "grapheme" list all of Unicode before their first text, for two seconds in each worker.

/** A code point of well-formed text. */
export const codePoint: Arbitrary<string> = fc
  .nat(0x10_f7_ff)
  .map((index) => String.fromCodePoint(index < 0xd8_00 ? index : index + 0x8_00));

/** What a person reads as one character. */
export const grapheme: Arbitrary<string> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .integer({ min: 0x20, max: 0x2_ff_ff })
      .filter((code) => /^[\p{L}\p{N}\p{P}\p{S} ]$/u.test(String.fromCodePoint(code)))
      .map((code) => String.fromCodePoint(code)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "e\u0301",
      "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}",
      "\u{1f1e9}\u{1f1ea}",
      "\u0915\u094d\u0937\u093f",
    ),
  },
);
