/** The states of a portfolio scan. All of them are assumed. */
export const SCAN_STATES = ["queued", "processing", "completed", "failed"] as const;

/** Each one holds the entries that it has seen. */
export const MAX_RUNNING_SCANS = 2;

export const SCAN_MODES = ["full", "delta"] as const;
