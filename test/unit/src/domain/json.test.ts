import { describe, expect, it } from "vitest";
import { isTextTooDeep, isTooDeep, MAX_JSON_DEPTH } from "../../../../src/domain/json.ts";

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
