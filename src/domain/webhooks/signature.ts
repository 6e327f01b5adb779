import { timingSafeEqual } from "node:crypto";
import { headerValues } from "../http-headers.ts";
import { formatDuration } from "../times.ts";
import { Buffer } from "./buffer.ts";
import { type DeliveryHeaders, listHeaders, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "./headers.ts";
import { hmacSha256 } from "./hmac.ts";
import { parseTimestamp } from "./timestamp.ts";

export interface SignInput {
  /** The whole secret, `whsec_` included: its UTF-8 bytes are the key. */
  readonly secret: string;
  /** The exact value of the timestamp header. */
  readonly timestamp: string;
  /** The exact bytes of the body; a string stands for its UTF-8. */
  readonly body: Uint8Array | string;
}

/** A received delivery and the secrets to verify it with. */
export interface VerifyInput {
  /** One of them must have signed: give both while one replaces the other. An empty one never matches. */
  readonly secrets: readonly string[];
  readonly headers: DeliveryHeaders;
  /** The raw body, never a parsed one (interface §6, rule 3). */
  readonly body: Uint8Array | string;
  /** Milliseconds since 1970; without it `ageSeconds` is null. */
  readonly now?: number | undefined;
  /** Largest distance of the timestamp from now, either way; without it any age is valid (interface §6, rule 6). */
  readonly toleranceSeconds?: number | undefined;
}

export type VerifyFailure = "missing_header" | "malformed" | "mismatch" | "stale";

export interface VerifyResult {
  readonly verdict: "valid" | VerifyFailure;
  /** The verdict in words, without a secret. */
  readonly reason: string;
  /** Index of the secret that signed; null if none did. */
  readonly secretIndex: number | null;
  /** Time since signing, negative for the future; null if the timestamp is not a time. */
  readonly ageSeconds: number | null;
}

/** Whether the signature is right, at whatever age. */
export const isGenuine = ({ verdict }: { readonly verdict: VerifyResult["verdict"] }): boolean =>
  verdict === "valid" || verdict === "stale";

/**
 * Lowercase hex HMAC-SHA256 of `<timestamp>.<body>` (interface §6).
 *
 * @throws TypeError for an argument of another type
 */
export function sign({ secret, timestamp, body }: SignInput): string {
  requireBytes("secret", secret);
  if (timestamp === undefined || timestamp === null)
    throw new TypeError("timestamp is missing: give the value of its header");
  requireBytes("body", body);
  return hmacSha256(secret, [`${timestamp}.`, body]);
}

const isBytes = (value: unknown): boolean => typeof value === "string" || ArrayBuffer.isView(value);

/** Without types, an environment variable that is not set may arrive here. The error must not contain a secret. */
function requireBytes(name: string, value: unknown): void {
  if (isBytes(value)) return;
  throw new TypeError(
    `${name} must be a string or a Uint8Array, not ${value === null ? "null" : typeof value}`,
  );
}

/**
 * Verifies the signature first and the age after it: only a genuine delivery is ever `stale`.
 *
 * @throws TypeError for an argument of another type, as a parsed body, or a tolerance without `now`
 */
export function verify(input: VerifyInput): VerifyResult {
  requireVerifyInput(input);
  const { secrets, body, now, toleranceSeconds } = input;
  const headers = listHeaders(input.headers);
  const timestamps = headerValues(headers, TIMESTAMP_HEADER);
  const signatures = headerValues(headers, SIGNATURE_HEADER);
  const [timestamp = "", signature = ""] = [timestamps[0], signatures[0]];
  const ageSeconds = computeAge(timestamp, now);
  const problem =
    checkHeader(TIMESTAMP_HEADER, timestamps, /[^\x20-\x7e]/gu, "visible ASCII characters") ??
    checkHeader(SIGNATURE_HEADER, signatures, /[^0-9a-f]/gu, "64 lowercase hex digits", SIGNATURE_LENGTH);
  const secretIndex = problem ? null : findSigner(secrets, timestamp, body, signature);
  const [verdict, reason] =
    problem ?? (secretIndex === null ? describeMismatch(secrets) : judgeAge(ageSeconds, toleranceSeconds));
  return { verdict, reason, secretIndex, ageSeconds };
}

type Judgement = readonly [verdict: VerifyResult["verdict"], reason: string];

/** Null if the timestamp is not a time. */
function computeAge(timestamp: string, now: number | undefined): number | null {
  const signedAt = now === undefined ? null : parseTimestamp(timestamp);
  return now === undefined || signedAt === null ? null : (now - signedAt) / 1000;
}

/** Of a delivery whose signature matches. */
function judgeAge(ageSeconds: number | null, toleranceSeconds: number | undefined): Judgement {
  if (toleranceSeconds === undefined) return ["valid", "the signature matches"];
  if (ageSeconds === null)
    return ["stale", "the signature matches; its timestamp is not a time, so its age is unknown"];
  if (Math.abs(ageSeconds) <= toleranceSeconds) return ["valid", "the signature matches and is fresh"];
  const age = `${describeAge(ageSeconds)}, and ${formatDuration(toleranceSeconds * 1_000)} are allowed`;
  return ["stale", `the signature matches; ${age}`];
}

/** What a program without types may give. @throws TypeError */
function requireVerifyInput(input: VerifyInput): void {
  const { secrets, body, now, toleranceSeconds } = input;
  // Under this name, which other libraries use, the age would go unchecked.
  if ("tolerance" in input) throw new TypeError("tolerance is toleranceSeconds here");
  // A parsed body is the most frequent mistake, and would always be a mismatch.
  if (!isBytes(body))
    throw new TypeError("body must be the raw body, a Uint8Array or a string, not a parsed one");
  if (!Array.isArray(secrets)) throw new TypeError("secrets must be a list of signing secrets");
  for (const [index, secret] of secrets.entries()) requireBytes(`secrets[${index}]`, secret);
  if (now !== undefined && !Number.isFinite(now))
    throw new TypeError("now must be a number, in milliseconds since 1970");
  if (toleranceSeconds === undefined) return;
  if (!(typeof toleranceSeconds === "number" && toleranceSeconds >= 0))
    throw new TypeError("toleranceSeconds must be a number of at least 0");
  if (now === undefined) throw new TypeError("toleranceSeconds needs now, in milliseconds since 1970");
}

function checkHeader(
  name: string,
  values: readonly string[],
  foreign: RegExp,
  expected: string,
  length?: number,
): Judgement | null {
  const [value] = values;
  if (value === undefined) return ["missing_header", `the ${name} header is missing`];
  if (values.length > 1) return ["malformed", `the ${name} header is given ${values.length} times`];
  const trimmed = value.trim();
  if (trimmed === "") return ["missing_header", `the ${name} header is empty`];
  const isWhole = trimmed === value && (length ?? value.length) === value.length;
  if (isWhole && value.search(foreign) === -1) return null;
  return ["malformed", `${name}: expected ${expected}; got ${describeValue(value, foreign)}`];
}

const SIGNATURE_LENGTH = 64;
const MAX_SHOWN = 8;

/** A long value is shown by its beginning, and by the first character that does not belong. */
function describeValue(value: string, foreign: RegExp): string {
  const before = value.length - SIGNATURE_LENGTH;
  const shown = before > 0 && before <= MAX_SHOWN ? before : MAX_SHOWN;
  const beginning = `${value.length} characters beginning ${JSON.stringify(value.slice(0, shown))}`;
  const [wrong] = value.matchAll(foreign);
  if (!wrong) return beginning;
  const [character] = wrong;
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
  const name = /[\x21-\x7e]/.test(character) ? JSON.stringify(character) : `U+${code}`;
  return `${beginning}, of which the first that does not belong is ${name} at ${wrong.index + 1}`;
}

// Reused: they would be a good part of the time of a verification.
const received = Buffer.alloc(SIGNATURE_LENGTH);
const expected = Buffer.alloc(SIGNATURE_LENGTH);

/** The index of the secret that made the signature. Anyone can sign with an empty key, so it never matches. */
function findSigner(
  secrets: readonly string[],
  timestamp: string,
  body: Uint8Array | string,
  signature: string,
): number | null {
  const parts = [`${timestamp}.`, body];
  received.write(signature, "latin1");
  for (const [index, secret] of secrets.entries()) {
    if (secret === "") continue;
    expected.write(hmacSha256(secret, parts), "latin1");
    if (timingSafeEqual(expected, received)) return index;
  }
  return null;
}

function describeMismatch(secrets: readonly string[]): Judgement {
  if (secrets.every((secret) => secret === ""))
    return ["mismatch", "no secret given to verify the signature with"];
  const which = secrets.length === 1 ? "this secret" : `any of ${secrets.length} secrets`;
  return ["mismatch", `the signature was not made from this timestamp and body with ${which}`];
}

/** Rounds up: an age just above the tolerance must not read as equal to it. */
const describeAge = (seconds: number): string =>
  `it was signed ${formatDuration(Math.ceil(Math.abs(seconds)) * 1_000)} ${seconds < 0 ? "ahead of now" : "ago"}`;
