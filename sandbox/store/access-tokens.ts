import * as sql from "./columns.ts";
import { defineTable } from "./table.ts";

export const ACCESS_TOKENS = defineTable(
  "main.access_token",
  {
    digest: sql.text,
    partner: sql.references("partner", sql.integer),
    /** An expired token stays, because the response to its holder says that it expired. */
    hasExpired: sql.withDefault(0, sql.boolean),
  },
  { key: ["digest"] },
);
