import Type from "typebox";
import { count, date, each, nullable, strictObject } from "../../../contract/schemas.ts";
import { listOf, oneOf, type PrintedSchemas } from "../../framework/printed-schemas.ts";

export const ALIAS_SCHEMAS: PrintedSchemas = {
  Aliases: {
    commands: ["aliases list"],
    schema: listOf({
      ...each(Type.String, "alias", "canonicalPath", "family"),
      lifecycle: oneOf("long_term", "migration_only"),
      sunset: nullable(date()),
    }),
  },
  AliasUses: {
    commands: ["aliases audit"],
    schema: listOf({
      alias: Type.String(),
      uses: count(),
      lastUsedAt: Type.String(),
      canonicalPath: nullable(Type.String()),
      lifecycle: nullable(Type.String()),
      sunset: nullable(date()),
    }),
  },
  AliasSunset: {
    commands: ["aliases sunset"],
    schema: strictObject({ alias: Type.String(), sunset: nullable(date()) }),
  },
};
