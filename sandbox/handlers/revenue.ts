import { type Dashboard, ledgerEntry as schema } from "../../src/contract/revenue.ts";
import { formatTime } from "../engine/scheduler/clock.ts";
import { toRecord } from "../engine/to-record.ts";
import { sumClaims } from "../store/claims.ts";
import type { Caller } from "../store/credentials.ts";
import { sumEnrolledClaims } from "../store/enrolled-claims.ts";
import { sumOffers } from "../store/offers.ts";
import type { Store } from "../store/open.ts";
import { listRevenue, type RevenueRow, sumRevenue } from "../store/revenue.ts";
import type { HandlersOf } from "./handler.ts";
import { renderPage } from "./page.ts";

export const revenue = {
  ledger({ caller, query }, { store }) {
    return renderPage("revenue", query, (page) => listRevenue(store, caller, query, page), toLedgerEntry);
  },

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
  const open = sumClaims(store, caller, "open");
  const financed = sumClaims(store, caller, "financed");
  const inLitigation = sumClaims(store, caller, "in_litigation");
  const { count: accepted, ...amounts } = sumOffers(store, caller, "accepted");
  const origination = sumRevenue(store, caller, "origination_fee");
  const litigation = sumRevenue(store, caller, "litigation_fee");
  return {
    claims: {
      count: open.count + financed.count + inLitigation.count,
      estimatedClaimCents:
        open.estimatedClaimCents + financed.estimatedClaimCents + inLitigation.estimatedClaimCents,
      byStatus: { open, financed, in_litigation: inLitigation },
    },
    offers: { accepted, declined: sumOffers(store, caller, "declined").count, ...amounts },
    litigation: sumEnrolledClaims(store, caller),
    revenue: {
      entries: origination.count + litigation.count,
      originationFeeCents: origination.amountCents,
      litigationFeeCents: litigation.amountCents,
      totalCents: origination.amountCents + litigation.amountCents,
    },
  };
}
