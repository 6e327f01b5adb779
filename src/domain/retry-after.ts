/** `Retry-After` (RFC 9110 §10.2.3) in ms from now, null without one; a date is relative to `Date`. @param now epoch ms */
export function parseRetryAfter(headers: Readonly<Record<string, string>>, now: number): number | null {
  const { "retry-after": value = "", date = "" } = headers;
  // Whole seconds by the RFC; some services send 1.5.
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value)) * 1000;
  const until = parseHttpDate(value);
  return until === null ? null : Math.max(0, until - (parseHttpDate(date) ?? now));
}

/** The date forms of RFC 9110 §5.6.7 with a time zone. `Date.parse` alone accepts "-5" as a date. */
function parseHttpDate(text: string): number | null {
  const at = text.endsWith(" GMT") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}
