import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { JsonOutline } from "../../../../src/domain/json-outline.ts";

/** Reads a text that arrives in pieces of this size. */
function readAll(text: string, size: number): JsonOutline {
  const outline = new JsonOutline();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) outline.push(bytes.subarray(at, at + size));
  return outline;
}

const readOutline = (text: string, size: number): unknown => readAll(text, size).read();

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
      "objects in no list",
      '{"rows":[{"a":[]}],"meta":{"n":1,"of":[3]}}',
      { rows: [], meta: { n: 1, of: [] } },
    ],
    ["a text alone", '"a"', "a"],
    ["text that is not JSON", "a,b\n1,2\n", undefined],
    ["JSON without an end", '{"a":[1', undefined],
    ["nothing", "", undefined],
  ])("reads %s, however it arrives", (_, text, outline) => {
    for (const size of [1, 2, 3, 7, 1000]) expect(readOutline(text, size)).toEqual(outline);
  });

  it.each([
    ['{"errors":[{}],"rows":[{"a":[{}]},{"b":{}}, {}],"c":{}}\n', 3, null],
    ['{"rows":[1,2]}', 0, null],
    [`{${Array.from({ length: 60_000 }, (_, at) => `"id-${at}":{"route":"cape"}`)}}`, 0, null],
    ['{"a":1}\n{"a":2}\n', 0, "followed"],
    ['{"rows":[{"a":1}]}\0', 1, "followed"],
    ['{"rows":[{"a":1},{"b":', 0, "cut"],
    ['{"rows":[{"a":1}]', 1, "cut"],
    ['{"rows":[{"a":1}],,}', 1, "malformed"],
  ])("counts the rows of its longest list, and sees what is wrong around it: %#", (text, rows, fault) => {
    for (const size of [1, 2, 7, 1000]) {
      const outline = readAll(text, size);
      expect([outline.rows, outline.findFault()]).toEqual([rows, fault]);
    }
  });

  it("keeps no long list in memory", () => {
    expect(readOutline(`[${'{"a":1},'.repeat(400_000)}{}]`, 65_536)).toEqual([]);
  });
});
