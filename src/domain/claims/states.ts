/** The states of a claim in their order. A financed claim may be litigated, but a litigated one is not financed later. */
export const CLAIM_STATES = ["open", "financed", "in_litigation"] as const;

export type ClaimState = (typeof CLAIM_STATES)[number];

export const OFFER_STATES = ["accepted", "declined"] as const;

export type OfferState = (typeof OFFER_STATES)[number];

export const REVENUE_TYPES = ["origination_fee", "litigation_fee"] as const;

export type RevenueType = (typeof REVENUE_TYPES)[number];
