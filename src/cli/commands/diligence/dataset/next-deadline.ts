import { type Day, parseIsoDay } from "../../../../domain/entries/dates.ts";
import { unreachableError } from "../../../../domain/errors.ts";

/** The field of a dataset row with the deadline of its route (diligence-model §3). */
export const NEXT_DEADLINE = "nextDeadline";

const ISO_DATE_LENGTH = "2026-02-20".length;

/**
 * The day of a deadline; null for none. A service may send a time instead of a date.
 *
 * @param value JSON, or the cell of a CSV
 */
export function parseDeadline(value: unknown): Day | null {
  if (value === null || value === undefined || value === "") return null;
  const day = typeof value === "string" ? parseIsoDay(value.slice(0, ISO_DATE_LENGTH)) : null;
  if (day !== null) return day;
  throw unreachableError(
    "unexpected_response",
    `the dataset has the ${NEXT_DEADLINE} ${JSON.stringify(value)}`,
    {
      hint: "expected YYYY-MM-DD; print what the service sends with --json or --csv",
    },
  );
}
