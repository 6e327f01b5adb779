import type { RevenueType } from "../../src/domain/claims/revenue.ts";
import type { Caller } from "./credentials.ts";
import type { SqlValue, Store } from "./open.ts";
import { listOwnedRows } from "./owned-rows.ts";
import type { PageRequest, RowPage, TableReader } from "./row-page.ts";

export interface NewRevenue {
  readonly id: string;
  readonly type: RevenueType;
  readonly claimId: string;
  /** The offer or enrollment that earned it, as the type says. */
  readonly sourceId: string;
  readonly amountCents: number;
  readonly createdAt: number;
}

export interface RevenueRow extends NewRevenue {
  readonly seq: number;
  readonly balanceCents: number;
}

const TABLE: TableReader<RevenueRow> = {
  name: "revenue",
  columns: "seq, id, type, claim_id, source_id, amount_cents, balance_cents, created_at",
  read: (row: SqlValue[]) => ({
    seq: row[0] as number,
    id: row[1] as string,
    type: row[2] as RevenueType,
    claimId: row[3] as string,
    sourceId: row[4] as string,
    amountCents: row[5] as number,
    balanceCents: row[6] as number,
    createdAt: row[7] as number,
  }),
};

/** Adds to the ledger; its balance goes on from the one before. */
export function addRevenue(store: Store, caller: Caller, revenue: NewRevenue): void {
  const [last] = listOwnedRows(store, TABLE, caller, { before: null, limit: 1 }).rows;
  store.run(
    `INSERT INTO revenue (partner, environment, id, type, claim_id, source_id, amount_cents, balance_cents, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      caller.partner,
      caller.environment,
      revenue.id,
      revenue.type,
      revenue.claimId,
      revenue.sourceId,
      revenue.amountCents,
      (last?.balanceCents ?? 0) + revenue.amountCents,
      revenue.createdAt,
    ],
  );
}

interface RevenueFilter {
  readonly claimId?: string;
  readonly type?: RevenueType;
}

export const listRevenue = (
  store: Store,
  caller: Caller,
  { claimId, type }: RevenueFilter,
  page: PageRequest,
): RowPage<RevenueRow> => listOwnedRows(store, TABLE, caller, page, { claim_id: claimId, type });

/** How many entries of a type the ledger has, and their sum. */
export function sumRevenue(
  store: Store,
  { partner, environment }: Caller,
  type: RevenueType,
): { readonly entries: number; readonly amountCents: number } {
  const [entries, amountCents] = store.get(
    "SELECT COUNT(*), COALESCE(SUM(amount_cents), 0) FROM revenue WHERE partner = ? AND environment = ? AND type = ?",
    [partner, environment, type],
  ) as [number, number];
  return { entries, amountCents };
}
