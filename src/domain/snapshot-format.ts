/** The `format` in the first line of a snapshot of a sandbox. */
export const SNAPSHOT_FORMAT = "claims-sandbox-snapshot";

/** How the document of a snapshot begins. */
export const SNAPSHOT_HEAD = `{"format":"${SNAPSHOT_FORMAT}"`;
