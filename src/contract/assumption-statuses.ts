/** What a service says of an assumption. Apart from the contract's schemas, because the options of a command name them. */
export const ASSUMPTION_STATUSES = ["unknown", "confirmed", "differs"] as const;

export type AssumptionStatus = (typeof ASSUMPTION_STATUSES)[number];
