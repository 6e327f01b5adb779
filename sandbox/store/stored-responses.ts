import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import { integer, json, owner, ownerOf, type RowOf, SqlTable, text } from "./sql-table.ts";

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
  fingerprint: text,
  status: integer,
  headers: json<FinishedResponse["headers"]>(),
  body: text,
};

const STORED_RESPONSES = new SqlTable("stored_response", {
  ...owner,
  operation: text,
  key: text,
  ...RESPONSE,
  expiresAt: integer,
});

const RESPONSES = new SqlTable("stored_response", RESPONSE);

type StoredResponse = RowOf<typeof RESPONSES>;

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
  STORED_RESPONSES.insert(store, { ...response, ...ownerOf(caller), operation, key, expiresAt });
}
