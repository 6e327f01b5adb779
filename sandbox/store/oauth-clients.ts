import { digestSecret } from "./credentials.ts";
import type { Store } from "./open.ts";
import { boolean, integer, type RowOf, SqlTable, text } from "./sql-table.ts";

const OAUTH_CLIENTS = new SqlTable("oauth_client", {
  id: text,
  secretDigest: text,
  partner: integer,
  approved: boolean,
});

export type OAuthClient = RowOf<typeof OAUTH_CLIENTS>;

export const addOAuthClient = (
  store: Store,
  { secret, ...client }: Omit<OAuthClient, "secretDigest"> & { readonly secret: string },
): void => OAUTH_CLIENTS.insert(store, { ...client, secretDigest: digestSecret(secret) });

export const findOAuthClient = (store: Store, id: string): OAuthClient | undefined =>
  OAUTH_CLIENTS.find(store, { id });
