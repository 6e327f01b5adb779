import type { Caller } from "./credentials.ts";
import type { SqlValue, Store } from "./open.ts";
import { findOwnedRow, listOwnedRows } from "./owned-rows.ts";
import type { PageRequest, RowPage, TableReader } from "./row-page.ts";

export interface NewClient {
  readonly id: string;
  readonly name: string;
  readonly importerNumber: string | null;
  readonly contactEmail: string | null;
  readonly reference: string | null;
  readonly createdAt: number;
}

export interface ClientRow extends NewClient {
  readonly seq: number;
}

const TABLE: TableReader<ClientRow> = {
  name: "client",
  columns: "seq, id, name, importer_number, contact_email, reference, created_at",
  read: (row: SqlValue[]) => ({
    seq: row[0] as number,
    id: row[1] as string,
    name: row[2] as string,
    importerNumber: row[3] as string | null,
    contactEmail: row[4] as string | null,
    reference: row[5] as string | null,
    createdAt: row[6] as number,
  }),
};

export function addClient(store: Store, { partner, environment }: Caller, client: NewClient): void {
  store.run(
    `INSERT INTO client (partner, environment, id, name, importer_number, contact_email, reference, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      partner,
      environment,
      client.id,
      client.name,
      client.importerNumber,
      client.contactEmail,
      client.reference,
      client.createdAt,
    ],
  );
}

export const findClient = (store: Store, caller: Caller, id: string): ClientRow | undefined =>
  findOwnedRow(store, TABLE, caller, id);

export const listClients = (store: Store, caller: Caller, page: PageRequest): RowPage<ClientRow> =>
  listOwnedRows(store, TABLE, caller, page);
