import Type from "typebox";
import { count, date, each, nullable, strictObject } from "../../contract/schemas.ts";
import { listOf, oneOf } from "./shapes.ts";

export const ALIAS_DOCUMENTS = {
  Aliases: listOf({
    ...each(Type.String, "alias", "canonicalPath", "family"),
    lifecycle: oneOf("long_term", "migration_only"),
    sunset: nullable(date()),
  }),
  AliasUses: listOf({
    alias: Type.String(),
    uses: count(),
    lastUsedAt: Type.String(),
    canonicalPath: nullable(Type.String()),
    lifecycle: nullable(Type.String()),
    sunset: nullable(date()),
  }),
  AliasSunset: strictObject({ alias: Type.String(), sunset: nullable(date()) }),
};
