import { isRecord } from "../../json.ts";
import { parseTimestamp } from "../timestamp.ts";
import type { CauseId } from "./causes.ts";
import {
  memoize,
  type UndoneFault,
  type Variant,
  type VariantsByFaultCount,
  withoutFaults,
} from "./variant.ts";
import type { WorkBudget } from "./work-budget.ts";

/** A timestamp as it may have been signed; null where none was sent. */
export type SignedTimestamp = string | null;

/** Names that payloads give to their own time: theirs is not shown (interface §6), `createdAt` is the sandbox's. */
const PAYLOAD_TIME_FIELDS = [
  "createdAt",
  "created_at",
  "created",
  "timestamp",
  "occurredAt",
  "time",
  "sentAt",
] as const;

/** Characters of a timestamp that is tried another way: a longer one is no time. */
const MAX_LENGTH = 128;

/** Timestamps that are tried where the header is there more than once. */
const MAX_TIMESTAMPS = 16;

/** The timestamp as it was sent, and as it may have been signed in its place. */
export function timestampVariants(
  values: readonly string[],
  payload: () => unknown,
  work: WorkBudget,
): VariantsByFaultCount<SignedTimestamp> {
  const [sent = null] = values;
  const isMissing = sent === null || sent.trim() === "";
  const id: CauseId = isMissing ? "timestamp.missing" : "timestamp.payload_time";
  const one = memoize(() => {
    const all = [
      ...(isMissing ? [] : [...splitDuplicates(values, work), ...alternativeForms(sent, work)]),
      ...payloadTimes(payload()).map(([name, value]) =>
        createVariant(id, value, `the payload's ${name} as the timestamp`, 2),
      ),
      createVariant("timestamp.missing", "", "an empty timestamp", 2),
    ];
    const seen = new Set<SignedTimestamp>(isMissing ? [] : [sent]);
    return all.filter(({ value }) => !seen.has(value) && Boolean(seen.add(value)));
  });
  return [() => [withoutFaults<SignedTimestamp>(isMissing ? null : sent)], one, () => []];
}

const createVariant = (
  id: CauseId,
  value: string,
  undone: string,
  cost: number,
): Variant<SignedTimestamp> => {
  const step: UndoneFault = { id, description: undone, cost };
  return { value, faults: [step] };
};

/** Doubled headers come one by one, or joined by a comma (RFC 9110 §5.3). */
function splitDuplicates(values: readonly string[], work: WorkBudget): Variant<SignedTimestamp>[] {
  const all = values.flatMap((value) => value.split(",")).map((value) => value.trim());
  if (all.length < 2) return [];
  const tried = all.slice(0, MAX_TIMESTAMPS).filter(({ length }) => length <= MAX_LENGTH);
  if (tried.length < all.length) work.markIncomplete();
  return tried.map((value) =>
    createVariant("timestamp.doubled", value, `${JSON.stringify(value)} as the timestamp`, 1),
  );
}

function alternativeForms(sent: string, work: WorkBudget): Variant<SignedTimestamp>[] {
  if (sent.length > MAX_LENGTH) {
    work.markIncomplete();
    return [];
  }
  const trimmed = sent.trim();
  const time = parseTimestamp(trimmed);
  const white = [trimmed, `${trimmed} `, ` ${trimmed}`, `${trimmed}\n`].map((value) =>
    createVariant(
      "timestamp.whitespace",
      value,
      `${JSON.stringify(value)} as the timestamp`,
      value === trimmed ? 1 : 3,
    ),
  );
  if (time === null) return white;
  const isUnix = /^\d+(\.\d+)?$/.test(trimmed);
  return [
    ...white,
    ...unixForms(time).map((value) =>
      createVariant(
        isUnix ? "timestamp.milliseconds" : "timestamp.rfc3339",
        value,
        `${value} as the timestamp`,
        1,
      ),
    ),
    ...rfc3339Forms(time).map((value) =>
      createVariant("timestamp.rfc3339", value, `${value} as the timestamp`, 2),
    ),
  ];
}

const unixForms = (time: number): string[] => [
  String(Math.floor(time / 1000)),
  String(time),
  (time / 1000).toFixed(3),
];

function rfc3339Forms(time: number): string[] {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return [];
  const exact = date.toISOString();
  const short = exact.replace(/\.\d+Z$/, "Z");
  return [exact, short, short.replace("Z", "+00:00"), exact.replace(/Z$/, "000Z")];
}

function payloadTimes(payload: unknown): [name: string, value: string][] {
  if (!isRecord(payload)) return [];
  return PAYLOAD_TIME_FIELDS.flatMap((name) => {
    const value = payload[name];
    if ((typeof value !== "string" && typeof value !== "number") || String(value).length > MAX_LENGTH)
      return [];
    const time = parseTimestamp(String(value));
    const forms = time === null ? [] : [...unixForms(time), ...rfc3339Forms(time)];
    return [String(value), ...forms].map((form): [string, string] => [name, form]);
  });
}
