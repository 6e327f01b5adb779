import { each } from "../../src/domain/each.ts";
import * as sql from "./columns.ts";
import type { Caller } from "./credentials.ts";
import type { Store } from "./store.ts";
import { defineTable, type NewRowOf, type RowOf } from "./table.ts";

/** A complete response that is not a stream. */
export interface FinishedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Responses that a repeat with the same Idempotency-Key gets again. */
export const STORED_RESPONSES = defineTable(
  "main.stored_response",
  {
    ...sql.owner,
    ...each(() => sql.text, "operation", "key", "fingerprint"),
    status: sql.integer,
    headers: sql.json<FinishedResponse["headers"]>(),
    body: sql.text,
    expiresAt: sql.time,
  },
  { key: ["partner", "environment", "operation", "key"], indexes: [["expiresAt"]] },
);

type StoredResponse = RowOf<typeof STORED_RESPONSES>;

export type IdempotencyScope = Pick<StoredResponse, keyof Caller | "operation" | "key">;

export function findStoredResponse(
  store: Store,
  scope: IdempotencyScope,
  now: number,
): StoredResponse | undefined {
  const stored = STORED_RESPONSES.find(store, scope);
  return stored && stored.expiresAt > now ? stored : undefined;
}

export function storeResponse(store: Store, response: NewRowOf<typeof STORED_RESPONSES>, now: number): void {
  store.run("DELETE FROM stored_response WHERE expires_at <= ?", [now]);
  STORED_RESPONSES.insert(store, response);
}
