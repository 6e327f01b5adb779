import Type, { type TSchema } from "typebox";
import { describe, expect, it } from "vitest";
import { declareTypes, printType, type Schema } from "../../../../build/docs/type-printer.js";
import { strictObject } from "../../../../src/contract/schemas.ts";

const print = (schema: TSchema) => printType(schema as Schema);

describe("printType", () => {
  it.each<[type: string, schema: TSchema]>([
    ["string", Type.String({ format: "date-time" })],
    ["number", Type.Integer({ minimum: 1 })],
    ["boolean", Type.Boolean()],
    ["unknown", Type.Unknown()],
    ['"a" | "b"', Type.Enum(["a", "b"])],
    ["1", Type.Literal(1)],
    ["string | null", Type.Union([Type.String({ maxLength: 1 }), Type.Null()])],
    ["number", Type.Union([Type.Integer(), Type.Number()])],
    ['("a" | "b")[]', Type.Array(Type.Enum(["a", "b"]))],
    ["(string | null)[]", Type.Array(Type.Union([Type.String(), Type.Null()]))],
    ["Record<string, number>", Type.Record(Type.String(), Type.Integer())],
    [
      "{ id: string; note?: string }",
      strictObject({ id: Type.String(), note: Type.Optional(Type.String()) }),
    ],
    ['{ "retry-after": number }', strictObject({ "retry-after": Type.Integer() })],
  ])("prints %s", (type, schema) => {
    expect(print(schema)).toBe(type);
  });

  it("writes a description behind its field, also of one that may be null, but none of an amount", () => {
    const schema = strictObject({
      totalCents: Type.Integer({ description: "Integer US cents" }),
      nested: strictObject({ end: Type.Union([Type.String({ description: "the end" }), Type.Null()]) }),
    });
    expect(print(schema)).toBe(`{
  totalCents: number;
  nested: {
    end: string | null; // the end
  };
}`);
  });

  it("refuses a keyword that it would print wrongly", () => {
    expect(() => printType({ allOf: [] } as Schema)).toThrow("allOf");
  });
});

describe("declareTypes", () => {
  const client = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
  const labelled = { ...client, "x-basis": "assumed", "x-source": "§4" };
  const list = {
    type: "object",
    properties: { data: { type: "array", items: labelled } },
    required: ["data"],
  };

  it("refers to a schema by the name of its type, whatever its labels are", () => {
    const schemas = new Map<string, Schema>(
      Object.entries({ Client: client, Created: labelled, Clients: list }),
    );
    expect([...declareTypes(schemas).declarations.values()]).toEqual([
      "type Client = { id: string }",
      "type Created = Client",
      "type Clients = { data: Client[] }",
    ]);
  });
});
