import type { Store } from "./open.ts";
import * as sql from "./sql-table.ts";

const ACCESS_TOKENS = new sql.SqlTable("access_token", {
  digest: sql.text,
  partner: sql.integer,
  hasExpired: sql.boolean,
});

export type AccessToken = sql.RowOf<typeof ACCESS_TOKENS>;

export const addToken = (store: Store, digest: string, partner: number): void =>
  ACCESS_TOKENS.insert(store, { digest, partner });

export const expireToken = (store: Store, digest: string): void =>
  ACCESS_TOKENS.update(store, { digest }, { hasExpired: true });

/** Finds an expired token too: the response to its holder says that it expired. */
export const findToken = (store: Store, digest: string): AccessToken | undefined =>
  ACCESS_TOKENS.find(store, { digest });
