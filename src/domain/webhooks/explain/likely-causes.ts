import { type HeaderList, headerValues, SIGNATURE_HEADER } from "../headers.ts";
import { type Cause, type CauseId, createCause } from "./causes.ts";
import { readContentLength, shorten } from "./evidence.ts";
import type { ParsedBody } from "./json-text.ts";
import { isTruncatedJson } from "./json-tokens.ts";

/** What is searched for evidence if no undone fault gives a match. */
export interface EvidenceInput {
  readonly body: ParsedBody;
  readonly headers: HeaderList;
  readonly secrets: readonly string[];
  /** The endpoint's `secretPrefix`, if known (interface §2). */
  readonly secretPrefix: string | undefined;
}

/** Returns the evidence for a cause, or null. Evidence is a contradiction in the input, never a guess. */
type Detector = (input: EvidenceInput) => string | null;

const DETECTORS: readonly (readonly [CauseId, Detector])[] = [
  [
    "secret.empty",
    ({ secrets }) => (secrets.includes("") ? `secret ${secrets.indexOf("") + 1} is empty` : null),
  ],
  ["secret.api_key", ({ secrets }) => detectPrefix(secrets, "sk_", "API keys")],
  ["secret.client_secret", ({ secrets }) => detectPrefix(secrets, "cs_", "secrets of OAuth clients")],
  ["secret.other_endpoint", detectOtherEndpoint],
  ["body.empty", ({ body }) => (body.bytes.length === 0 ? "the body has 0 bytes" : null)],
  ["body.truncated", detectTruncation],
  ["body.replaced_characters", detectReplacementCharacter],
  ["body.form_encoded", detectParsedForm],
  ["body.number_reprinted", detectReprintedNumbers],
  ["body.reserialized", detectReserialization],
  ["signature.truncated", ({ headers }) => detectLength(headers, (digits) => digits < 64 && digits !== 40)],
  ["signature.sha1", ({ headers }) => detectLength(headers, (digits) => digits === 40)],
  ["signature.sha512", ({ headers }) => detectLength(headers, (digits) => digits === 128)],
];

/** The causes that have evidence; of those of the body, only the first. */
export function findLikelyCauses(input: EvidenceInput): readonly Cause[] {
  const found = DETECTORS.flatMap(([id, detect]) => {
    const evidence = detect(input);
    return evidence === null ? [] : [createCause(id, "likely", evidence)];
  });
  const ofBody = found.find(({ id }) => id.startsWith("body."));
  return found.filter((each) => !each.id.startsWith("body.") || each === ofBody);
}

function detectPrefix(secrets: readonly string[], prefix: string, owners: string): string | null {
  const index = secrets.findIndex((secret) => secret.startsWith(prefix));
  return index < 0 ? null : `secret ${index + 1} begins with ${prefix}, as ${owners} do`;
}

function detectOtherEndpoint({ secrets, secretPrefix }: EvidenceInput): string | null {
  const given = secrets.filter((secret) => secret !== "");
  if (secretPrefix === undefined || given.length === 0) return null;
  if (given.some((secret) => secret.startsWith(secretPrefix))) return null;
  return `the endpoint's secretPrefix is ${shorten(secretPrefix)}, and no given secret begins with it`;
}

/** Null if Content-Length is unknown or equals the length of the body. */
function describeLengthMismatch({ body, headers }: EvidenceInput): string | null {
  const length = readContentLength(headers);
  if (length === null || length === body.bytes.length) return null;
  return `Content-Length is ${length}, the body has ${body.bytes.length} bytes`;
}

function detectTruncation(input: EvidenceInput): string | null {
  const { body, headers } = input;
  const mismatch = describeLengthMismatch(input);
  if (isTruncatedJson(body.bytes))
    return [`the JSON ends too early, at offset ${body.bytes.length}`, mismatch].filter(Boolean).join("; ");
  const length = readContentLength(headers) ?? 0;
  return length > body.bytes.length && body.json === null ? mismatch : null;
}

function detectReplacementCharacter({ body }: EvidenceInput): string | null {
  const at = body.bytes.indexOf("\ufffd");
  return at < 0 ? null : `U+FFFD at offset ${at}: a decoder replaced bytes that are not UTF-8`;
}

function detectParsedForm({ body, headers }: EvidenceInput): string | null {
  const [type = ""] = headerValues(headers, "content-type");
  if (!type.startsWith("application/x-www-form-urlencoded") || body.json === null) return null;
  return `Content-Type is ${shorten(type)}, and the body is JSON`;
}

/** Each `1.0` printed as `1` removes two bytes. */
function detectReprintedNumbers(input: EvidenceInput): string | null {
  const { body, headers } = input;
  const lost = (readContentLength(headers) ?? 0) - body.bytes.length;
  if (body.json === null || lost <= 0 || lost % 2 || body.text !== body.json.stringify()) return null;
  const whole = body.json.countWholeNumbers();
  if (whole < lost / 2) return null;
  return `${describeLengthMismatch(input)}; it is compact JSON with ${whole} whole numbers, and .0 has 2 bytes`;
}

function detectReserialization(input: EvidenceInput): string | null {
  const mismatch = describeLengthMismatch(input);
  const { json, text } = input.body;
  if (mismatch === null || json === null || text === null) return null;
  const signs = [
    [/^[[{]\n?\s/.test(text), "is indented"],
    [/\\u[0-9a-f]{4}/.test(text), "has ASCII escapes, as Python and PHP print them"],
    [text.includes("\\/"), "has escaped slashes, as PHP prints them"],
    [text === json.stringify(), "is exactly what JSON.stringify prints"],
  ].flatMap(([isFound, sign]) => (isFound ? [sign] : []));
  return signs.length > 0 ? `${mismatch}; it ${signs.join(", ")}` : mismatch;
}

function detectLength(headers: HeaderList, isCause: (digits: number) => boolean): string | null {
  const [signature = ""] = headerValues(headers, SIGNATURE_HEADER);
  const digits = /^[0-9a-f]{16,}$/i.test(signature.trim()) ? signature.trim().length : 64;
  return digits !== 64 && isCause(digits)
    ? `the signature has ${digits} hex digits; HMAC-SHA256 has 64`
    : null;
}
