import { expect, it } from "vitest";
import { serializePayload } from "../../../../../sandbox/engine/grease/formats.ts";

const nest = (depth: number, items: string) => JSON.parse("[".repeat(depth) + items + "]".repeat(depth));

it("indents a payload, but none that indentation makes a hundred times as large", () => {
  const items = `${"1,".repeat(10_000)}1`;
  for (const document of [{ data: [1, [], { a: "[", b: {} }] }, { data: nest(300, items) }])
    expect(serializePayload(document, "indented")).toBe(JSON.stringify(document, null, 2));
  const deep = { data: nest(499, items) };
  expect(() => serializePayload(deep, "indented")).toThrow("the payload would have more than 8 MiB");
  expect(serializePayload(deep, null)).toBe(JSON.stringify(deep));
});
