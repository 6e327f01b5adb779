/** The records whose ids a person may shorten, where the local sandbox or the log of this machine knows the rest. */
export const ID_KINDS = ["job", "delivery", "endpoint", "claim", "scan"] as const;

export type IdKind = (typeof ID_KINDS)[number];
