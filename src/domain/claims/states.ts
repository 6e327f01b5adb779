/** What becomes of a claim, in this order; a financed one may be litigated, one in litigation is not financed any more. */
export const CLAIM_STATES = ["open", "financed", "in_litigation"] as const;

export type ClaimState = (typeof CLAIM_STATES)[number];
