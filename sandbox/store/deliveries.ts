import type { Environment } from "../../src/domain/environments.ts";
import type { DeliveryState } from "../../src/domain/webhooks/deliveries.ts";
import type { Store } from "./open.ts";
import * as sql from "./sql-table.ts";

const DELIVERIES = new sql.SqlTable("delivery", {
  seq: sql.integer,
  id: sql.text,
  /** The seq of the event. */
  event: sql.integer,
  partner: sql.integer,
  /** The seq of the endpoint. */
  endpoint: sql.integer,
  endpointId: sql.text,
  eventId: sql.text,
  eventType: sql.text,
  environment: sql.plain<Environment>(),
  status: sql.plain<DeliveryState>(),
  /** Attempts of the schedule, without resends. */
  scheduledCount: sql.integer,
  attemptCount: sql.integer,
  lastResponseStatus: sql.optionalInteger,
  lastError: sql.optionalText,
  lastAttemptAt: sql.optionalInteger,
  nextAttemptAt: sql.optionalInteger,
  deliveredAt: sql.optionalInteger,
  createdAt: sql.integer,
});

export type DeliveryRow = sql.RowOf<typeof DELIVERIES>;

type NewDelivery = Omit<
  DeliveryRow,
  | "seq"
  | "status"
  | "scheduledCount"
  | "attemptCount"
  | "lastResponseStatus"
  | "lastError"
  | "lastAttemptAt"
  | "deliveredAt"
>;

export const addDelivery = (store: Store, delivery: NewDelivery): void =>
  DELIVERIES.insert(store, { ...delivery, status: "queued" });

/** Finds the delivery of any partner. */
export const findDelivery = (store: Store, id: string): DeliveryRow | undefined =>
  DELIVERIES.find(store, { id });

/** The deliveries of one event in the order in which they were created. */
export const listDeliveriesOfEvent = (store: Store, eventId: string): DeliveryRow[] =>
  DELIVERIES.select(store, "WHERE event = (SELECT seq FROM event WHERE id = ?) ORDER BY seq", [eventId]);

// Each attempt reads one table at a time, and only the columns that it needs: a join of two tables takes five times
// as long.
const SOURCES = DELIVERIES.only("id", "seq", "event", "endpoint", "eventType", "createdAt", "endpointId");
const STATUSES = DELIVERIES.only(
  "seq",
  "status",
  "scheduledCount",
  "attemptCount",
  "nextAttemptAt",
  "deliveredAt",
);

/** What an attempt needs of its delivery and what never changes. */
export type DeliverySource = sql.RowOf<typeof SOURCES>;

export const readDeliverySource = (store: Store, id: string): DeliverySource => SOURCES.get(store, { id });

/** The status of a delivery before an attempt. */
export const readDeliveryStatus = (store: Store, seq: number) => STATUSES.get(store, { seq });

export const updateDelivery = (store: Store, seq: number, changes: Partial<DeliveryRow>): void =>
  DELIVERIES.update(store, { seq }, changes);

export interface DeliveryFilter {
  readonly endpointId?: string | undefined;
  readonly status?: string | undefined;
  readonly eventType?: string | undefined;
}

/** Deliveries of one partner, the newest first. An index serves each filter alone. */
export const listDeliveries = (
  store: Store,
  partner: number,
  filter: DeliveryFilter,
  page: sql.PageRequest,
): sql.RowPage<DeliveryRow> => DELIVERIES.page(store, { partner, ...toRowFilter(filter) }, page);

/** Deliveries of every partner, the newest first. */
export const listLatestDeliveries = (
  store: Store,
  { id, ...filter }: DeliveryFilter & { readonly id?: string | undefined },
  limit: number,
): DeliveryRow[] => DELIVERIES.list(store, { id, ...toRowFilter(filter) }, { before: null, limit });

/** Takes only these fields: the filter may be a query with others. */
const toRowFilter = ({ endpointId, status, eventType }: DeliveryFilter) => ({
  endpointId,
  eventType,
  status: status as DeliveryState | undefined,
});
