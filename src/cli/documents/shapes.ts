import type { TProperties } from "typebox";
import * as Type from "typebox";
import { closedObject } from "../../contract/schemas.ts";

export const listOf = <P extends TProperties>(properties: P) => Type.Array(closedObject(properties));

export const oneOf = <const Value extends string>(...values: readonly Value[]) => Type.Enum([...values]);
