import { findSpans } from "./text-record.ts";

/** What programs write about a timestamp that they take for too old or too new. */
const REFUSAL =
  /timestamp\b.{0,40}\b(?:outside|not within|exceeds?|too (?:old|far|new)|expired|stale)\b|\b(?:expired|stale|old) timestamp\b/i;
const NOW_IN_MILLISECONDS = /\bnow["']?[=: ]{1,3}(1\d{12})\b/i;
const TIMESTAMP_IN_SECONDS = /\b(?:ts|t|timestamp)["']?[=: ]{1,3}["']?(1\d{9})\b/i;

/**
 * The next step if the receiver refused the time of a delivery; null if its log does not say that it did.
 *
 * @param log the text around the delivery
 * @param facts of the record
 */
export function describeTimeRefusal(log: string, facts: ReadonlyMap<string, string>): string | null {
  const lines = log.split("\n").filter((line) => REFUSAL.test(line));
  const said = [...lines.map(removeObjects), ...facts.values()].find((text) => REFUSAL.test(text));
  if (said === undefined) return null;
  const values = [said, ...[...facts].map(([name, value]) => `${name}=${value}`)].join("\n");
  const [, now] = NOW_IN_MILLISECONDS.exec(values) ?? [];
  const [, timestamp] = TIMESTAMP_IN_SECONDS.exec(values) ?? [];
  const reason =
    now !== undefined && timestamp !== undefined
      ? `it compares its time in milliseconds, ${now}, with the timestamp in seconds, ${timestamp}`
      : "compare its clock with UTC, and the unit of its time with that of the timestamp";
  return `next: by its log, your receiver refused the time, not the signature: ${reason}`;
}

/** A body can have the same words. */
const removeObjects = (line: string): string =>
  findSpans(line).reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), line);
