import { parseDuration } from "../../domain/duration.ts";
import { usageError } from "../../domain/errors.ts";

/** The duration that somebody typed, in milliseconds. */
export function parseDurationFlag(text: string): number {
  const duration = parseDuration(text);
  if (duration !== null) return duration;
  throw usageError("invalid_duration", `"${text}" is not a duration`, {
    hint: "write numbers with units: 500ms, 90s, 15m, 1h30m, 3d",
  });
}
