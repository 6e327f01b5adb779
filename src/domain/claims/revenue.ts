/** What revenue is made of: the fee of an accepted offer, and that of a claim in litigation. */
export const REVENUE_TYPES = ["origination_fee", "litigation_fee"] as const;

export type RevenueType = (typeof REVENUE_TYPES)[number];
