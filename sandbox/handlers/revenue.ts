import { type Dashboard, ledgerEntry as schema } from "../../src/contract/operations/revenue.ts";
import type { ClaimState, RevenueType } from "../../src/domain/claims/states.ts";
import { formatTime } from "../engine/scheduler/clock.ts";
import { toRecord } from "../engine/to-record.ts";
import { CLAIMS, ENROLLED_CLAIMS, OFFERS } from "../store/claims.ts";
import type { Caller } from "../store/credentials.ts";
import { REVENUE, type RevenueRow } from "../store/revenue.ts";
import type { Store } from "../store/store.ts";
import type { HandlersOf } from "./handler.ts";
import { renderRows } from "./page.ts";

export const revenue = {
  ledger: (input, engine) => renderRows("revenue", REVENUE, input, toLedgerEntry, engine),

  dashboard({ caller }, { store, clock }) {
    const { environment } = caller;
    const asOf = formatTime(clock.now());
    return { json: { environment, asOf, currency: "USD", ...computeFigures(store, caller) } };
  },
} satisfies HandlersOf<"revenue">;

const toLedgerEntry = (entry: RevenueRow) =>
  toRecord(schema, {
    ...entry,
    offerId: entry.type === "origination_fee" ? entry.sourceId : null,
    enrollmentId: entry.type === "litigation_fee" ? entry.sourceId : null,
    currency: "USD",
  });

function computeFigures(store: Store, caller: Caller): Omit<Dashboard, "environment" | "asOf" | "currency"> {
  const sumClaims = (status: ClaimState) => CLAIMS.sum(store, { ...caller, status }, "estimatedClaimCents");
  const sumRevenue = (type: RevenueType) => REVENUE.sum(store, { ...caller, type }, "amountCents");
  const [open, financed, inLitigation] = [
    sumClaims("open"),
    sumClaims("financed"),
    sumClaims("in_litigation"),
  ];
  const [origination, litigation] = [sumRevenue("origination_fee"), sumRevenue("litigation_fee")];
  const accepted = { ...caller, status: "accepted" } as const;
  const { count, ...amounts } = OFFERS.sum(store, accepted, "advanceCents", "feeCents", "payoutCents");
  const declined = OFFERS.sum(store, { ...caller, status: "declined" });
  const { count: enrolled, ...fees } = ENROLLED_CLAIMS.sum(store, caller, "litigationCents", "feeCents");
  return {
    claims: {
      count: open.count + financed.count + inLitigation.count,
      estimatedClaimCents:
        open.estimatedClaimCents + financed.estimatedClaimCents + inLitigation.estimatedClaimCents,
      byStatus: { open, financed, in_litigation: inLitigation },
    },
    offers: { accepted: count, declined: declined.count, ...amounts },
    litigation: { claims: enrolled, ...fees },
    revenue: {
      entries: origination.count + litigation.count,
      originationFeeCents: origination.amountCents,
      litigationFeeCents: litigation.amountCents,
      totalCents: origination.amountCents + litigation.amountCents,
    },
  };
}
