import type { OfferTerms } from "../../src/domain/claims/offer.ts";
import type { OfferState } from "../../src/domain/claims/states.ts";
import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import {
  computed,
  integer,
  json,
  owner,
  ownerOf,
  type PageRequest,
  plain,
  type RowOf,
  type RowPage,
  SqlTable,
  text,
} from "./sql-table.ts";

const OFFERS = new SqlTable("offer", {
  seq: integer,
  id: text,
  ...owner,
  claimId: text,
  status: plain<OfferState>(),
  advanceCents: integer,
  feeCents: integer,
  payoutCents: computed<number>("advance_cents - fee_cents"),
  byGrade: json<OfferTerms["byGrade"]>(),
  createdAt: integer,
});

type OfferRow = RowOf<typeof OFFERS>;

export type NewOffer = Omit<OfferRow, keyof Caller | "seq">;

export const addOffer = (store: Store, caller: Caller, offer: NewOffer): void =>
  OFFERS.insert(store, { ...offer, ...ownerOf(caller) });

interface OfferFilter {
  readonly claimId?: string;
  readonly status?: OfferState;
}

export const listOffers = (
  store: Store,
  caller: Caller,
  { claimId, status }: OfferFilter,
  page: PageRequest,
): RowPage<OfferRow> => OFFERS.page(store, { ...ownerOf(caller), claimId, status }, page);

/** The caller's offers with a status. */
export const sumOffers = (store: Store, caller: Caller, status: OfferState) =>
  OFFERS.sum(store, { ...ownerOf(caller), status }, "advanceCents", "feeCents", "payoutCents");
