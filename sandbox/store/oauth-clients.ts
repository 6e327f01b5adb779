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
