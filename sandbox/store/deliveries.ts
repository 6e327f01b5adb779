import type { DeliveryState } from "../../src/domain/webhooks/deliveries.ts";
import type { Environment } from "./credentials.ts";
import type { SqlValue, Store } from "./open.ts";
import {
  type ColumnFilter,
  listNewestRows,
  listPage,
  type PageRequest,
  type RowPage,
  type TableReader,
} from "./row-page.ts";

export interface NewDelivery {
  readonly id: string;
  /** Seqs. */
  readonly event: number;
  readonly endpoint: number;
  readonly partner: number;
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly environment: Environment;
  readonly createdAt: number;
  readonly nextAttemptAt: number;
}

export interface DeliveryRow extends Omit<NewDelivery, "nextAttemptAt"> {
  readonly seq: number;
  readonly status: DeliveryState;
  /** Attempts of the schedule; resends are none. */
  readonly scheduledCount: number;
  readonly attemptCount: number;
  readonly lastResponseStatus: number | null;
  readonly lastError: string | null;
  readonly lastAttemptAt: number | null;
  readonly nextAttemptAt: number | null;
  readonly deliveredAt: number | null;
}

/** What an attempt makes of its delivery. */
export type DeliveryProgress = Pick<
  DeliveryRow,
  | "status"
  | "scheduledCount"
  | "attemptCount"
  | "lastResponseStatus"
  | "lastError"
  | "lastAttemptAt"
  | "nextAttemptAt"
  | "deliveredAt"
>;

export interface DeliveryFilter {
  readonly endpointId?: string | undefined;
  readonly status?: string | undefined;
  readonly eventType?: string | undefined;
}

const COLUMNS = `seq, id, event, endpoint, partner, endpoint_id, event_id, event_type, environment, created_at, status,
  scheduled_count, attempt_count, last_response_status, last_error, last_attempt_at, next_attempt_at, delivered_at`;

export function addDelivery(store: Store, delivery: NewDelivery): void {
  store.run(
    `INSERT INTO delivery (id, event, endpoint, partner, endpoint_id, event_id, event_type, environment, created_at,
       next_attempt_at, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued')`,
    [
      delivery.id,
      delivery.event,
      delivery.endpoint,
      delivery.partner,
      delivery.endpointId,
      delivery.eventId,
      delivery.eventType,
      delivery.environment,
      delivery.createdAt,
      delivery.nextAttemptAt,
    ],
  );
}

/** A delivery of whoever; for the engine and the control API. */
export function findDelivery(store: Store, id: string): DeliveryRow | undefined {
  const row = store.get(`SELECT ${COLUMNS} FROM delivery WHERE id = ?`, [id]);
  return row && toDeliveryRow(row);
}

/** Of one event, in the order in which they were made. */
export const listDeliveriesOfEvent = (store: Store, eventId: string): DeliveryRow[] =>
  store
    .all(`SELECT ${COLUMNS} FROM delivery WHERE event = (SELECT seq FROM event WHERE id = ?) ORDER BY seq`, [
      eventId,
    ])
    .map(toDeliveryRow);

/**
 * What an attempt has to know of its delivery and what never changes. One table is asked at a time: a join of two costs
 * five times as much.
 */
export type DeliverySource = Pick<
  DeliveryRow,
  "id" | "seq" | "event" | "endpoint" | "eventType" | "createdAt" | "endpointId"
>;

export function readDeliverySource(store: Store, id: string): DeliverySource {
  const row = store.get(
    "SELECT seq, event, endpoint, event_type, created_at, endpoint_id FROM delivery WHERE id = ?",
    [id],
  );
  if (!row) throw new Error(`delivery ${id} is on the agenda and not in the store`);
  return {
    id,
    seq: row[0] as number,
    event: row[1] as number,
    endpoint: row[2] as number,
    eventType: row[3] as string,
    createdAt: row[4] as number,
    endpointId: row[5] as string,
  };
}

/** How a delivery stands before an attempt. */
export type DeliveryStatus = Pick<
  DeliveryRow,
  "status" | "scheduledCount" | "attemptCount" | "nextAttemptAt" | "deliveredAt"
>;

export function readDeliveryStatus(store: Store, seq: number): DeliveryStatus {
  const row = store.get(
    "SELECT status, scheduled_count, attempt_count, next_attempt_at, delivered_at FROM delivery WHERE seq = ?",
    [seq],
  );
  if (!row) throw new Error(`delivery ${seq} is not in the store`);
  return {
    status: row[0] as DeliveryState,
    scheduledCount: row[1] as number,
    attemptCount: row[2] as number,
    nextAttemptAt: row[3] as number | null,
    deliveredAt: row[4] as number | null,
  };
}

/** It will not be sent again. */
export function failDelivery(store: Store, seq: number, lastError: string): void {
  store.run("UPDATE delivery SET status = 'failed', last_error = ?, next_attempt_at = NULL WHERE seq = ?", [
    lastError,
    seq,
  ]);
}

/** Of one partner, the newest first. Each filter alone has an index to go by. */
export const listDeliveries = (
  store: Store,
  partner: number,
  filter: DeliveryFilter,
  page: PageRequest,
): RowPage<DeliveryRow> => listPage(store, TABLE, { partner, ...toColumnFilter(filter) }, page);

/** Of every partner, the newest first; for the engine and the control API. */
export const listLatestDeliveries = (
  store: Store,
  { id, ...filter }: DeliveryFilter & { readonly id?: string | undefined },
  limit: number,
): DeliveryRow[] => listNewestRows(store, TABLE, { id, ...toColumnFilter(filter) }, { before: null, limit });

/** Only these: a filter of the handle may have anything else in it. */
const toColumnFilter = ({ endpointId, status, eventType }: DeliveryFilter): ColumnFilter => ({
  endpoint_id: endpointId,
  status,
  event_type: eventType,
});

export function updateDelivery(store: Store, seq: number, progress: DeliveryProgress): void {
  store.run(
    `UPDATE delivery SET status = ?, scheduled_count = ?, attempt_count = ?, last_response_status = ?, last_error = ?,
       last_attempt_at = ?, next_attempt_at = ?, delivered_at = ? WHERE seq = ?`,
    [
      progress.status,
      progress.scheduledCount,
      progress.attemptCount,
      progress.lastResponseStatus,
      progress.lastError,
      progress.lastAttemptAt,
      progress.nextAttemptAt,
      progress.deliveredAt,
      seq,
    ],
  );
}

function toDeliveryRow(row: SqlValue[]): DeliveryRow {
  return {
    seq: row[0] as number,
    id: row[1] as string,
    event: row[2] as number,
    endpoint: row[3] as number,
    partner: row[4] as number,
    endpointId: row[5] as string,
    eventId: row[6] as string,
    eventType: row[7] as string,
    environment: row[8] as Environment,
    createdAt: row[9] as number,
    status: row[10] as DeliveryState,
    scheduledCount: row[11] as number,
    attemptCount: row[12] as number,
    lastResponseStatus: row[13] as number | null,
    lastError: row[14] as string | null,
    lastAttemptAt: row[15] as number | null,
    nextAttemptAt: row[16] as number | null,
    deliveredAt: row[17] as number | null,
  };
}

const TABLE: TableReader<DeliveryRow> = { name: "delivery", columns: COLUMNS, read: toDeliveryRow };
