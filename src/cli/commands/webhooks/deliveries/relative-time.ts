import { formatDuration } from "../../../output/format-duration.ts";
import { parseRecordTime } from "../../../records/record-time.ts";

/**
 * When something is to happen, seen from now: `in 2 h 4 min`.
 *
 * @param now milliseconds since 1970, by the clock that decides
 */
export function formatRelativeTime(at: unknown, now: number): string | null {
  if (at === null || at === undefined) return null;
  const time = parseRecordTime(at);
  if (time === null) return String(at);
  const left = time - now;
  return left <= 0 ? "now" : `in ${formatDuration(left)}`;
}
