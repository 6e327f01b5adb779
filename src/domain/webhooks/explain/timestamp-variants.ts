import { isRecord } from "../../json.ts";
import { parseLoggedTime, parseTimestamp } from "../timestamp.ts";
import { shorten } from "./evidence.ts";
import type { OtherHeader } from "./header-names.ts";
import { removeInvisible } from "./secrets.ts";
import { type Variant, type Variants, withFault, withoutFaults } from "./variants.ts";
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
  otherNames: readonly OtherHeader[],
  payload: unknown,
  work: WorkBudget,
): Variants<SignedTimestamp> {
  const [sent = ""] = values;
  const isMissing = sent.trim() === "";
  const seen = new Set<SignedTimestamp>(isMissing ? [] : [sent]);
  const ofPayload = payloadTimes(payload).map(([name, text, value]) =>
    isMissing
      ? withFault(value, "timestamp.missing", `the payload's ${name} as the timestamp`)
      : classifyPayloadTime(sent, name, text, value),
  );
  const ofHeaders = isMissing
    ? otherNames.map(({ name, value }) =>
        withFault(value, "timestamp.header_name", `the value of ${shorten(name)}`),
      )
    : [...splitDuplicates(values, work), ...otherFormats(sent, work)];
  const empty = withFault("", "timestamp.missing", "an empty timestamp");
  return {
    none: [withoutFaults<SignedTimestamp>(isMissing ? null : sent)],
    one: [...ofHeaders, ...ofPayload, empty].filter(({ value }) => !seen.has(value) && seen.add(value)),
  };
}

/** A repeated header arrives as several values, or joined by commas (RFC 9110 §5.3). */
function splitDuplicates(values: readonly string[], work: WorkBudget): Variant<string>[] {
  const all = values.flatMap((value) => value.split(",")).map((value) => value.trim());
  if (all.length < 2) return [];
  const tried = all.slice(0, MAX_TIMESTAMPS).filter(({ length }) => length <= MAX_LENGTH);
  if (tried.length < all.length) work.markIncomplete();
  return tried.map((value) => withFault(value, "timestamp.doubled", describe(JSON.stringify(value))));
}

