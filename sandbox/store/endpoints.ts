import type { Environment } from "../../src/domain/environments.ts";
import type { EndpointState, EnvironmentScope } from "../../src/domain/webhooks/endpoints.ts";
import type { Store } from "./open.ts";
import * as sql from "./sql-table.ts";

const ENDPOINTS = new sql.SqlTable("endpoint", {
  seq: sql.integer,
  id: sql.text,
  partner: sql.integer,
  label: sql.text,
  url: sql.text,
  subscribedEvents: sql.json<readonly string[]>(),
  environmentScope: sql.plain<EnvironmentScope>(),
  /** The HMAC key, which only the response to the creation and the signer see. */
  secret: sql.text,
  status: sql.plain<EndpointState>(),
  createdAt: sql.integer,
  lastDeliveryAt: sql.optionalInteger,
  lastSuccessAt: sql.optionalInteger,
  lastFailureAt: sql.optionalInteger,
  /** The first failure after the last success. */
  failingSince: sql.optionalInteger,
});

export type EndpointRow = sql.RowOf<typeof ENDPOINTS>;

export type NewEndpoint = Omit<
  EndpointRow,
  "seq" | "status" | "lastDeliveryAt" | "lastSuccessAt" | "lastFailureAt" | "failingSince"
>;

export const addEndpoint = (store: Store, endpoint: NewEndpoint): void =>
  ENDPOINTS.insert(store, { ...endpoint, status: "active" });

/** Finds the endpoint of any partner. */
export const findEndpoint = (store: Store, id: string): EndpointRow | undefined =>
  ENDPOINTS.find(store, { id });

const TARGETS = ENDPOINTS.only("seq", "url", "secret", "status", "failingSince");

/** What an attempt needs of its endpoint. */
export const readDeliveryTarget = (store: Store, seq: number) => TARGETS.get(store, { seq });

/** Endpoints of one partner, the newest first. */
export const listEndpoints = (
  store: Store,
  partner: number,
  page: sql.PageRequest,
): sql.RowPage<EndpointRow> => ENDPOINTS.page(store, { partner }, page);

/** Endpoints of every partner, the newest first. */
export const listAllEndpoints = (store: Store): EndpointRow[] => ENDPOINTS.select(store, "ORDER BY seq DESC");

/** The endpoints that an event goes to, the oldest first (interface §6, rules 1 and 2). */
export const findSubscribedEndpoints = (
  store: Store,
  event: { readonly partner: number; readonly type: string; readonly environment: Environment },
): EndpointRow[] =>
  ENDPOINTS.select(
    store,
    "WHERE partner = ? AND status = 'active' AND environment_scope IN (?, 'all') ORDER BY seq",
    [event.partner, event.environment],
  ).filter(({ subscribedEvents }) => subscribedEvents.includes(event.type));

/** The secrets of all endpoints, of any partner and status, whose URL has this path on any host. */
export const findSecretsByPath = (store: Store, path: string): string[] =>
  // SQLite also finds paths that only contain this one.
  TARGETS.select(store, "WHERE instr(url, ?) > 0", [path])
    .filter(({ url }) => new URL(url).pathname === path)
    .map(({ secret }) => secret);

/** Replaces the base URL of the endpoints after the sandbox that they belong to moved. */
export function rebaseEndpointUrls(store: Store, from: string, to: string): void {
  store.run("UPDATE endpoint SET url = ? || substr(url, ?) WHERE url LIKE ? || '/%'", [
    to,
    from.length + 1,
    from,
  ]);
}

/** Sets the status and forgets the earlier failures, so that a reactivated endpoint starts without any. */
export const setEndpointStatus = (store: Store, seq: number, status: EndpointState): void =>
  ENDPOINTS.update(store, { seq }, { status, failingSince: null });

export const recordSuccess = (store: Store, seq: number, at: number): void =>
  ENDPOINTS.update(store, { seq }, { lastDeliveryAt: at, lastSuccessAt: at, failingSince: null });

export function recordFailure(store: Store, seq: number, at: number): void {
  store.run(
    `UPDATE endpoint SET last_delivery_at = ?, last_failure_at = ?, failing_since = COALESCE(failing_since, ?)
     WHERE seq = ?`,
    [at, at, at, seq],
  );
}
