import type { Offer } from "../../src/contract/offers.ts";
import { computeOffer } from "../../src/domain/claims/offer.ts";
import { formatTime } from "../engine/scheduler/clock.ts";
import { markFinanced } from "../store/claims.ts";
import { addOffer, listOffers, type NewOffer } from "../store/offers.ts";
import { addRevenue } from "../store/revenue.ts";
import { problemErrorAt } from "../wire/problem-error.ts";
import type { HandlersOf } from "./handler.ts";
import { readPageRequest, renderPage } from "./page.ts";
import { requireClaim } from "./require-claim.ts";

export const offers = {
  create({ caller, body }, { store, random, clock }) {
    const place = { pointer: "/claimId" };
    const claim = requireClaim(store, caller, body.claimId, place);
    if (claim.status !== "open") {
      const detail = `The claim is ${claim.status}; offers are made on open ones.`;
      throw problemErrorAt("claim_not_open", { ...place, code: "not_open", detail });
    }
    const createdAt = clock.now();
    const offer = { id: random.uuid("offer"), claimId: claim.id, ...computeOffer(claim), createdAt };
    store.transaction(() => {
      addOffer(store, caller, offer);
      if (offer.status !== "accepted") return;
      markFinanced(store, claim.seq, createdAt);
      addRevenue(store, caller, {
        ...{ id: random.uuid("revenue"), type: "origination_fee", claimId: claim.id, sourceId: offer.id },
        ...{ amountCents: offer.feeCents, createdAt },
      });
    });
    return { json: toOffer(offer) };
  },

  list({ caller, query }, { store }) {
    const found = listOffers(store, caller, query, readPageRequest("offers", query));
    return renderPage("offers", query, found, toOffer);
  },
} satisfies HandlersOf<"offers">;

const toOffer = (offer: NewOffer): Offer => ({
  id: offer.id,
  claimId: offer.claimId,
  status: offer.status,
  currency: "USD",
  advanceCents: offer.advanceCents,
  feeCents: offer.feeCents,
  payoutCents: offer.payoutCents,
  byGrade: offer.byGrade,
  createdAt: formatTime(offer.createdAt),
});
