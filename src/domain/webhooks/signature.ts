import { createHmac, timingSafeEqual } from "node:crypto";
import { Buffer } from "./buffer.ts";
import {
  type DeliveryHeaders,
  headerValues,
  listHeaders,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
} from "./headers.ts";
import { parseTimestamp } from "./timestamp.ts";

/** What is signed, and with what. */
export interface SignInput {
  /** The whole secret, `whsec_` included: its UTF-8 bytes are the key. */
  readonly secret: string;
  /** The exact value of the timestamp header. */
  readonly timestamp: string;
  /** The body, byte for byte; a string stands for its UTF-8. */
  readonly body: Uint8Array | string;
}

/** A delivery as it was received, and what it is held against. */
export interface VerifyInput {
  /** Any of them may have signed it: two while one replaces the other. An empty one signs nothing. */
  readonly secrets: readonly string[];
  readonly headers: DeliveryHeaders;
  /** The raw body, never a parsed one (interface §6, rule 3). */
  readonly body: Uint8Array | string;
  /** Milliseconds since 1970; without it no age is told. */
  readonly now?: number | undefined;
  /** How far from now the timestamp may be, either way; without it any age will do (interface §6, rule 6). */
  readonly toleranceSeconds?: number | undefined;
}

/** Why a delivery is refused. */
export type VerifyFailure = "missing_header" | "malformed" | "mismatch" | "stale";

/** What became of the check. */
export interface VerifyResult {
  readonly verdict: "valid" | VerifyFailure;
  /** The same in words, without a secret. */
  readonly reason: string;
  /** Which of the secrets signed it; null where none did. */
  readonly secretIndex: number | null;
  /** How long before now it was signed, negative for a time ahead; null where the timestamp tells no time. */
  readonly ageSeconds: number | null;
}

/** Lowercase hex HMAC-SHA256 of `<timestamp>.<body>` (interface §6). */
export const sign = (signing: SignInput): string => createSignatureHmac(signing).digest("hex");

const createSignatureHmac = ({ secret, timestamp, body }: SignInput) =>
  createHmac("sha256", secret).update(`${timestamp}.`).update(body);

/** Judges a delivery. Signature first, age after it: a delivery is only ever called stale that is genuine. */
export function verify({ secrets, headers, body, now, toleranceSeconds }: VerifyInput): VerifyResult {
  requireRawBody(body);
  if (toleranceSeconds !== undefined && now === undefined)
    throw new TypeError("toleranceSeconds needs now, in milliseconds since 1970");
  const headerPairs = listHeaders(headers);
  const timestamps = headerValues(headerPairs, TIMESTAMP_HEADER);
  const signatures = headerValues(headerPairs, SIGNATURE_HEADER);
  const ageSeconds = now === undefined ? null : ageOf(timestamps[0] ?? "", now);
  const fail = (verdict: VerifyFailure, reason: string, secretIndex: number | null = null): VerifyResult => ({
    verdict,
    reason,
    secretIndex,
    ageSeconds,
  });
  const headerProblem =
    checkHeader(TIMESTAMP_HEADER, timestamps, /^[\x20-\x7e]+$/, "visible ASCII characters") ??
    checkHeader(SIGNATURE_HEADER, signatures, /^[0-9a-f]{64}$/, "64 lowercase hex digits");
  if (headerProblem) return fail(...headerProblem);

  const [timestamp = "", signature = ""] = [timestamps[0], signatures[0]];
  const index = findSigner(secrets, { timestamp, body }, signature);
  if (index === null) return fail("mismatch", mismatchReason(secrets));
  if (toleranceSeconds === undefined)
    return { verdict: "valid", reason: "the signature is right", secretIndex: index, ageSeconds };
  if (ageSeconds === null)
    return fail("stale", "the signature is right; its timestamp tells no time, so its age is unknown", index);
  if (Math.abs(ageSeconds) <= toleranceSeconds)
    return { verdict: "valid", reason: "the signature is right and fresh", secretIndex: index, ageSeconds };
  return fail(
    "stale",
    `the signature is right; ${describeAge(ageSeconds)}, and ${toleranceSeconds} s are allowed`,
    index,
  );
}

/** A parsed body is the commonest mistake of all, and would be told as a mismatch for ever. */
function requireRawBody(body: unknown): void {
  if (typeof body === "string" || ArrayBuffer.isView(body)) return;
  throw new TypeError("body must be the raw body, a Uint8Array or a string, not what a parser made of it");
}

function checkHeader(
  name: string,
  values: readonly string[],
  pattern: RegExp,
  expected: string,
): [VerifyFailure, string] | null {
  const [value = ""] = values;
  if (values.length > 1) return ["malformed", `there are ${values.length} ${name} headers`];
  if (value.trim() === "")
    return [
      "missing_header",
      values.length === 0 ? `there is no ${name} header` : `the ${name} header is empty`,
    ];
  if (pattern.test(value) && value.trim() === value) return null;
  return ["malformed", `the value of ${name} is not ${expected} and nothing else`];
}

/** The index of the secret that made the signature. */
function findSigner(
  secrets: readonly string[],
  input: Omit<SignInput, "secret">,
  signature: string,
): number | null {
  const received = Buffer.from(signature, "hex");
  const index = secrets.findIndex(
    // With an empty key anybody can sign.
    (secret) =>
      secret !== "" && timingSafeEqual(createSignatureHmac({ ...input, secret }).digest(), received),
  );
  return index < 0 ? null : index;
}

function mismatchReason(secrets: readonly string[]): string {
  if (secrets.every((secret) => secret === "")) return "there is no secret to hold the signature against";
  return secrets.length === 1
    ? "the signature was not made from this timestamp and body with this secret"
    : `the signature was not made from this timestamp and body with any of ${secrets.length} secrets`;
}

function ageOf(timestamp: string, now: number): number | null {
  const time = parseTimestamp(timestamp);
  return time === null ? null : (now - time) / 1000;
}

/** In whole seconds, rounded up: one that is too old by half a second must not read as old as is allowed. */
const describeAge = (seconds: number): string =>
  `it was signed ${Math.ceil(Math.abs(seconds))} s ${seconds < 0 ? "ahead of now" : "ago"}`;
