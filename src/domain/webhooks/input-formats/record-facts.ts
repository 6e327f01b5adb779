import { parseTimestamp } from "../timestamp.ts";

const STATUS_NAME =
  /status(?:_?code)?$|(?:^|[._-])(?:(?:http|response|resp|res|elb|upstream|origin|edge|sc|target|cs)?[._-]?status[.-]code|response[._-]?code|answer(?:ed)?|reply|returned|result_?code)$/i;

/** An integer from 100 to 599 under a name of a status, also with its reason phrase. */
export function readStatus(facts: ReadonlyMap<string, string>): number | null {
  for (const [name, text] of facts)
    if (/^[1-5]\d\d(?: [A-Z][A-Za-z -]{1,40})?$/.test(text) && STATUS_NAME.test(name))
      return Number(text.slice(0, 3));
  return null;
}

/** Names of the time in a record, the most telling first. */
const TIME_NAMES = [
  /(?:timeEpoch|requestTimeEpoch|received_?at|startedDateTime|SentTimestamp)$/i,
  /(?:^|[._-])@?(?:timestamp|time|ts|datetime|date|event_?time|start(?:ed)?_?(?:at|time|utc)?|last_attempt_at|created_?at|t|systemtime|__realtime_timestamp)(?: \[utc\])?$/i,
];

/** Milliseconds since 1970, as the record says when the delivery arrived. */
export function readReceiptTime(facts: ReadonlyMap<string, string>): number | null {
  for (const pattern of TIME_NAMES)
    for (const [name, text] of facts) {
      const time = pattern.test(name) ? toTime(text) : null;
      if (time !== null) return time;
    }
  return null;
}

/** Also microseconds and nanoseconds, which logs write as digits, and times without a zone, which are UTC. */
function toTime(text: string): number | null {
  if (/^\d{16}$|^\d{19}$/.test(text)) return Number(text.slice(0, 13));
  const iso = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?$/.test(text)
    ? `${text.replace(",", ".")}Z`
    : text;
  // As Azure exports times to CSV.
  if (/^\d{1,2}\/\d{1,2}\/\d{4}, /.test(text)) return Date.parse(`${text} UTC`) || null;
  return parseTimestamp(iso.replace(/([+-]\d\d)(\d\d)$/, "$1:$2"));
}
