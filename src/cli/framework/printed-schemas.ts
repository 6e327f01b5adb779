import Type, { type TProperties, type TSchema } from "typebox";
import { strictObject } from "../../contract/schemas.ts";

/** JSON Schemas of what `--json` of commands prints, by name. A line of `--ndjson` is an item of an array. */
export type PrintedSchemas = Readonly<
  Record<string, { readonly commands: readonly string[]; readonly schema: TSchema }>
>;

export const listOf = <P extends TProperties>(properties: P) => Type.Array(strictObject(properties));

export const oneOf = (...values: readonly string[]) => Type.Enum([...values]);

/** The error of an item of a list; null without one. */
export const itemError = () =>
  Type.Union([
    strictObject({ code: Type.String(), message: Type.String(), hint: Type.String() }),
    Type.Null(),
  ]);

export const headerPairs = () =>
  Type.Array(Type.Array(Type.String(), { minItems: 2, maxItems: 2 }), { description: "names and values" });
