import type { OfferState, OfferTerms } from "../../src/domain/claims/offer.ts";
import type { Caller } from "./credentials.ts";
import type { SqlValue, Store } from "./open.ts";
import { listOwnedRows } from "./owned-rows.ts";
import type { PageRequest, RowPage, TableReader } from "./row-page.ts";

export interface NewOffer extends OfferTerms {
  readonly id: string;
  readonly claimId: string;
  readonly createdAt: number;
}

interface OfferRow extends NewOffer {
  readonly seq: number;
}

const TABLE: TableReader<OfferRow> = {
  name: "offer",
  columns: "seq, id, claim_id, status, advance_cents, fee_cents, by_grade, created_at",
  read: (row: SqlValue[]) => {
    const [advanceCents, feeCents] = [row[4] as number, row[5] as number];
    return {
      seq: row[0] as number,
      id: row[1] as string,
      claimId: row[2] as string,
      status: row[3] as OfferState,
      advanceCents,
      feeCents,
      payoutCents: advanceCents - feeCents,
      byGrade: JSON.parse(row[6] as string),
      createdAt: row[7] as number,
    };
  },
};

export function addOffer(store: Store, { partner, environment }: Caller, offer: NewOffer): void {
  store.run(
    `INSERT INTO offer (partner, environment, id, claim_id, status, advance_cents, fee_cents, by_grade, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      partner,
      environment,
      offer.id,
      offer.claimId,
      offer.status,
      offer.advanceCents,
      offer.feeCents,
      JSON.stringify(offer.byGrade),
      offer.createdAt,
    ],
  );
}

interface OfferFilter {
  readonly claimId?: string;
  readonly status?: OfferState;
}

export const listOffers = (
  store: Store,
  caller: Caller,
  { claimId, status }: OfferFilter,
  page: PageRequest,
): RowPage<OfferRow> => listOwnedRows(store, TABLE, caller, page, { claim_id: claimId, status });

/** Of the caller's offers in a state. */
export function sumOffers(store: Store, { partner, environment }: Caller, status: OfferState) {
  const [count, advanceCents, feeCents] = store.get(
    `SELECT COUNT(*), COALESCE(SUM(advance_cents), 0), COALESCE(SUM(fee_cents), 0) FROM offer
     WHERE partner = ? AND environment = ? AND status = ?`,
    [partner, environment, status],
  ) as [number, number, number];
  return { count, advanceCents, feeCents, payoutCents: advanceCents - feeCents };
}
