import { type HeaderList, headerValues, SIGNATURE_HEADER } from "../headers.ts";
import { type Cause, type CauseId, createCause } from "./causes.ts";
import { readContentLength } from "./content-length.ts";
import type { ParsedBody } from "./parsed-body.ts";
import { shorten } from "./shorten.ts";
import { isTruncatedJson } from "./truncated-json.ts";

/** What is looked at for evidence, where nothing that can be undone explains the signature. */
export interface EvidenceInput {
  readonly body: ParsedBody;
  readonly headers: HeaderList;
  readonly secrets: readonly string[];
  /** The endpoint's `secretPrefix`, where it is known (interface §2). */
  readonly secretPrefix: string | undefined;
}

/** A sign of one cause: what was seen, or null. A guess is none: every sign is a contradiction in what is at hand. */
type Detector = (traces: EvidenceInput) => string | null;

const DETECTORS: readonly (readonly [CauseId, Detector])[] = [
  [
    "secret.empty",
    ({ secrets }) => (secrets.includes("") ? `secret ${secrets.indexOf("") + 1} is empty` : null),
  ],
  ["secret.api_key", ({ secrets }) => detectSecretPrefix(secrets, "sk_", "API keys")],
  ["secret.client_secret", ({ secrets }) => detectSecretPrefix(secrets, "cs_", "secrets of OAuth clients")],
  ["secret.other_endpoint", detectOtherEndpoint],
  ["body.empty", ({ body }) => (body.bytes.length === 0 ? "the body has no byte" : null)],
  ["body.truncated", detectTruncation],
  ["body.replaced_characters", detectReplacementCharacter],
  ["body.form_encoded", detectParsedForm],
  ["body.number_reprinted", detectReprintedNumbers],
  ["body.reserialized", detectReserialization],
  [
    "signature.truncated",
    ({ headers }) => detectSignatureLength(headers, (digits) => digits < 64 && digits !== 40),
  ],
  ["signature.sha1", ({ headers }) => detectSignatureLength(headers, (digits) => digits === 40)],
  ["signature.sha512", ({ headers }) => detectSignatureLength(headers, (digits) => digits === 128)],
];

/** The causes that the evidence points to; of the body's own, the first is enough. */
export function findLikelyCauses(traces: EvidenceInput): readonly Cause[] {
  const found = DETECTORS.flatMap(([id, sign]) => {
    const evidence = sign(traces);
    return evidence === null ? [] : [createCause(id, "likely", evidence)];
  });
  const ofBody = found.find(({ id }) => id.startsWith("body."));
  return found.filter((each) => !each.id.startsWith("body.") || each === ofBody);
}

function detectSecretPrefix(secrets: readonly string[], prefix: string, whose: string): string | null {
  const index = secrets.findIndex((secret) => secret.startsWith(prefix));
  return index < 0 ? null : `secret ${index + 1} begins with ${prefix}, as ${whose} do`;
}

function detectOtherEndpoint({ secrets, secretPrefix }: EvidenceInput): string | null {
  const given = secrets.filter((secret) => secret !== "");
  if (secretPrefix === undefined || given.length === 0) return null;
  if (given.some((secret) => secret.startsWith(secretPrefix))) return null;
  return `the endpoint's secretPrefix is ${shorten(secretPrefix)}, and no secret given begins with it`;
}

/** How the length counted on the way differs from the body's, in words; null where it does not, or is not known. */
function describeLengthMismatch({ body, headers }: EvidenceInput): string | null {
  const counted = readContentLength(headers);
  if (counted === null || counted === body.bytes.length) return null;
  return `Content-Length is ${counted}, the body has ${body.bytes.length} bytes`;
}

function detectTruncation(traces: EvidenceInput): string | null {
  const { body, headers } = traces;
  if (isTruncatedJson(body.bytes))
    return [`the JSON breaks off at offset ${body.bytes.length}`, describeLengthMismatch(traces)]
      .filter(Boolean)
      .join("; ");
  const counted = readContentLength(headers);
  return counted !== null && counted > body.bytes.length && body.json === null
    ? describeLengthMismatch(traces)
    : null;
}

function detectReplacementCharacter({ body }: EvidenceInput): string | null {
  const at = body.bytes.indexOf("\ufffd");
  return at < 0 ? null : `U+FFFD stands at offset ${at}, where a decoder met bytes that are not UTF-8`;
}

function detectParsedForm({ body, headers }: EvidenceInput): string | null {
  const [type = ""] = headerValues(headers, "content-type");
  if (!type.startsWith("application/x-www-form-urlencoded") || body.json === null) return null;
  return `Content-Type is ${shorten(type)}, and the body is JSON`;
}

/** `1.0` printed as `1` takes two bytes away, and so does every `.0` more. */
function detectReprintedNumbers(traces: EvidenceInput): string | null {
  const { body, headers } = traces;
  const lost = (readContentLength(headers) ?? 0) - body.bytes.length;
  if (body.json === null || lost <= 0 || lost % 2 || body.text !== body.json.stringify()) return null;
  const whole = body.json.countWholeNumbers();
  if (whole < lost / 2) return null;
  return `${describeLengthMismatch(traces)}; it is compact JSON with ${whole} whole numbers, and .0 has 2 bytes`;
}

function detectReserialization(traces: EvidenceInput): string | null {
  const clash = describeLengthMismatch(traces);
  const { json, text } = traces.body;
  if (clash === null || json === null || text === null) return null;
  const looks = [
    [/^[[{]\n?\s/.test(text), "is indented"],
    [/\\u[0-9a-f]{4}/.test(text), "has ASCII escapes, as Python and PHP print them"],
    [text.includes("\\/"), "has escaped slashes, as PHP prints them"],
    [text === json.stringify(), "is exactly what JSON.stringify prints"],
  ].flatMap(([is, what]) => (is ? [what] : []));
  return [clash, ...(looks.length > 0 ? [`it ${looks.join(", ")}`] : [])].join("; ");
}

function detectSignatureLength(headers: HeaderList, is: (digits: number) => boolean): string | null {
  const [signature = ""] = headerValues(headers, SIGNATURE_HEADER);
  const digits = /^[0-9a-f]{16,}$/i.test(signature.trim()) ? signature.trim().length : 64;
  return digits !== 64 && is(digits) ? `the signature has ${digits} hex digits, HMAC-SHA256 has 64` : null;
}
