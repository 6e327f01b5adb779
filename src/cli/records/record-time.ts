import { parseTimestamp } from "../../domain/webhooks/timestamp.ts";

/**
 * A time in a record of the service, in milliseconds since 1970; null where it tells none. The interface names such times
 * (§2) and shows no format: it may be what a delivery's timestamp may be.
 */
export const parseRecordTime = (value: unknown): number | null =>
  typeof value === "string" || typeof value === "number" ? parseTimestamp(String(value)) : null;
