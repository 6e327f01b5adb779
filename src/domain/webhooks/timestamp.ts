/** From here on a number of seconds would be after the year 5000: it is milliseconds. */
const FIRST_MILLISECONDS_VALUE = 100_000_000_000;

/**
 * The time that a timestamp tells, in milliseconds since 1970; null where it tells none. Its format is not shown
 * (interface §6), so it may be unix seconds, unix milliseconds or RFC 3339.
 */
export function parseTimestamp(timestamp: string): number | null {
  if (/^\d{1,15}(\.\d{1,9})?$/.test(timestamp)) {
    const value = Number(timestamp);
    return value < FIRST_MILLISECONDS_VALUE ? Math.round(value * 1000) : Math.round(value);
  }
  if (!/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(timestamp)) return null;
  const time = Date.parse(timestamp.replace(" ", "T").toUpperCase());
  return Number.isNaN(time) ? null : time;
}
