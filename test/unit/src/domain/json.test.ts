import { describe, expect, it } from "vitest";
import { isTextTooDeep, isTooDeep, MAX_JSON_DEPTH, parseExactJson } from "../../../../src/domain/json.ts";

const nest = (depth: number, inner = "") => '{"a":['.repeat(depth / 2) + inner + "]}".repeat(depth / 2);

describe("the depth of JSON", () => {
  it.each([
    ["the deepest value that is allowed", nest(MAX_JSON_DEPTH, "1"), false],
    ["one level more", nest(MAX_JSON_DEPTH, "[]"), true],
    ["many values beside each other", `[${"[{}],".repeat(MAX_JSON_DEPTH * 2)}1]`, false],
    ["brackets in a text", JSON.stringify(["[".repeat(MAX_JSON_DEPTH * 2)]), false],
    ["brackets after an escaped quote", JSON.stringify([`"${"{".repeat(MAX_JSON_DEPTH * 2)}`]), false],
    ["brackets after a text that ends with a backslash", `["\\\\",${nest(MAX_JSON_DEPTH)}]`, true],
  ])("is found in the text as in the value: %s", (_, text, expected) => {
    expect(isTextTooDeep(text)).toBe(expected);
    expect(isTooDeep(JSON.parse(text))).toBe(expected);
  });

  it("is found in a text that is not JSON", () => {
    expect(isTextTooDeep("[".repeat(MAX_JSON_DEPTH + 1))).toBe(true);
    expect(isTextTooDeep('{"a":'.repeat(MAX_JSON_DEPTH + 1))).toBe(true);
  });
});

it.each([
  ['{"id":9224851642388483,"of":[-9224851642388485]}', { id: "9224851642388483", of: ["-9224851642388485"] }],
  ['{"id":9007199254740991,"next":9007199254740993}', { id: 9007199254740991, next: "9007199254740993" }],
  ['{"a":0.30000000000000004,"b":1234567890123456.5}', { a: 0.30000000000000004, b: 1234567890123456.5 }],
  ['{"a":12345678901234567e3}', { a: 12345678901234567e3 }],
  ['{"a":"9224851642388483 \\"9224851642388483"}', { a: '9224851642388483 "9224851642388483' }],
  ["9224851642388483,", undefined],
])(
  "parseExactJson keeps the digits of an integer that a number rounds, and nothing else: %s",
  (text, value) => {
    expect(parseExactJson(text)).toEqual(value);
  },
);
