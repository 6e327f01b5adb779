import type { Store } from "./open.ts";
import { boolean, integer, type RowOf, SqlTable, text } from "./sql-table.ts";

const ACCESS_TOKENS = new SqlTable("access_token", { digest: text, partner: integer, hasExpired: boolean });

export type AccessToken = RowOf<typeof ACCESS_TOKENS>;

export const addToken = (store: Store, digest: string, partner: number): void =>
  ACCESS_TOKENS.insert(store, { digest, partner });

export const expireToken = (store: Store, digest: string): void =>
  ACCESS_TOKENS.update(store, { digest }, { hasExpired: true });

/** Finds an expired token too: the response to its holder says that it expired. */
export const findToken = (store: Store, digest: string): AccessToken | undefined =>
  ACCESS_TOKENS.find(store, { digest });
