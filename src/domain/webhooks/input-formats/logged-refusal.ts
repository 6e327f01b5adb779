import { type HeaderList, headerValues } from "../../http-headers.ts";
import { formatDuration } from "../../times.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { findSpans } from "./text-record.ts";

/** What programs write about a timestamp that they take for too old or too new. */
const REFUSED_TIME =
  /timestamp\b.{0,40}\b(?:outside|not within|exceeds?|too (?:old|far|new)|expired|stale)\b|\b(?:expired|stale|old) timestamp\b/i;
/** An age and its limit, in seconds: `too old (6730s > 300s)`, `abs(now - ts) = 900 > 300`. */
const AGE_AND_LIMIT =
  /(?:\btoo (?:old|new|late|early)\b|\babs\(|\b(?:age|drift|skew|tolerance)\b).{0,80}?\b(\d{1,9})(?:\.\d+)? ?(?:s|sec|seconds)? ?>=? ?(\d{1,6})(?: ?(?:s|sec|seconds))?\b/i;
const NOW_IN_MILLISECONDS = /\bnow["']?[=: ]{1,3}(1\d{12})\b/i;
const TIMESTAMP_IN_SECONDS = /\b(?:ts|t|timestamp)["']?[=: ]{1,3}["']?(1\d{9})\b/i;

/** What programs write about a header that they did not find. */
const MISSING =
  /\b(?:missing|without|lacks?|no)\b.{0,30}\b(?:signature|timestamp)\b|\b(?:signature|timestamp)\b.{0,40}\b(?:missing|absent|not found|not set|not present|None|null|undefined)\b/i;
const HEADER_NAME = /x-service-(signature|timestamp)/gi;

/**
 * The next step if the receiver refused a right delivery for its time, or for a header that is there; null if its log does
 * not say that it did.
 *
 * @param log the text around the delivery
 * @param facts of the record
 * @param headers of the delivery, with the names as they arrived
 */
export function describeLoggedRefusal(
  log: string,
  facts: ReadonlyMap<string, string>,
  headers: HeaderList,
): string | null {
  const said = [...log.split("\n").map(removeObjects), ...facts.values()];
  return describeTimeRefusal(said, facts, headers) ?? describeLookUp(said, headers);
}

function describeTimeRefusal(
  said: readonly string[],
  facts: ReadonlyMap<string, string>,
  headers: HeaderList,
): string | null {
  const refusal = said.find((text) => REFUSED_TIME.test(text) || AGE_AND_LIMIT.test(text));
  if (refusal === undefined) return null;
  const values = [refusal, ...[...facts].map(([name, value]) => `${name}=${value}`)].join("\n");
  const [, now] = NOW_IN_MILLISECONDS.exec(values) ?? [];
  const [, timestamp] = TIMESTAMP_IN_SECONDS.exec(values) ?? [];
  const reason =
    now !== undefined && timestamp !== undefined
      ? `it compares its time in milliseconds, ${now}, with the timestamp in seconds, ${timestamp}`
      : (describeAge(refusal, headers) ??
        "compare its clock with UTC, and the unit of its time with that of the timestamp");
  return `next: by its log, your receiver refused the time, not the signature: ${reason}`;
}

/** By the age that the receiver computed, and by its time if its log has that, too. */
function describeAge(refusal: string, headers: HeaderList): string | null {
  const [, age, limit] = AGE_AND_LIMIT.exec(refusal) ?? [];
  if (age === undefined || limit === undefined) return null;
  const signedAt = Number(headerValues(headers, TIMESTAMP_HEADER)[0]);
  const times = (refusal.match(/\b1\d{9}\b/g) ?? []).map(Number);
  const isBehind = times.includes(signedAt - Number(age));
  const [distance, allowed] = [age, limit].map((seconds) => formatDuration(Number(seconds) * 1000));
  return isBehind
    ? `its clock was ${distance} (${age} s) behind the time of signing, and ${allowed} are allowed: set its clock by NTP`
    : `it saw the delivery ${distance} (${age} s) away from the time of signing, and ${allowed} are allowed: look for what delivers late, such as a queue or an old attempt that was sent again, and compare its clock with UTC`;
}

/** HTTP has no letter case in the names of headers (RFC 9110 §5.1), and dictionaries have. */
function describeLookUp(said: readonly string[], headers: HeaderList): string | null {
  const line = said.find((text) => MISSING.test(text) && /header|x-service-/i.test(text));
  if (line === undefined) return null;
  const isOfSignature = !/timestamp/i.test(line) || /signature/i.test(line);
  const name = isOfSignature ? SIGNATURE_HEADER : TIMESTAMP_HEADER;
  const [arrived] = headers.find(([each]) => each.toLowerCase() === name.toLowerCase()) ?? [];
  if (arrived === undefined) return null;
  const wanted = (line.match(HEADER_NAME) ?? []).find(
    (each) => each.toLowerCase() === arrived.toLowerCase() && each !== arrived,
  );
  const advice =
    wanted === undefined
      ? ": check how it reads headers, and in which letter case"
      : `, under this name and not as ${wanted}: look headers up in any letter case`;
  return `next: by its log, your receiver's program did not find a header that arrived: ${arrived} is there${advice}`;
}

/** A body can have the same words. */
const removeObjects = (line: string): string =>
  findSpans(line).reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), line);
