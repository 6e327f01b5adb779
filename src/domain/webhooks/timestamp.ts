/** As seconds, a larger number is after the year 5000: it is in milliseconds. */
const FIRST_MILLISECONDS_VALUE = 100_000_000_000;

/**
 * Milliseconds since 1970; null for text that is not a time. Interface §6 does not show the format, so unix seconds, unix
 * milliseconds and RFC 3339 are accepted.
 */
export function parseTimestamp(text: string): number | null {
  if (/^\d{1,15}(\.\d{1,9})?$/.test(text)) {
    const value = Number(text);
    return Math.round(value < FIRST_MILLISECONDS_VALUE ? value * 1000 : value);
  }
  if (!/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text)) return null;
  const time = Date.parse(text.replace(" ", "T").toUpperCase());
  return Number.isNaN(time) ? null : time;
}

/** The time of an access log: `29/Nov/2026:06:55:24 +0000`. */
const CLF_TIME = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d [+-]\d{4})$/;

/** Also microseconds and nanoseconds, which logs write as digits, and times without a zone, which are UTC: also of Azure. */
export function parseLoggedTime(text: string): number | null {
  if (CLF_TIME.test(text)) return Date.parse(text.replace(CLF_TIME, "$1 $2 $3 $4")) || null;
  if (/^\d{1,2}\/\d{1,2}\/\d{4}, /.test(text)) return Date.parse(`${text} UTC`) || null;
  if (/^\d{16}$|^\d{19}$/.test(text)) return Number(text.slice(0, 13));
  const exact = text.replace(",", ".").replace(/([+-]\d\d)(\d\d)$/, "$1:$2");
  const isWithoutZone = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?$/.test(exact);
  return parseTimestamp(isWithoutZone ? `${exact}Z` : exact);
}
