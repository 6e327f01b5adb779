import type { AttemptFailure } from "../../src/domain/webhooks/deliveries.ts";
import type { HeaderList } from "../../src/domain/webhooks/headers.ts";
import type { SqlValue, Store } from "./open.ts";

/** One attempt of a delivery, as it was made and answered. */
export interface AttemptRow {
  /** Counted from 1. */
  readonly number: number;
  readonly trigger: "schedule" | "resend";
  /** Sandbox time. */
  readonly at: number;
  /** Wall time. */
  readonly durationMs: number;
  /** As sent: names, values, order. */
  readonly headers: HeaderList;
  readonly responseStatus: number | null;
  readonly responseHeaders: HeaderList | null;
  readonly responseExcerpt: Uint8Array | null;
  readonly error: { readonly code: AttemptFailure; readonly detail: string } | null;
}

export function addAttempt(store: Store, delivery: number, attempt: AttemptRow): void {
  store.run("INSERT INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", [
    delivery,
    attempt.number,
    attempt.trigger,
    attempt.at,
    attempt.durationMs,
    JSON.stringify(attempt.headers),
    attempt.responseStatus,
    attempt.responseHeaders && JSON.stringify(attempt.responseHeaders),
    attempt.responseExcerpt,
    attempt.error?.code ?? null,
    attempt.error?.detail ?? null,
  ]);
}

/** Every attempt of a delivery, the first one first. */
export function listAttempts(store: Store, delivery: number): AttemptRow[] {
  const rows = store.all(
    `SELECT number, trigger, at, duration_ms, headers, response_status, response_headers, response_excerpt, error_code,
       error_detail FROM attempt WHERE delivery = ? ORDER BY number`,
    [delivery],
  );
  return rows.map(toAttemptRow);
}

function toAttemptRow(row: SqlValue[]): AttemptRow {
  const [headers, responseHeaders] = [row[4] as string, row[6] as string | null];
  const code = row[8] as AttemptFailure | null;
  return {
    number: row[0] as number,
    trigger: row[1] as AttemptRow["trigger"],
    at: row[2] as number,
    durationMs: row[3] as number,
    headers: JSON.parse(headers),
    responseStatus: row[5] as number | null,
    responseHeaders: responseHeaders === null ? null : JSON.parse(responseHeaders),
    responseExcerpt: row[7] as Uint8Array | null,
    error: code === null ? null : { code, detail: row[9] as string },
  };
}
