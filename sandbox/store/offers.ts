import type { OfferTerms } from "../../src/domain/claims/offer.ts";
import { OFFER_STATES } from "../../src/domain/claims/states.ts";
import * as sql from "./columns.ts";
import type { Caller } from "./credentials.ts";
import { defineTable, type RowOf } from "./table.ts";

export const OFFERS = defineTable(
  "main.offer",
  {
    seq: sql.seq,
    id: sql.id,
    ...sql.owner,
    claimId: sql.references("claim (id)", sql.text),
    status: sql.oneOf(OFFER_STATES),
    advanceCents: sql.integer,
    /** Of the advance. */
    feeCents: sql.integer,
    payoutCents: sql.expression<number>("advance_cents - fee_cents"),
    byGrade: sql.json<OfferTerms["byGrade"]>("object"),
    createdAt: sql.time,
  },
  { indexes: [["partner", "environment", "seq"]] },
);

export type NewOffer = Omit<RowOf<typeof OFFERS>, keyof Caller | "seq">;
