import type { EndpointState, EnvironmentScope } from "../../src/domain/webhooks/endpoints.ts";
import type { Environment } from "./credentials.ts";
import type { SqlValue, Store } from "./open.ts";
import { listPage, type PageRequest, type RowPage, type TableReader } from "./row-page.ts";

export interface NewEndpoint {
  readonly id: string;
  readonly partner: number;
  readonly label: string;
  readonly url: string;
  readonly subscribedEvents: readonly string[];
  readonly environmentScope: EnvironmentScope;
  /** The HMAC key as a whole; told when the endpoint is made, and to the signer. */
  readonly secret: string;
  readonly createdAt: number;
}

export interface EndpointRow extends NewEndpoint {
  readonly seq: number;
  readonly status: EndpointState;
  readonly lastDeliveryAt: number | null;
  readonly lastSuccessAt: number | null;
  readonly lastFailureAt: number | null;
  /** The first failure after the last success. */
  readonly failingSince: number | null;
}

const COLUMNS = `seq, id, partner, label, url, subscribed_events, environment_scope, secret, status, created_at,
  last_delivery_at, last_success_at, last_failure_at, failing_since`;

export function addEndpoint(store: Store, endpoint: NewEndpoint): void {
  store.run(
    `INSERT INTO endpoint (id, partner, label, url, subscribed_events, environment_scope, secret, status, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'active', ?)`,
    [
      endpoint.id,
      endpoint.partner,
      endpoint.label,
      endpoint.url,
      JSON.stringify(endpoint.subscribedEvents),
      endpoint.environmentScope,
      endpoint.secret,
      endpoint.createdAt,
    ],
  );
}

/** An endpoint of whoever; for the engine. */
export function findEndpoint(store: Store, id: string): EndpointRow | undefined {
  const row = store.get(`SELECT ${COLUMNS} FROM endpoint WHERE id = ?`, [id]);
  return row && toEndpointRow(row);
}

/** Where an attempt goes, and whether it may. */
export type DeliveryTarget = Pick<EndpointRow, "url" | "secret" | "status" | "failingSince">;

export function readDeliveryTarget(store: Store, seq: number): DeliveryTarget {
  const row = store.get("SELECT url, secret, status, failing_since FROM endpoint WHERE seq = ?", [seq]);
  if (!row) throw new Error(`endpoint ${seq} is not in the store`);
  return {
    url: row[0] as string,
    secret: row[1] as string,
    status: row[2] as EndpointState,
    failingSince: row[3] as number | null,
  };
}

/** Of one partner, the newest first. */
export const listEndpoints = (store: Store, partner: number, page: PageRequest): RowPage<EndpointRow> =>
  listPage(store, TABLE, { partner }, page);

/** Of every partner, the newest first. */
export const listAllEndpoints = (store: Store): EndpointRow[] =>
  store.all(`SELECT ${COLUMNS} FROM endpoint ORDER BY seq DESC`).map(toEndpointRow);

/** Those that an event goes to, the oldest first (interface §6, rules 1 and 2). */
export function findSubscribedEndpoints(
  store: Store,
  event: { readonly partner: number; readonly type: string; readonly environment: Environment },
): EndpointRow[] {
  const rows = store.all(
    `SELECT ${COLUMNS} FROM endpoint
     WHERE partner = ? AND status = 'active' AND environment_scope IN (?, 'all') ORDER BY seq`,
    [event.partner, event.environment],
  );
  return rows.map(toEndpointRow).filter(({ subscribedEvents }) => subscribedEvents.includes(event.type));
}

/** The secrets of the endpoints, of whoever and whatever their status, whose URL has this path on any host. */
export function findSecretsByPath(store: Store, path: string): string[] {
  // SQLite looks quickly and too generously: the path may be within another one.
  const rows = store.all("SELECT url, secret FROM endpoint WHERE instr(url, ?) > 0", [path]);
  return (rows as [string, string][]).flatMap(([url, secret]) =>
    new URL(url).pathname === path ? [secret] : [],
  );
}

/** Endpoints of a sandbox that has moved: the URLs that begin with the one base begin with the other. */
export function rebaseEndpointUrls(store: Store, from: string, to: string): void {
  store.run("UPDATE endpoint SET url = ? || substr(url, ?) WHERE url LIKE ? || '/%'", [
    to,
    from.length + 1,
    from,
  ]);
}

export function setEndpointStatus(store: Store, seq: number, status: EndpointState): void {
  // A disabled endpoint that is active again starts with a clean slate.
  store.run("UPDATE endpoint SET status = ?, failing_since = NULL WHERE seq = ?", [status, seq]);
}

export function recordSuccess(store: Store, seq: number, at: number): void {
  store.run(
    "UPDATE endpoint SET last_delivery_at = ?, last_success_at = ?, failing_since = NULL WHERE seq = ?",
    [at, at, seq],
  );
}

export function recordFailure(store: Store, seq: number, at: number): void {
  store.run(
    `UPDATE endpoint SET last_delivery_at = ?, last_failure_at = ?, failing_since = COALESCE(failing_since, ?)
     WHERE seq = ?`,
    [at, at, at, seq],
  );
}

function toEndpointRow(row: SqlValue[]): EndpointRow {
  return {
    seq: row[0] as number,
    id: row[1] as string,
    partner: row[2] as number,
    label: row[3] as string,
    url: row[4] as string,
    subscribedEvents: JSON.parse(row[5] as string),
    environmentScope: row[6] as EnvironmentScope,
    secret: row[7] as string,
    status: row[8] as EndpointState,
    createdAt: row[9] as number,
    lastDeliveryAt: row[10] as number | null,
    lastSuccessAt: row[11] as number | null,
    lastFailureAt: row[12] as number | null,
    failingSince: row[13] as number | null,
  };
}

const TABLE: TableReader<EndpointRow> = { name: "endpoint", columns: COLUMNS, read: toEndpointRow };
