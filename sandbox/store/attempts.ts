import { ATTEMPT_FAILURES, type AttemptFailure } from "../../src/domain/webhooks/deliveries.ts";
import type { HeaderList } from "../../src/domain/webhooks/headers.ts";
import * as sql from "./columns.ts";
import type { Store } from "./open.ts";
import { defineTable, type RowOf } from "./table.ts";

export const ATTEMPTS = defineTable(
  "bulk.attempt",
  {
    /** The seq of the delivery. */
    delivery: sql.references("delivery", sql.integer),
    /** Counted from 1. */
    number: sql.integer,
    trigger: sql.oneOf(["schedule", "resend"]),
    at: sql.time,
    /** Wall time. */
    durationMs: sql.integer,
    /** As sent: names, values, order. */
    headers: sql.json<HeaderList>(),
    responseStatus: sql.nullable(sql.integer),
    responseHeaders: sql.nullable(sql.json<HeaderList>()),
    responseExcerpt: sql.nullable(sql.blob),
    errorCode: sql.nullable(sql.oneOf(ATTEMPT_FAILURES)),
    errorDetail: sql.nullable(sql.text),
  },
  { key: ["delivery", "number"] },
);

/** One attempt of a delivery: the request and its response. */
export interface AttemptRow extends Omit<RowOf<typeof ATTEMPTS>, "delivery" | "errorCode" | "errorDetail"> {
  readonly error: { readonly code: AttemptFailure; readonly detail: string } | null;
}

export function addAttempt(store: Store, delivery: number, { error, ...attempt }: AttemptRow): void {
  const [errorCode, errorDetail] = error ? [error.code, error.detail] : [null, null];
  ATTEMPTS.insert(store, { ...attempt, delivery, errorCode, errorDetail });
}

/** The attempts of a delivery, the first one first. */
export const listAttempts = (store: Store, delivery: number): AttemptRow[] =>
  ATTEMPTS.select(store, "WHERE delivery = ? ORDER BY number", [delivery]).map(joinError);

const RESULTS = ATTEMPTS.only(
  "delivery",
  "number",
  "trigger",
  "at",
  "durationMs",
  "responseStatus",
  "errorCode",
  "errorDetail",
);

/** An attempt without what was sent and received. */
export type AttemptResult = Omit<AttemptRow, "headers" | "responseHeaders" | "responseExcerpt"> & {
  readonly delivery: number;
};

/** The attempts of all deliveries from this seq on, in order. */
export const listAttemptResults = (store: Store, firstDelivery: number): AttemptResult[] =>
  RESULTS.select(store, "WHERE delivery >= ? ORDER BY delivery, number", [firstDelivery]).map(joinError);

function joinError<T extends { errorCode: AttemptFailure | null; errorDetail: string | null }>({
  errorCode: code,
  errorDetail,
  ...attempt
}: T) {
  return { ...attempt, error: code === null ? null : { code, detail: errorDetail ?? "" } };
}
