import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import * as sql from "./sql-table.ts";

const CLIENTS = new sql.SqlTable("client", {
  seq: sql.integer,
  id: sql.text,
  ...sql.owner,
  name: sql.text,
  importerNumber: sql.optionalText,
  contactEmail: sql.optionalText,
  reference: sql.optionalText,
  createdAt: sql.integer,
});

type ClientRow = sql.RowOf<typeof CLIENTS>;

export type NewClient = Omit<ClientRow, keyof Caller | "seq">;

export const addClient = (store: Store, caller: Caller, client: NewClient): void =>
  CLIENTS.insert(store, { ...client, ...sql.ownerOf(caller) });

export const findClient = (store: Store, caller: Caller, id: string): ClientRow | undefined =>
  CLIENTS.find(store, { ...sql.ownerOf(caller), id });

export const listClients = (store: Store, caller: Caller, page: sql.PageRequest): sql.RowPage<ClientRow> =>
  CLIENTS.page(store, sql.ownerOf(caller), page);
