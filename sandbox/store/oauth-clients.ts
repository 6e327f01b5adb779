import { digestSecret } from "./credentials.ts";
import type { Store } from "./open.ts";
import * as sql from "./sql-table.ts";

const OAUTH_CLIENTS = new sql.SqlTable("oauth_client", {
  id: sql.text,
  secretDigest: sql.text,
  partner: sql.integer,
  approved: sql.boolean,
});

export type OAuthClient = sql.RowOf<typeof OAUTH_CLIENTS>;

export const addOAuthClient = (
  store: Store,
  { secret, ...client }: Omit<OAuthClient, "secretDigest"> & { readonly secret: string },
): void => OAUTH_CLIENTS.insert(store, { ...client, secretDigest: digestSecret(secret) });

export const findOAuthClient = (store: Store, id: string): OAuthClient | undefined =>
  OAUTH_CLIENTS.find(store, { id });
