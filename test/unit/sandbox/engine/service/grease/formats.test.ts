import { expect, it } from "vitest";
import { serializePayload } from "../../../../../../sandbox/engine/service/grease/formats.ts";

const nest = (depth: number, items: string) => JSON.parse("[".repeat(depth) + items + "]".repeat(depth));

it("indents a payload, but none that indentation makes a hundred times as large", () => {
  const items = `${"1,".repeat(10_000)}1`;
  for (const document of [{ data: [1, [], { a: "[", b: {} }] }, { data: nest(300, items) }])
    expect(serializePayload(document, "indented")).toBe(JSON.stringify(document, null, 2));
  const deep = { data: nest(499, items) };
  expect(() => serializePayload(deep, "indented")).toThrow("the payload would have more than 8 MiB");
  expect(serializePayload(deep, null)).toBe(JSON.stringify(deep));
});

it.each(["sorted", "reversed", "indented", "spaced", "newline"] as const)(
  "writes a date as JSON does, and a field without a value not at all: %s",
  (form) => {
    const document = { at: new Date(0), none: undefined };
    expect(JSON.parse(serializePayload(document, form))).toEqual({ at: "1970-01-01T00:00:00.000Z" });
  },
);