function otherFormats(sent: string, work: WorkBudget): Variant<string>[] {
  if (sent.length > MAX_LENGTH) {
    work.markIncomplete();
    return [];
  }
  const trimmed = sent.trim();
  const bare = readDigits(trimmed) ?? trimmed.replace(/^(["'`])(.*)\1$/, "$2");
  const times = [bare, ...listFormats(parseTimestamp(bare) ?? parseLoggedTime(bare))];
  return [
    reformatted(trimmed, describe(JSON.stringify(trimmed))),
    ...times.map((value) => reformatted(value)),
  ];
}

/** The only number of a label, of quotes or of a list, also in other digits or in hex; null for text that is more than that. */
function readDigits(text: string): string | null {
  // Digits of Arabic, Persian and full width.
  const latin = removeInvisible(text)
    .replace(/[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
    .trim();
  const [, hex] = /^(?:0x)?([0-9a-f]{8})$/i.exec(latin) ?? [];
  if (hex !== undefined && /[a-fx]/i.test(latin)) return String(Number.parseInt(hex, 16));
  const [, only] = /^[^\d]*(\d{9,10}|\d{13}|\d{16}|\d{19})[^\d]*$/.exec(latin) ?? [];
  return only === undefined || only === text ? null : only;
}

/** A date without a zone, of a C library, a spreadsheet or SQL, as if it was UTC. */
function parseLocalTime(text: string): number | null {
  const trimmed = text.trim();
  if (/^\d{9,19}$/.test(trimmed) || !/\d\d?:\d\d/.test(trimmed) || trimmed.length > MAX_LENGTH) return null;
  if (/(?:Z|GMT|UTC|[+-]\d\d:?\d\d)$/.test(trimmed)) return null;
  const [, day, month, year, rest] = /^(\d\d?)[./](\d\d?)[./](\d{4}),? (.*)$/.exec(trimmed) ?? [];
  const time = Date.parse(
    `${day === undefined ? trimmed : `${year}-${month?.padStart(2, "0")}-${day.padStart(2, "0")} ${rest}`} UTC`,
  );
  return Number.isNaN(time) ? null : Math.floor(time / 1000) * 1000;
}

const describe = (value: string): string => `${value} as the timestamp`;

const reformatted = (value: string, description = describe(value)): Variant<string> =>
  withFault(value, "timestamp.reformatted", description);

const isSeconds = (text: string): boolean => /^\d{9,10}$/.test(text);

/** A time in the forms that programs print. */
function listFormats(time: number | null): string[] {
  if (time === null) return [];
  const seconds = String(Math.floor(time / 1000));
  // The last two are a float and bytes of Python.
  const unix = [seconds, String(time), (time / 1000).toFixed(3), `${seconds}.0`, `b'${seconds}'`];
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return unix;
  const exact = date.toISOString();
  const short = exact.replace(/\.\d+Z$/, "Z");
  return [...unix, exact, short, short.replace("Z", "+00:00"), exact.replace(/Z$/, "000Z")];
}

/** The times of a payload: the name of the field, its text, and a form of that time. */
function payloadTimes(payload: unknown) {
  if (!isRecord(payload)) return [];
  return TIME_FIELDS.flatMap((name) => {
    const value = payload[name];
    const text = typeof value === "string" || typeof value === "number" ? String(value) : null;
    if (text === null || text.length > MAX_LENGTH) return [];
    return [text, ...listFormats(parseTimestamp(text))].map((each) => [name, text, each] as const);
  });
}

/**
 * The first attempt is signed in the second of the event, so a match with its time says little of the signer: only text
 * that is the payload's and has another format than the header comes from there. Otherwise the header has changed.
 */
function classifyPayloadTime(sent: string, name: string, text: string, value: string): Variant<string> {
  const header = sent.trim();
  const isOfPayload = value === text && isSeconds(header) !== isSeconds(value);
  // Text that is no time, such as 1.795E9 of a spreadsheet, was one before.
  if (parseTimestamp(header) === null) return reformatted(value);
  return isOfPayload ? reformatted(value, `the payload's ${name} as the timestamp`) : withChange(sent, value);
}

/** A timestamp that the signature was made with, in place of the one in the header. */
function withChange(sent: string, signed: string): Variant<string> {
  const [here, there] = [parseTimestamp(sent.trim()), parseTimestamp(signed)];
  const seconds = here === null || there === null ? 0 : Math.abs(here - there) / 1000;
  const direction = (here ?? 0) > (there ?? 0) ? "later" : "earlier";
  const shown = /^[\w.:+-]+$/.test(sent) ? sent : JSON.stringify(sent);
  const distance = seconds === 0 ? "" : `, ${seconds} s ${direction}`;
  return withFault(
    signed,
    "timestamp.changed",
    describe(signed),
    `the signature was made with timestamp ${signed}; the header says ${shorten(shown)}${distance}`,
  );
}

const NEARBY_SECONDS = 900;
const QUARTER_HOUR_SECONDS = 900;
/** Offsets of time zones reach 14 hours. */
const MAX_QUARTER_HOURS = 56;

/** Times around the one in the header: another attempt's, of another clock or zone. Too many to combine with other faults. */
export function rareTimestamps([sent = ""]: readonly string[]): readonly Variant<SignedTimestamp>[] {
  const local = parseLocalTime(sent);
  if (local !== null)
    return Array.from({ length: 2 * MAX_QUARTER_HOURS + 1 }, (_, index) => {
      const time = local / 1000 + (index - MAX_QUARTER_HOURS) * QUARTER_HOUR_SECONDS;
      return reformatted(String(time), `${time} as the timestamp, which is here as local time`);
    });
  if (!isSeconds(sent)) return [];
  const distances = [
    ...Array.from({ length: NEARBY_SECONDS }, (_, index) => index + 1),
    ...Array.from({ length: MAX_QUARTER_HOURS }, (_, index) => (index + 1) * QUARTER_HOUR_SECONDS),
  ];
  return distances.flatMap((distance) =>
    [Number(sent) - distance, Number(sent) + distance].map((time) => withChange(sent, String(time))),
  );
}
