/** The states of a portfolio scan. All of them are assumed. */
export const SCAN_STATES = ["queued", "processing", "completed", "failed"] as const;

export type ScanState = (typeof SCAN_STATES)[number];

export const SCAN_MODES = ["full", "delta"] as const;

export type ScanMode = (typeof SCAN_MODES)[number];
