import type { RevenueType } from "../../src/domain/claims/states.ts";
import * as sql from "./columns.ts";
import type { Caller } from "./credentials.ts";
import type { Store } from "./store.ts";
import { defineTable, type NewRowOf, type RowOf } from "./table.ts";

/** The ledger. Rows do not change. */
export const REVENUE = defineTable(
  "main.revenue",
  {
    ...sql.record,
    type: sql.textOf<RevenueType>(),
    claimId: sql.references("claim (id)", sql.text),
    sourceId: sql.text,
    amountCents: sql.integer,
    balanceCents: sql.integer,
    createdAt: sql.time,
  },
  { indexes: [["partner", "environment", "seq"]] },
);

export type RevenueRow = RowOf<typeof REVENUE>;

type NewRevenue = Omit<NewRowOf<typeof REVENUE>, keyof Caller | "balanceCents">;

export function addRevenue(store: Store, caller: Caller, revenue: NewRevenue): void {
  const [last] = REVENUE.list(store, caller, { before: null, limit: 1 });
  const balanceCents = (last?.balanceCents ?? 0) + revenue.amountCents;
  REVENUE.insert(store, { ...revenue, ...caller, balanceCents });
}
