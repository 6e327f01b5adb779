import type { OfferTerms } from "../../src/domain/claims/offer.ts";
import type { OfferState } from "../../src/domain/claims/states.ts";
import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import * as sql from "./sql-table.ts";

const OFFERS = new sql.SqlTable("offer", {
  seq: sql.integer,
  id: sql.text,
  ...sql.owner,
  claimId: sql.text,
  status: sql.plain<OfferState>(),
  advanceCents: sql.integer,
  feeCents: sql.integer,
  payoutCents: sql.computed<number>("advance_cents - fee_cents"),
  byGrade: sql.json<OfferTerms["byGrade"]>(),
  createdAt: sql.integer,
});

type OfferRow = sql.RowOf<typeof OFFERS>;

export type NewOffer = Omit<OfferRow, keyof Caller | "seq">;

export const addOffer = (store: Store, caller: Caller, offer: NewOffer): void =>
  OFFERS.insert(store, { ...offer, ...sql.ownerOf(caller) });

export const listOffers = (
  store: Store,
  caller: Caller,
  { claimId, status }: Partial<Pick<OfferRow, "claimId" | "status">>,
  page: sql.PageRequest,
): sql.RowPage<OfferRow> => OFFERS.page(store, { ...sql.ownerOf(caller), claimId, status }, page);

/** The caller's offers with a status. */
export const sumOffers = (store: Store, caller: Caller, status: OfferState) =>
  OFFERS.sum(store, { ...sql.ownerOf(caller), status }, "advanceCents", "feeCents", "payoutCents");
