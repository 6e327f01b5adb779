import { isRecord } from "../../json.ts";
import { Buffer } from "../buffer.ts";
import { fingerprint } from "../fingerprint.ts";
import { parseTimestamp } from "../timestamp.ts";
import type { CauseId } from "./causes.ts";
import { decodeBase64, decodeHex } from "./encodings.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

/** A fault to undo before the signature can match. */
export interface UndoneFault {
  readonly id: CauseId;
  /** Follows "the signature matches": `the body without its last line end`. */
  readonly description: string;
  /** How rare the fault is: the search tries cheap ones first. */
  readonly cost: number;
}

export interface Variant<T> {
  readonly value: T;
  readonly faults: readonly UndoneFault[];
}

/** The variants of one input by their number of faults; each list is made when it is first needed. */
export type VariantsByFaultCount<T> = readonly [
  none: () => readonly Variant<T>[],
  one: () => readonly Variant<T>[],
  two: () => readonly Variant<T>[],
];

export const withoutFaults = <T>(value: T): Variant<T> => ({ value, faults: [] });

const withFault = <T>(value: T, id: CauseId, cost: number, description: string): Variant<T> => ({
  value,
  faults: [{ id, cost, description }],
});

export const costOf = ({ faults }: Variant<unknown>): number =>
  faults.reduce((sum, { cost }) => sum + cost, 0);

export function memoize<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export interface BaseString {
  readonly usesTimestamp: boolean;
  readonly join: (timestamp: string, body: Uint8Array) => readonly (string | Uint8Array)[];
}

const DOCUMENTED: BaseString = { usesTimestamp: true, join: (time, body) => [`${time}.`, body] };

const BODY_ONLY: BaseString = { usesTimestamp: false, join: (_, body) => [body] };

const withTimestamp = (id: CauseId, cost: number, description: string, join: BaseString["join"]) =>
  withFault({ usesTimestamp: true, join }, id, cost, description);

const OTHERS: readonly Variant<BaseString>[] = [
  withFault(BODY_ONLY, "base.body_only", 1, "the body without the timestamp"),
  withTimestamp("base.no_dot", 1, "timestamp and body with nothing between them", (...parts) => parts),
  ...[":", ",", "\n", "-", "_", "|", " ", ";", "\r\n", "\0", "&", "+"].map((separator) => {
    const description = `timestamp and body with ${JSON.stringify(separator)} between them`;
    return withTimestamp("base.other_separator", 2, description, (time, body) => [time + separator, body]);
  }),
  ...[".", "", ":"].map((separator) => {
    const description = `the body, ${JSON.stringify(separator)}, then the timestamp`;
    return withTimestamp("base.body_first", 2, description, (time, body) => [body, separator + time]);
  }),
];

/** The documented base string, and those that signers use in its place. */
export const BASE_STRINGS: VariantsByFaultCount<BaseString> = [
  () => [withoutFaults(DOCUMENTED)],
  () => OTHERS,
  () => [],
];

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

/** A secret that the signer may have used in place of the right one. */
export interface CandidateSecret {
  readonly kind: "api_key" | "client_secret" | "other_endpoint" | "other_environment" | "older";
  readonly secret: string;
}

/** A string stands for its UTF-8. */
export type HmacKey = string | Uint8Array;

const PREFIX = "whsec_";

const stripPrefix = (secret: string): string => secret.replace(/^whsec_/, "");

const addPrefix = (secret: string): string | null => (secret.startsWith(PREFIX) ? null : PREFIX + secret);

const stripQuotes = (text: string): string | null => /^(["'`])(.*)\1$/s.exec(text)?.[2] ?? null;

/** `undo` returns the key that was used, or null where the fault is impossible. */
const SECRET_FAULTS: readonly (readonly [
  id: CauseId,
  cost: number,
  description: string,
  undo: (secret: string) => HmacKey | null,
])[] = [
  ["secret.whitespace", 1, "without the white space around it", (secret) => secret.trim()],
  ["secret.quotes", 1, "without the quotes around it", stripQuotes],
  ["secret.prefix_dropped", 1, `with ${PREFIX} before it`, addPrefix],
  ["secret.prefix_dropped", 1, `without ${PREFIX}`, stripPrefix],
  [
    "secret.base64_decoded",
    1,
    `decoded from base64 after ${PREFIX}`,
    (key) => decodeBase64(stripPrefix(key)),
  ],
  ["secret.base64_decoded", 2, "decoded from base64 as a whole", decodeBase64],
  ["secret.hex_decoded", 2, "decoded from hex", (secret) => decodeHex(stripPrefix(secret))],
  ["secret.whitespace", 2, "with LF after it", (secret) => `${secret}\n`],
  ["secret.whitespace", 3, "with CRLF after it", (secret) => `${secret}\r\n`],
];

/** The keys as given, with one fault undone and with two. Each key occurs once. */
export function secretVariants(
  secrets: readonly string[],
  candidates: readonly CandidateSecret[],
  work: WorkBudget,
): VariantsByFaultCount<HmacKey> {
  const seen = new Set<string>();
  const isNew = ({ value }: Variant<HmacKey>): boolean => {
    if (!work.trySpend(COST.secret + value.length * COST.byteRead)) return false;
    const text = Buffer.from(value as string).toString("base64");
    return !seen.has(text) && Boolean(seen.add(text));
  };
  /** Text can have one more fault, such as quotes inside white space; decoded bytes cannot. */
  const undoFaults = ({ value: secret, faults }: Variant<HmacKey>, name: string): Variant<HmacKey>[] =>
    SECRET_FAULTS.flatMap(([id, cost, how, undo]) => {
      const value = typeof secret === "string" ? undo(secret) : null;
      if (value === null || faults.some((fault) => fault.id === id)) return [];
      const variant = { value, faults: [...faults, { id, cost, description: `${name} ${how}` }] };
      return isNew(variant) ? [variant] : [];
    });
  // Anyone can sign with an empty key, so a match with it is always a fault.
  const given = secrets.flatMap((secret, index) =>
    secret === "" ? [] : [{ ...withoutFaults<HmacKey>(secret), name: `secret ${index + 1}` }],
  );
  const none = given.filter(isNew);
  const one = memoize(() => [
    ...candidates.map(candidateVariant).filter(isNew),
    ...given.flatMap((variant) => undoFaults(variant, variant.name)),
    ...[withFault<HmacKey>("", "secret.empty", 2, "an empty key")].filter(isNew),
  ]);
  const two = memoize(() => one().flatMap((variant) => undoFaults(variant, "the same")));
  return [() => none, one, two];
}

const candidateVariant = ({ kind, secret }: CandidateSecret): Variant<HmacKey> =>
  withFault<HmacKey>(
    secret,
    `secret.${kind}`,
    1,
    `the candidate secret with the fingerprint ${fingerprint(secret)}`,
  );
