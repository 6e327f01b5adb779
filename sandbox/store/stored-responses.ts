import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";

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

export interface StoredResponse extends FinishedResponse {
  readonly fingerprint: string;
}

const scopeValues = (scope: IdempotencyScope): [number, string, string, string] => [
  scope.partner,
  scope.environment,
  scope.operation,
  scope.key,
];

export function findStoredResponse(
  store: Store,
  scope: IdempotencyScope,
  now: number,
): StoredResponse | undefined {
  const row = store.get(
    `SELECT fingerprint, status, headers, body FROM idempotent_answer
     WHERE partner = ? AND environment = ? AND operation = ? AND key = ? AND expires_at > ?`,
    [...scopeValues(scope), now],
  );
  if (!row) return undefined;
  const [fingerprint, status, headers, body] = row as [string, number, string, string];
  return { fingerprint, status, headers: JSON.parse(headers), body };
}

/** Keeps an answer and forgets those that have expired. */
export function storeResponse(
  store: Store,
  scope: IdempotencyScope,
  response: StoredResponse,
  times: { now: number; expiresAt: number },
): void {
  store.run("DELETE FROM idempotent_answer WHERE expires_at <= ?", [times.now]);
  store.run("INSERT INTO idempotent_answer VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", [
    ...scopeValues(scope),
    response.fingerprint,
    response.status,
    JSON.stringify(response.headers),
    response.body,
    times.expiresAt,
  ]);
}
