import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import * as sql from "./sql-table.ts";

/** One key of one caller for one operation. */
export interface IdempotencyScope extends Caller {
  readonly operation: string;
  readonly key: string;
}

/** A complete response that is not a stream. */
export interface FinishedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const RESPONSE = {
  fingerprint: sql.text,
  status: sql.integer,
  headers: sql.json<FinishedResponse["headers"]>(),
  body: sql.text,
};

const STORED_RESPONSES = new sql.SqlTable("stored_response", {
  ...sql.owner,
  operation: sql.text,
  key: sql.text,
  ...RESPONSE,
  expiresAt: sql.integer,
});

const RESPONSES = new sql.SqlTable("stored_response", RESPONSE);

type StoredResponse = sql.RowOf<typeof RESPONSES>;

export function findStoredResponse(
  store: Store,
  { partner, environment, operation, key }: IdempotencyScope,
  now: number,
): StoredResponse | undefined {
  const clauses = "WHERE partner = ? AND environment = ? AND operation = ? AND key = ? AND expires_at > ?";
  return RESPONSES.select(store, clauses, [partner, environment, operation, key, now])[0];
}

/** Stores a response and removes the expired ones. */
export function storeResponse(
  store: Store,
  { operation, key, ...caller }: IdempotencyScope,
  response: StoredResponse,
  { now, expiresAt }: { readonly now: number; readonly expiresAt: number },
): void {
  store.run("DELETE FROM stored_response WHERE expires_at <= ?", [now]);
  STORED_RESPONSES.insert(store, { ...response, ...sql.ownerOf(caller), operation, key, expiresAt });
}
