import { Buffer } from "../buffer.ts";
import type { CauseId } from "./causes.ts";
import { decodeBase64 } from "./encodings.ts";
import type { UndoneFault } from "./variants.ts";
import type { WorkBudget } from "./work-budget.ts";

/** A digest, or its beginning, and the faults undone to decode it. */
export interface DecodedSignature {
  readonly digest: Buffer;
  readonly algorithm: (typeof ALGORITHMS)[number][0];
  readonly faults: readonly UndoneFault[];
}

const ALGORITHMS = [
  ["sha256", 32],
  ["md5", 16],
  ["sha1", 20],
  ["sha384", 48],
  ["sha512", 64],
] as const;

const HEX_DIGITS = 64;

/** Fewer bytes of a digest could match by accident among thousands of hypotheses. */
const MIN_DIGEST_BYTES = 8;

/** Signatures to decode; a sender gives two while one secret replaces another. */
const MAX_SIGNATURES = 16;

const createFault = (id: CauseId, description: string): UndoneFault => ({ id, description, cost: 1 });

/** A repeated header arrives as several values, or joined by commas (RFC 9110 §5.3). */
const splitDuplicates = (value: string): string[] =>
  value.includes(", ") || /^([0-9a-f]{64}),\1$/.test(value) ? value.split(/,\s*/) : [value];

/** Every way to decode the signature headers; none if they hold no digest. */
export function decodeSignatures(values: readonly string[], work: WorkBudget): readonly DecodedSignature[] {
  const all = values.flatMap((value) => splitDuplicates(value));
  const doubled = all.length > 1 ? [createFault("signature.doubled", "one of the signature headers")] : [];
  if (all.length > MAX_SIGNATURES) work.markIncomplete();
  return all.slice(0, MAX_SIGNATURES).flatMap((value) => decodeSignature(value, doubled));
}

function decodeSignature(value: string, doubled: readonly UndoneFault[]): DecodedSignature[] {
  const bare = stripQuotes(value);
  const text = bare.replace(/^(?:(?:hmac-)?(?:sha-?(?:1|256|384|512)|md5|v\d)[=:,]\s*|0x)/i, "");
  const faults = [
    ...doubled,
    ...(bare === value
      ? []
      : [createFault("signature.whitespace", "the signature without what is around it")]),
    ...(text === bare ? [] : [createFault("signature.prefix", "the signature without its prefix")]),
  ];
  return [...decodeHexDigits(text, faults), ...decodeBase64Digest(text, faults)];
}

/** Scans from both ends: a pattern for the end would restart at each white space and each quote. */
function stripQuotes(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && /[\s"']/.test(text.charAt(start))) start += 1;
  while (end > start && /[\s"']/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function decodeHexDigits(text: string, before: readonly UndoneFault[]): DecodedSignature[] {
  if (!/^[0-9a-f]+$/i.test(text)) return [];
  const isUppercase = /[A-F]/.test(text);
  const faults = isUppercase
    ? [...before, createFault("signature.uppercase", "the signature in lowercase")]
    : before;
  const digest = Buffer.from(text.slice(0, text.length - (text.length % 2)), "hex");
  const whole = text.length % 2 === 0 ? digestsOfLength(digest, faults) : [];
  if (text.length >= HEX_DIGITS || digest.length < MIN_DIGEST_BYTES) return whole;
  const truncated = createFault("signature.truncated", `the first ${text.length} of ${HEX_DIGITS} digits`);
  return [...whole, { digest, algorithm: "sha256", faults: [...faults, truncated] }];
}

function decodeBase64Digest(text: string, before: readonly UndoneFault[]): DecodedSignature[] {
  const digest = decodeBase64(text);
  const decoded = createFault("signature.base64", "the signature decoded from base64");
  return digest === null ? [] : digestsOfLength(digest, [...before, decoded]);
}

const digestsOfLength = (digest: Buffer, before: readonly UndoneFault[]): DecodedSignature[] =>
  ALGORITHMS.filter(([, length]) => length === digest.length).map(([algorithm]) => ({
    digest,
    algorithm,
    faults:
      algorithm === "sha256"
        ? before
        : [...before, createFault(`signature.${algorithm}`, `HMAC-${algorithm.toUpperCase()}`)],
  }));
