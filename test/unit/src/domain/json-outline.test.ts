import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { JsonOutline } from "../../../../src/domain/json-outline.ts";

/** Reads a text that arrives in pieces of this size. */
function readOutline(text: string, size: number): unknown {
  const outline = new JsonOutline();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) outline.push(bytes.subarray(at, at + size));
  return outline.read();
}

describe("JsonOutline", () => {
  it.each([
    ["the members around a list", '{"a":"1","rows":[{"a":[2]},{"b":{}}],"c":3}', { a: "1", rows: [], c: 3 }],
    [
      "brackets, quotes and escapes in texts",
      '{"a":"]}\\"[{\\\\","b":{"x":"}\\"]\\\\"},"c":"é"}',
      { a: ']}"[{\\', b: { x: '}"]\\' }, c: "é" },
    ],
    ["white space", ' {\n "a" : [ 1 , 2 ] ,\n "b" : null }\n', { a: [], b: null }],
    ["the first line of NDJSON", '{"a":1}\n{"a":2}\n', { a: 1 }],
    ["a list of objects", '[{"a":1},{"a":2}]', []],
    [
      "objects outside of lists",
      '{"rows":[{"a":[]}],"meta":{"page":1,"of":[3]}}',
      { rows: [], meta: { page: 1, of: [] } },
    ],
    ["a text alone", '"a"', "a"],
    ["text that is not JSON", "a,b\n1,2\n", undefined],
    ["JSON without an end", '{"a":[1', undefined],
    ["nothing", "", undefined],
  ])("reads %s, however it arrives", (_, text, outline) => {
    for (const size of [1, 2, 3, 7, 1000]) expect(readOutline(text, size)).toEqual(outline);
  });

  it("keeps no long list in memory", () => {
    expect(readOutline(`[${'{"a":1},'.repeat(400_000)}{}]`, 65_536)).toEqual([]);
  });
});
