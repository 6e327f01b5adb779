import Type, { type TProperties } from "typebox";
import { strictObject } from "../../contract/schemas.ts";

export const listOf = <P extends TProperties>(properties: P) => Type.Array(strictObject(properties));

export const oneOf = (...values: readonly string[]) => Type.Enum([...values]);
