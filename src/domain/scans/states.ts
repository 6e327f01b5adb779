/** The states of a portfolio scan. All of them are assumed. */
export const SCAN_STATES = ["queued", "processing", "completed", "failed"] as const;

export const SCAN_MODES = ["full", "delta"] as const;
