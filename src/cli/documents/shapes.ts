import type { TProperties } from "typebox";
import * as Type from "typebox";
import { closedObject } from "../../contract/schemas.ts";

export const listOf = <P extends TProperties>(properties: P) => Type.Array(closedObject(properties));

export const oneOf = (...values: readonly string[]) => Type.Enum([...values]);
