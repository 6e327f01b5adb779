import Type, { type TSchema } from "typebox";
import { describe, expect, it } from "vitest";
import {
  createNotation,
  printDeclared,
  printType,
  type Schema,
} from "../../../../build/docs/type-printer.js";
import { closedObject } from "../../../../src/contract/schemas.ts";

const print = (schema: TSchema) => printType(schema as Schema, createNotation({}));

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
      closedObject({ id: Type.String(), note: Type.Optional(Type.String()) }),
    ],
    ['{ "retry-after": number }', closedObject({ "retry-after": Type.Integer() })],
  ])("prints %s", (type, schema) => {
    expect(print(schema)).toBe(type);
  });

  it("writes a description behind its field, also of one that may be null, but none of an amount", () => {
    const schema = closedObject({
      totalCents: Type.Integer({ description: "Integer US cents" }),
      nested: closedObject({ end: Type.Union([Type.String({ description: "the end" }), Type.Null()]) }),
    });
    expect(print(schema)).toBe(`{
  totalCents: number;
  nested: {
    end: string | null; // the end
  };
}`);
  });

  it("refuses a keyword that it would print wrongly", () => {
    expect(() => print({ allOf: [] })).toThrow("allOf");
  });
});

describe("printDeclared", () => {
  const printAll = (schemas: Readonly<Record<string, TSchema>>) => {
    const notation = createNotation(schemas);
    return Object.entries(schemas).map(([name, schema]) => printDeclared(name, schema as Schema, notation));
  };

  it("refers to a schema by the name of its type, whatever its labels are", () => {
    const client = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
    const labelled = { ...client, "x-basis": "assumed", "x-source": "§4" };
    const Clients = closedObject({ data: Type.Array(labelled) });
    expect(printAll({ Client: client, Created: labelled, Clients })).toEqual([
      "{ id: string }",
      "Client",
      "{ data: Client[] }",
    ]);
  });

  it("prints an object whose fields are alike as a record", () => {
    const each = closedObject({ entries: Type.Integer() });
    expect(print(closedObject({ A: each, B: each, C: each }))).toBe(
      'Record<"A" | "B" | "C", { entries: number }>',
    );
  });
});
