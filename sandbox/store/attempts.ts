import type { HeaderList } from "../../src/domain/http-headers.ts";
import type { DeliveryAttempt } from "../api/webhooks.ts";
import * as sql from "./columns.ts";
import type { Store } from "./store.ts";
import { defineTable, type RowOf } from "./table.ts";

/** Bytes of all response excerpts together. */
const MAX_EXCERPT_BYTES_TOTAL = 32 * 1024 * 1024;

/** Why an attempt failed. The detail contains no secret. */
export type AttemptError = NonNullable<DeliveryAttempt["error"]>;

export const ATTEMPTS = defineTable(
  "bulk.attempt",
  {
    delivery: sql.references("delivery", sql.integer),
    number: sql.integer,
    trigger: sql.textOf<DeliveryAttempt["trigger"]>(),
    at: sql.time,
    /** Wall time. */
    durationMs: sql.integer,
    /** Names and values as they were sent, in their order. */
    headers: sql.json<HeaderList>(),
    responseStatus: sql.nullable(sql.integer),
    responseHeaders: sql.nullable(sql.json<HeaderList>()),
    responseExcerpt: sql.nullable(sql.blob),
    error: sql.nullable(sql.json<AttemptError>()),
  },
  { key: ["delivery", "number"] },
);

export type AttemptRow = RowOf<typeof ATTEMPTS>;

/** The attempts of a delivery, the first one first. */
export const listAttempts = (store: Store, delivery: number): AttemptRow[] =>
  ATTEMPTS.select(store, "WHERE delivery = ? ORDER BY number", [delivery]);

const ATTEMPT_RESULTS = ATTEMPTS.only("at", "error");

/** The attempts of the latest deliveries to an endpoint, the first one first. */
export const listAttemptResults = (
  store: Store,
  endpointId: string,
  maxDeliveries: number,
): RowOf<typeof ATTEMPT_RESULTS>[] =>
  ATTEMPT_RESULTS.select(
    store,
    `WHERE delivery IN (SELECT seq FROM delivery WHERE endpoint_id = ? ORDER BY seq DESC LIMIT ?)
     ORDER BY at, delivery, number`,
    [endpointId, maxDeliveries],
  );

/** Keeps the response excerpts within their total: all of them become null when they are too many. */
export function createExcerptLimit(store: Store) {
  /** Null before the first count: the content may have excerpts already. */
  let total: number | null = null;
  return {
    /** Call it before an attempt is added. */
    makeRoom(bytes: number): void {
      total ??= store.get("SELECT TOTAL(length(response_excerpt)) FROM attempt")?.[0] as number;
      total += bytes;
      if (total <= MAX_EXCERPT_BYTES_TOTAL) return;
      store.run("UPDATE attempt SET response_excerpt = NULL WHERE response_excerpt IS NOT NULL");
      total = bytes;
    },
  };
}
