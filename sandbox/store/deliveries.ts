import { each } from "../../src/domain/each.ts";
import type { Environment } from "../../src/domain/environments.ts";
import type { DeliveryState } from "../../src/domain/webhooks/deliveries.ts";
import * as sql from "./columns.ts";
import type { Store } from "./store.ts";
import { defineTable, type RowOf } from "./table.ts";

/** Events, deliveries and attempts grow, so they are in `bulk`. SQLite has no references between databases. */
export const DELIVERIES = defineTable(
  "bulk.delivery",
  {
    seq: sql.seq,
    id: sql.id,
    event: sql.references("event", sql.integer),
    partner: sql.integer,
    endpoint: sql.integer,
    ...each(() => sql.text, "endpointId", "eventId", "eventType"),
    environment: sql.textOf<Environment>(),
    status: sql.withDefault("queued", sql.textOf<DeliveryState>()),
    /** Attempts of the schedule, without resends. */
    scheduledCount: sql.withDefault(0, sql.integer),
    attemptCount: sql.withDefault(0, sql.integer),
    lastResponseStatus: sql.nullable(sql.integer),
    lastError: sql.nullable(sql.text),
    ...each(() => sql.nullable(sql.time), "lastAttemptAt", "nextAttemptAt", "deliveredAt"),
    createdAt: sql.time,
  },
  // None begins with the partner: nearly all deliveries are those of the first one.
  {
    indexes: [["endpointId", "seq"], ["status", "seq"], ["eventType", "seq"], ["event"]],
  },
);

export type DeliveryRow = RowOf<typeof DELIVERIES>;

/** The deliveries of one event in the order in which they were created. */
export const listDeliveriesOfEvent = (store: Store, eventId: string): DeliveryRow[] =>
  DELIVERIES.select(store, "WHERE event = (SELECT seq FROM event WHERE id = ?) ORDER BY seq", [eventId]);
