import * as sql from "./columns.ts";
import { defineTable, type RowOf } from "./table.ts";

/** Only approved clients get tokens (interface §5.3). */
export const OAUTH_CLIENTS = defineTable(
  "main.oauth_client",
  {
    id: sql.text,
    secretDigest: sql.text,
    partner: sql.references("partner", sql.integer),
    approved: sql.boolean,
  },
  { key: ["id"] },
);

export type OAuthClient = RowOf<typeof OAUTH_CLIENTS>;

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
