import type { AttemptFailure } from "../../src/domain/webhooks/deliveries.ts";
import type { HeaderList } from "../../src/domain/webhooks/headers.ts";
import type { Store } from "./open.ts";
import * as sql from "./sql-table.ts";

const ATTEMPTS = new sql.SqlTable("attempt", {
  /** The seq of the delivery. */
  delivery: sql.integer,
  /** Counted from 1. */
  number: sql.integer,
  trigger: sql.plain<"schedule" | "resend">(),
  /** Sandbox time. */
  at: sql.integer,
  /** Wall time. */
  durationMs: sql.integer,
  /** As sent: names, values, order. */
  headers: sql.json<HeaderList>(),
  responseStatus: sql.optionalInteger,
  responseHeaders: sql.json<HeaderList | null>(),
  responseExcerpt: sql.plain<Uint8Array | null>(),
  errorCode: sql.plain<AttemptFailure | null>(),
  errorDetail: sql.optionalText,
});

/** One attempt of a delivery: the request and its response. */
export interface AttemptRow
  extends Omit<sql.RowOf<typeof ATTEMPTS>, "delivery" | "errorCode" | "errorDetail"> {
  readonly error: { readonly code: AttemptFailure; readonly detail: string } | null;
}

export function addAttempt(store: Store, delivery: number, { error, ...attempt }: AttemptRow): void {
  const [errorCode, errorDetail] = error ? [error.code, error.detail] : [null, null];
  ATTEMPTS.insert(store, { ...attempt, delivery, errorCode, errorDetail });
}

/** The attempts of a delivery, the first one first. */
export const listAttempts = (store: Store, delivery: number): AttemptRow[] =>
  ATTEMPTS.select(store, "WHERE delivery = ? ORDER BY number", [delivery]).map(
    ({ errorCode: code, errorDetail, ...attempt }) => ({
      ...attempt,
      error: code === null ? null : { code, detail: errorDetail ?? "" },
    }),
  );
