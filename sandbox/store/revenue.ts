import type { RevenueType } from "../../src/domain/claims/states.ts";
import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import {
  integer,
  owner,
  ownerOf,
  type PageRequest,
  plain,
  type RowOf,
  type RowPage,
  SqlTable,
  text,
} from "./sql-table.ts";

const REVENUE = new SqlTable("revenue", {
  seq: integer,
  id: text,
  ...owner,
  type: plain<RevenueType>(),
  claimId: text,
  /** The id of the offer or enrollment that earned it. */
  sourceId: text,
  amountCents: integer,
  balanceCents: integer,
  createdAt: integer,
});

export type RevenueRow = RowOf<typeof REVENUE>;

type NewRevenue = Omit<RevenueRow, keyof Caller | "seq" | "balanceCents">;

/** Adds an entry to the caller's ledger and continues its balance. */
export function addRevenue(store: Store, caller: Caller, revenue: NewRevenue): void {
  const [last] = REVENUE.list(store, ownerOf(caller), { before: null, limit: 1 });
  const balanceCents = (last?.balanceCents ?? 0) + revenue.amountCents;
  REVENUE.insert(store, { ...revenue, ...ownerOf(caller), balanceCents });
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
): RowPage<RevenueRow> => REVENUE.page(store, { ...ownerOf(caller), claimId, type }, page);

/** The entries of a type in the caller's ledger. */
export const sumRevenue = (store: Store, caller: Caller, type: RevenueType) =>
  REVENUE.sum(store, { ...ownerOf(caller), type }, "amountCents");
