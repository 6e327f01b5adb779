import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BrowserBuffer, type Encoding } from "../../../../../../src/pages/lab/browser/bytes.ts";

const ENCODINGS: readonly Encoding[] = ["utf8", "binary", "latin1", "utf16le", "hex", "base64"];
const bytes = fc.uint8Array({ maxLength: 40 });
/** Decoders of hex and base64 get ASCII: nothing else passes what is before them. */
const textFor = (encoding: Encoding) =>
  fc.oneof(
    fc.string({ unit: encoding === "hex" || encoding === "base64" ? "binary-ascii" : "binary" }),
    fc.base64String(),
    fc.constantFrom("AbC", "-_8=", "a b\n"),
  );
const check = (property: Parameters<typeof fc.assert>[0]) => fc.assert(property, { numRuns: 200, seed: 1 });

/** A difference here is a difference of verdicts in the page. */
describe("Bytes, compared with Node's Buffer", () => {
  it.each(ENCODINGS)("decodes and encodes %s", (encoding) => {
    check(
      fc.property(bytes, fc.nat(45), fc.nat(45), (input, start, end) => {
        expect(BrowserBuffer.from(input).toString(encoding)).toBe(Buffer.from(input).toString(encoding));
        expect(BrowserBuffer.from(input).toString(encoding, start, end)).toBe(
          Buffer.from(input).toString(encoding, start, end),
        );
      }),
    );
    check(
      fc.property(textFor(encoding), (input) => {
        expect([...BrowserBuffer.from(input, encoding)]).toEqual([...Buffer.from(input, encoding)]);
      }),
    );
  });

  it("compares and searches", () => {
    const few = fc.uint8Array({ maxLength: 6, max: 2 });
    check(
      fc.property(few, few, (one, other) => {
        const [own, node] = [BrowserBuffer.from(one), Buffer.from(one)];
        expect(own.compare(other)).toBe(node.compare(other));
        expect(own.equals(other)).toBe(node.equals(other));
        const searched = String.fromCharCode(...other);
        expect(own.indexOf(searched)).toBe(node.indexOf(searched));
        expect(own.includes(searched)).toBe(node.includes(searched));
        expect(own.indexOf(1)).toBe(node.indexOf(1));
      }),
    );
    expect(BrowserBuffer.from("abcabd").compare(BrowserBuffer.from("abd"), 0, 3, 3, 6)).toBe(0);
  });

  it("writes, joins, swaps and shares memory", () => {
    const own = BrowserBuffer.alloc(8);
    expect([own.write("caf\u00e9", 1), own.write("\u00e9", "latin1"), own.write("toolong", 5)]).toEqual([
      5, 1, 3,
    ]);
    expect(own.toString("hex")).toBe("e96361 66c3 746f6f".replaceAll(" ", ""));
    expect(BrowserBuffer.concat([BrowserBuffer.from("a"), Buffer.from("bc")]).toString()).toBe("abc");
    expect(BrowserBuffer.from("abcd").swap16().toString()).toBe("badc");
    expect(BrowserBuffer.from("abcd").subarray(1, -1)).toBeInstanceOf(BrowserBuffer);
    const shared = Uint8Array.of(1, 2, 3);
    BrowserBuffer.from(shared.buffer, 1, 2)[0] = 9;
    expect(shared[1]).toBe(9);
  });
});
