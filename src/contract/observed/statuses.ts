/** What a service says of an assumption. */
export const ASSUMPTION_STATUSES = ["unknown", "confirmed", "differs"] as const;

export type AssumptionStatus = (typeof ASSUMPTION_STATUSES)[number];
