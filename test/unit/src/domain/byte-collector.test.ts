import { describe, expect, it } from "vitest";
import { ByteCollector } from "../../../../src/domain/byte-collector.ts";

describe("ByteCollector", () => {
  it("joins pieces of any size", () => {
    const collector = new ByteCollector();
    const pieces = ["", "a", "bc", "", "defghij", "k"];
    for (const piece of pieces) collector.append(Buffer.from(piece));
    expect(collector.bytes().toString()).toBe("abcdefghijk");
    expect(collector).toHaveLength(11);
  });

  it("copies the pieces, so that a body in single bytes takes no more memory than its bytes", () => {
    const collector = new ByteCollector();
    const piece = Buffer.alloc(1);
    for (let byte = 0; byte < 256; byte += 1) {
      piece[0] = byte;
      collector.append(piece);
    }
    expect([...collector.bytes()]).toEqual(Array.from({ length: 256 }, (_, byte) => byte));
    expect(collector.bytes().buffer.byteLength).toBeLessThanOrEqual(512);
  });

  it("forgets the bytes", () => {
    const collector = new ByteCollector();
    collector.append(Buffer.from("abc"));
    collector.clear();
    collector.append(Buffer.from("d"));
    expect(collector.bytes().toString()).toBe("d");
  });
});
