import { offer as schema } from "../../src/contract/operations/offers.ts";
import { computeOffer } from "../../src/domain/claims/offer.ts";
import { toRecord } from "../engine/to-record.ts";
import { CLAIMS, type NewOffer, OFFERS } from "../store/claims.ts";
import { addRevenue } from "../store/revenue.ts";
import { problemErrorAt } from "../wire/problem-error.ts";
import type { HandlersOf } from "./handler.ts";
import { renderRows } from "./page.ts";
import { requireClaim } from "./require-record.ts";

const toOffer = (offer: NewOffer) => toRecord(schema, { ...offer, currency: "USD" });

export const offers = {
  create({ caller, body }, { store, random, clock }) {
    const place = { pointer: "/claimId" };
    const claim = requireClaim(store, caller, body.claimId, place);
    if (claim.status !== "open") {
      const detail = `The claim is ${claim.status}; only an open claim gets an offer.`;
      throw problemErrorAt("claim_not_open", { ...place, code: "not_open", detail });
    }
    const createdAt = clock.now();
    const offer = { id: random.uuid("offer"), claimId: claim.id, ...computeOffer(claim), createdAt };
    store.transaction(() => {
      OFFERS.insert(store, { ...caller, ...offer });
      if (offer.status !== "accepted") return;
      CLAIMS.update(store, { seq: claim.seq }, { status: "financed", financedAt: createdAt });
      addRevenue(store, caller, {
        id: random.uuid("revenue"),
        type: "origination_fee",
        claimId: claim.id,
        sourceId: offer.id,
        amountCents: offer.feeCents,
        createdAt,
      });
    });
    return { json: toOffer(offer) };
  },

  list: (input, engine) => renderRows("offers", OFFERS, input, toOffer, engine),
} satisfies HandlersOf<"offers">;
