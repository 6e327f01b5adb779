import type { Store } from "./open.ts";

// Counts over all partners and environments.

export const countRows = (store: Store, table: "client"): number =>
  store.get(`SELECT COUNT(*) FROM ${table}`)?.[0] as number;

/** The number of rows in each state that occurs, sorted by state. */
export function countByState(
  store: Store,
  table: "claim" | "delivery" | "endpoint" | "job" | "notification" | "offer" | "scan",
): Readonly<Record<string, number>> {
  const column = STATE_COLUMN[table];
  const rows = store.all(`SELECT ${column}, COUNT(*) FROM ${table} GROUP BY 1 ORDER BY 1`);
  return Object.fromEntries(rows as [string, number][]);
}

/** A notification has one state only, and no column for it. */
const STATE_COLUMN = {
  claim: "status",
  delivery: "status",
  endpoint: "status",
  job: "state",
  notification: "'requested'",
  offer: "status",
  scan: "state",
} as const;
