/**
 * `Retry-After` in both forms of RFC 9110 §10.2.3, as milliseconds from now; null where there is none that can be read.
 * A date is the sender's, so it is held against the `Date` of the same answer: our clock may be wrong.
 *
 * @param headers names in lower case
 * @param now milliseconds since 1970
 */
export function parseRetryAfter(headers: Readonly<Record<string, string>>, now: number): number | null {
  const { "retry-after": value = "", date = "" } = headers;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const until = parseHttpDate(value);
  return until === null ? null : Math.max(0, until - (parseHttpDate(date) ?? now));
}

/** The date forms of RFC 9110 §5.6.7 that name their zone; `Date.parse` alone takes "-5" for a date. */
function parseHttpDate(text: string): number | null {
  const at = text.endsWith(" GMT") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** Whether a text is such a date. */
export const isHttpDate = (text: string): boolean => parseHttpDate(text) !== null;
