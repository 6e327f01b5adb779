import { each } from "../../src/domain/each.ts";
import type { Environment } from "../../src/domain/environments.ts";
import { DELIVERY_STATES, type DeliveryState } from "../../src/domain/webhooks/deliveries.ts";
import * as sql from "./columns.ts";
import type { Store } from "./store.ts";
import { defineTable, type PageRequest, type RowFilter, type RowOf } from "./table.ts";

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
  {
    indexes: [
      ["partner", "seq"],
      ["endpointId", "seq"],
      ["partner", "status", "seq"],
      ["event"],
      ["partner", "eventType", "seq"],
    ],
  },
);

export type DeliveryRow = RowOf<typeof DELIVERIES>;

/** The deliveries of one event in the order in which they were created. */
export const listDeliveriesOfEvent = (store: Store, eventId: string): DeliveryRow[] =>
  DELIVERIES.select(store, "WHERE event = (SELECT seq FROM event WHERE id = ?) ORDER BY seq", [eventId]);

// The indexes of filters begin with the partner. There are a few partners, and hundreds of thousands of deliveries.
const listPartners = (store: Store): number[] =>
  store.all("SELECT id FROM partner").map(([id]) => id as number);

/** Deliveries of every partner, the newest first. An index serves an id, an endpoint, a status and an event type alone. */
export function listLatestDeliveries(
  store: Store,
  filter: RowFilter<DeliveryRow>,
  page: PageRequest,
): DeliveryRow[] {
  if (filter.id !== undefined || filter.endpointId !== undefined) return DELIVERIES.list(store, filter, page);
  return listPartners(store)
    .flatMap((partner) => DELIVERIES.list(store, { ...filter, partner }, page))
    .sort((one, other) => other.seq - one.seq)
    .slice(0, page.limit);
}

/** The number of deliveries of every partner in each status that occurs. */
export function countDeliveries(store: Store): Readonly<Record<string, number>> {
  const partners = listPartners(store);
  const counts = DELIVERY_STATES.toSorted().map((status) => {
    const ofPartners = partners.map((partner) => DELIVERIES.sum(store, { partner, status }).count);
    return [status, ofPartners.reduce((sum, count) => sum + count, 0)] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** A search looks at so many of the latest deliveries. */
const MAX_DELIVERIES_SEARCHED = 20_000;

/** Deliveries of every partner that have the text in the event, the last error or an id, the newest first. */
export const searchDeliveries = (
  store: Store,
  filter: RowFilter<DeliveryRow>,
  text: string,
  page: PageRequest,
): DeliveryRow[] =>
  DELIVERIES.search(
    store,
    filter,
    {
      text,
      fields: ["eventType", "lastError", "id", "eventId", "endpointId"],
      maxRows: MAX_DELIVERIES_SEARCHED,
    },
    page,
  );
