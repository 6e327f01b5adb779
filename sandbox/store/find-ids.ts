import type { IdKind } from "../../src/domain/id-kinds.ts";
import { CLAIMS } from "./claims.ts";
import { DELIVERIES } from "./deliveries.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { JOBS } from "./jobs.ts";
import { SCANS } from "./scans.ts";
import type { Store } from "./store.ts";

const TABLES = { job: JOBS, delivery: DELIVERIES, endpoint: ENDPOINTS, claim: CLAIMS, scan: SCANS };

/** The ids of records of every partner that begin with a text of hex digits and hyphens; the first two of them. */
export const findIds = (store: Store, kind: IdKind, start: string): string[] =>
  // A range, for the index of the ids. "g" comes after every character of a UUID.
  store
    .all(`SELECT id FROM ${TABLES[kind].name} WHERE id >= ? AND id < ? ORDER BY id LIMIT 2`, [
      start,
      `${start}g`,
    ])
    .map(([id]) => String(id));
