import type { RevenueType } from "../../src/domain/claims/states.ts";
import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import * as sql from "./sql-table.ts";

const REVENUE = new sql.SqlTable("revenue", {
  seq: sql.integer,
  id: sql.text,
  ...sql.owner,
  type: sql.plain<RevenueType>(),
  claimId: sql.text,
  /** The id of the offer or enrollment that earned it. */
  sourceId: sql.text,
  amountCents: sql.integer,
  balanceCents: sql.integer,
  createdAt: sql.integer,
});

export type RevenueRow = sql.RowOf<typeof REVENUE>;

type NewRevenue = Omit<RevenueRow, keyof Caller | "seq" | "balanceCents">;

/** Adds an entry to the caller's ledger and continues its balance. */
export function addRevenue(store: Store, caller: Caller, revenue: NewRevenue): void {
  const [last] = REVENUE.list(store, sql.ownerOf(caller), { before: null, limit: 1 });
  const balanceCents = (last?.balanceCents ?? 0) + revenue.amountCents;
  REVENUE.insert(store, { ...revenue, ...sql.ownerOf(caller), balanceCents });
}

export const listRevenue = (
  store: Store,
  caller: Caller,
  { claimId, type }: Partial<Pick<RevenueRow, "claimId" | "type">>,
  page: sql.PageRequest,
): sql.RowPage<RevenueRow> => REVENUE.page(store, { ...sql.ownerOf(caller), claimId, type }, page);

/** The entries of a type in the caller's ledger. */
export const sumRevenue = (store: Store, caller: Caller, type: RevenueType) =>
  REVENUE.sum(store, { ...sql.ownerOf(caller), type }, "amountCents");
