import { isRecord } from "../../json.ts";
import { parseTimestamp } from "../timestamp.ts";
import { memoize, type Variant, type VariantsByFaultCount, withFault, withoutFaults } from "./variant.ts";
import type { WorkBudget } from "./work-budget.ts";

/** The timestamp that the signer may have used; null if none was sent. */
export type SignedTimestamp = string | null;

/** Names of payload fields with a time. Interface §6 does not show the name; `createdAt` is the sandbox's. */
const TIME_FIELDS = ["createdAt", "created_at", "created", "timestamp", "occurredAt", "time", "sentAt"];

/** Characters; longer text is not a time. */
const MAX_LENGTH = 128;

const MAX_TIMESTAMPS = 16;

/** The timestamp that was sent, and those that the signer may have used in its place. */
export function timestampVariants(
  values: readonly string[],
  payload: () => unknown,
  work: WorkBudget,
): VariantsByFaultCount<SignedTimestamp> {
  const [sent = null] = values;
  const isMissing = sent === null || sent.trim() === "";
  const payloadId = isMissing ? "timestamp.missing" : "timestamp.payload_time";
  const one = memoize(() => {
    const seen = new Set<SignedTimestamp>(isMissing ? [] : [sent]);
    return [
      ...(isMissing ? [] : [...splitDuplicates(values, work), ...otherFormats(sent, work)]),
      ...payloadTimes(payload()).map(([name, value]) =>
        withFault(value, payloadId, 2, `the payload's ${name} as the timestamp`),
      ),
      withFault("", "timestamp.missing", 2, "an empty timestamp"),
    ].filter(({ value }) => !seen.has(value) && seen.add(value));
  });
  return [() => [withoutFaults<SignedTimestamp>(isMissing ? null : sent)], one, () => []];
}

/** A repeated header arrives as several values, or joined by commas (RFC 9110 §5.3). */
function splitDuplicates(values: readonly string[], work: WorkBudget): Variant<string>[] {
  const all = values.flatMap((value) => value.split(",")).map((value) => value.trim());
  if (all.length < 2) return [];
  const tried = all.slice(0, MAX_TIMESTAMPS).filter(({ length }) => length <= MAX_LENGTH);
  if (tried.length < all.length) work.markIncomplete();
  return tried.map((value) => withFault(value, "timestamp.doubled", 1, describe(JSON.stringify(value))));
}

function otherFormats(sent: string, work: WorkBudget): Variant<string>[] {
  if (sent.length > MAX_LENGTH) {
    work.markIncomplete();
    return [];
  }
  const trimmed = sent.trim();
  const time = parseTimestamp(trimmed);
  const unixId = /^\d+(\.\d+)?$/.test(trimmed) ? "timestamp.milliseconds" : "timestamp.rfc3339";
  return [
    ...[trimmed, `${trimmed} `, ` ${trimmed}`, `${trimmed}\n`].map((value, index) =>
      withFault(value, "timestamp.whitespace", index === 0 ? 1 : 3, describe(JSON.stringify(value))),
    ),
    ...unixFormats(time).map((value) => withFault(value, unixId, 1, describe(value))),
    ...rfc3339Formats(time).map((value) => withFault(value, "timestamp.rfc3339", 2, describe(value))),
  ];
}

const describe = (value: string): string => `${value} as the timestamp`;

const unixFormats = (time: number | null): string[] =>
  time === null ? [] : [String(Math.floor(time / 1000)), String(time), (time / 1000).toFixed(3)];

function rfc3339Formats(time: number | null): string[] {
  const date = new Date(time ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return [];
  const exact = date.toISOString();
  const short = exact.replace(/\.\d+Z$/, "Z");
  return [exact, short, short.replace("Z", "+00:00"), exact.replace(/Z$/, "000Z")];
}

function payloadTimes(payload: unknown): [name: string, value: string][] {
  if (!isRecord(payload)) return [];
  return TIME_FIELDS.flatMap((name) => {
    const value = payload[name];
    if (typeof value !== "string" && typeof value !== "number") return [];
    const text = String(value);
    if (text.length > MAX_LENGTH) return [];
    const time = parseTimestamp(text);
    return [text, ...unixFormats(time), ...rfc3339Formats(time)].map((each): [string, string] => [
      name,
      each,
    ]);
  });
}
