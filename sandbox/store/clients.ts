import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import {
  integer,
  optionalText,
  owner,
  ownerOf,
  type PageRequest,
  type RowOf,
  type RowPage,
  SqlTable,
  text,
} from "./sql-table.ts";

const CLIENTS = new SqlTable("client", {
  seq: integer,
  id: text,
  ...owner,
  name: text,
  importerNumber: optionalText,
  contactEmail: optionalText,
  reference: optionalText,
  createdAt: integer,
});

type ClientRow = RowOf<typeof CLIENTS>;

export type NewClient = Omit<ClientRow, keyof Caller | "seq">;

export const addClient = (store: Store, caller: Caller, client: NewClient): void =>
  CLIENTS.insert(store, { ...client, ...ownerOf(caller) });

export const findClient = (store: Store, caller: Caller, id: string): ClientRow | undefined =>
  CLIENTS.find(store, { ...ownerOf(caller), id });

export const listClients = (store: Store, caller: Caller, page: PageRequest): RowPage<ClientRow> =>
  CLIENTS.page(store, ownerOf(caller), page);
