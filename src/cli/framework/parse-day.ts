import { type Day, parseIsoDay } from "../../domain/entries/dates.ts";
import { usageError } from "../../domain/errors.ts";

/** A date that somebody typed, as in `2026-11-20`. */
export function parseDay(text: string): Day {
  const day = parseIsoDay(text);
  if (day !== null) return day;
  throw usageError("invalid_date", `"${text}" is not a date`, { hint: "write YYYY-MM-DD" });
}
