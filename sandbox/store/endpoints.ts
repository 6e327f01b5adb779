import { each } from "../../src/domain/each.ts";
import type { Environment } from "../../src/domain/environments.ts";
import type {
  DISABLE_REASONS,
  EndpointState,
  EnvironmentScope,
} from "../../src/domain/webhooks/endpoints.ts";
import * as sql from "./columns.ts";
import type { Store } from "./store.ts";
import { defineTable, type NewRowOf, type RowOf } from "./table.ts";

/** Endpoints belong to the partner in all its environments (product.md §5). */
export const ENDPOINTS = defineTable(
  "bulk.endpoint",
  {
    seq: sql.seq,
    id: sql.id,
    partner: sql.integer,
    label: sql.text,
    url: sql.text,
    subscribedEvents: sql.json<readonly string[]>(),
    environmentScope: sql.textOf<EnvironmentScope>(),
    /** The HMAC key, which only the response to the creation and the signer see. */
    secret: sql.text,
    status: sql.withDefault("active", sql.textOf<EndpointState>()),
    createdAt: sql.time,
    ...each(() => sql.nullable(sql.time), "lastDeliveryAt", "lastSuccessAt", "lastFailureAt"),
    /** The first failure after the last success. */
    failingSince: sql.nullable(sql.time),
    disabledAt: sql.nullable(sql.time),
    disabledReason: sql.nullable(sql.textOf<(typeof DISABLE_REASONS)[number]>()),
  },
  {
    indexes: [
      ["partner", "seq"],
      ["partner", "status", "seq"],
    ],
  },
);

export type EndpointRow = RowOf<typeof ENDPOINTS>;
type StatusChange = Pick<EndpointRow, "status" | "disabledAt" | "disabledReason">;
export type NewEndpoint = NewRowOf<typeof ENDPOINTS>;

/** What an attempt needs of its endpoint. */
export const ENDPOINT_TARGET_COLUMNS = ENDPOINTS.only("seq", "url", "secret", "status", "failingSince");

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

export const countActiveEndpoints = (store: Store, partner: number): number =>
  ENDPOINTS.sum(store, { partner, status: "active" }).count;

/** The secrets of all endpoints, of any partner and status, whose URL has this path on any host. */
export const findSecretsByPath = (store: Store, path: string): string[] =>
  // SQLite also finds paths that only contain this one.
  ENDPOINT_TARGET_COLUMNS.select(store, "WHERE instr(url, ?) > 0", [path])
    .filter(({ url }) => new URL(url).pathname === path)
    .map(({ secret }) => secret);

/** Replaces the base URL of the endpoints after the sandbox that they belong to moved. */
export function rebaseEndpointUrls(store: Store, from: string, to: string): void {
  const sql = "UPDATE endpoint SET url = ? || substr(url, ?) WHERE url LIKE ? || '/%'";
  store.run(sql, [to, from.length + 1, from]);
}

/** Sets the status and forgets the earlier failures, so that a reactivated endpoint starts without any. */
export const setEndpointStatus = (store: Store, seq: number, change: StatusChange): void =>
  ENDPOINTS.update(store, { seq }, { ...change, failingSince: null });
