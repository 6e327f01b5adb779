import { parseTimestamp } from "../../../../domain/webhooks/timestamp.ts";

/**
 * A time in a record of the service, in milliseconds since 1970, or null. The interface does not document its format (§2),
 * so this reads all formats of a delivery's timestamp.
 */
export const parseRecordTime = (value: unknown): number | null =>
  typeof value === "string" || typeof value === "number" ? parseTimestamp(String(value)) : null;
