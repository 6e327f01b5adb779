import { createHash, createHmac, type Hash } from "node:crypto";
import { Buffer } from "../buffer.ts";
import type { Bytes } from "../hmac.ts";
import type { CauseId } from "./causes.ts";
import { decodeBase64 } from "./encodings.ts";
import { removeInvisible, trimWhere } from "./secrets.ts";
import type { UndoneFault } from "./variants.ts";
import type { WorkBudget } from "./work-budget.ts";

/** The hex digits of a digest, or of a part of it, and the faults undone to decode it. */
export interface DecodedSignature {
  /** Lowercase. The number of digits is odd if the end is missing. */
  readonly digits: string;
  /** Where the digits stand in the digest; default: at its start. */
  readonly isEnd?: boolean;
  /** Each byte is without its leading zero. */
  readonly isUnpadded?: boolean;
  readonly algorithm: (typeof ALGORITHMS)[number][0];
  /** The default is an HMAC. */
  readonly otherDigest?: OtherDigest;
  readonly faults: readonly UndoneFault[];
}

/** Makes a digest of key and base string in another way than HMAC does, as hex. */
export type OtherDigest = (key: Bytes, text: Uint8Array) => string;

const hash = (...parts: readonly Bytes[]): string =>
  parts.reduce<Hash>((digest, part) => digest.update(part), createHash("sha256")).digest("hex");
const hmac = (key: Bytes, text: Bytes): string => createHmac("sha256", key).update(text).digest("hex");

// biome-ignore format: a table, one row a line
const OTHER_DIGESTS: readonly (readonly [description: string, digest: OtherDigest])[] = [
  ["SHA-256 of the base string, without a key, which anyone can make", (_, text) => hash(text)],
  ["SHA-256 of the secret and the base string", (key, text) => hash(key, text)],
  ["HMAC-SHA256 of the hex of the signature", (key, text) => hmac(key, hmac(key, text))],
  ["HMAC-SHA256 of the secret, keyed with the base string", (key, text) => hmac(text, key)],
];

export const ALGORITHMS = [
  ["sha256", 32],
  ["sha1", 20],
  ["sha512", 64],
] as const;

const HEX_DIGITS = 64;

/** Fewer bytes of a digest could match by accident among thousands of hypotheses. */
const MIN_DIGEST_BYTES = 8;

/** Signatures to decode; a sender gives two while one secret replaces another. */
const MAX_SIGNATURES = 16;

const createFault = (id: CauseId, description: string): UndoneFault => ({ id, description });
const encoded = (description: string): UndoneFault => createFault("signature.encoding", description);
const copied = (description: string): UndoneFault => createFault("signature.copied", description);

/** What senders write before the digits: the name of an algorithm or of a version, also after a time, or any words. */
const PREFIX =
  /^(?:t=\d{1,20},\s?v\d=(?=[0-9a-f]{64}$)|(?:hmac-)?(?:sha-?(?:1|256|384|512)|md5|v\d)[=:,]\s*|0x|[a-z][\w -]{0,31}[=: ]\s{0,3}(?=[0-9a-f]{64}$))/i;

/** A repeated header arrives as several values, or joined by commas (RFC 9110 §5.3). */
const splitDuplicates = (value: string): string[] =>
  (value.includes(", ") && !/^\W*\d{1,3},/.test(value)) || /^([0-9a-f]{64}),\1$/.test(value)
    ? value.split(/,\s*/)
    : [value];

/** Every way to decode the signature headers; none if they hold no digest. */
export function decodeSignatures(
  values: readonly string[],
  before: readonly UndoneFault[],
  work: WorkBudget,
): readonly DecodedSignature[] {
  const all = values.flatMap((value) => splitDuplicates(value));
  const doubled = all.length > 1 ? [createFault("signature.doubled", "one of the signature headers")] : [];
  if (all.length > MAX_SIGNATURES) work.markIncomplete();
  return all.slice(0, MAX_SIGNATURES).flatMap((value) => decodeSignature(value, [...before, ...doubled]));
}

/** A signature with something around it, or between its digits, that a log, a chat or a program added. */
function decodeCopied(value: string, before: readonly UndoneFault[]): DecodedSignature[] {
  const numbers = value.match(/-?\d{1,3}/g) ?? [];
  if (numbers.length === 32 && !/[a-z]/i.test(value))
    return decodeHexDigits(Buffer.from(numbers.map(Number)).toString("hex"), [
      ...before,
      encoded("the bytes of the signature, which are printed as numbers"),
    ]);
  const compact = removeInvisible(value).replace(/\s+/g, "");
  if (/^[0-9a-f]{2}(?:-[0-9a-f]{2}){31}$/i.test(compact))
    return decodeHexDigits(compact.replaceAll("-", ""), [
      ...before,
      encoded("the signature without the hyphens that BitConverter of .NET writes"),
    ]);
  const [whole] = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/i.exec(compact) ?? [];
  if (whole !== undefined && whole !== value)
    return decodeHexDigits(whole, [...before, copied("the signature without what is around it or in it")]);
  const part = (digits: string, isEnd: boolean, shown: string): DecodedSignature[] =>
    digits.length < MIN_SHOWN || digits.length >= HEX_DIGITS
      ? []
      : [{ digits: digits.toLowerCase(), isEnd, algorithm: "sha256", faults: [...before, copied(shown)] }];
  if (/^[0-9a-f]*$/.test(compact))
    return [
      ...part(compact, true, `the last ${compact.length} of ${HEX_DIGITS} digits`),
      ...decodeUnpadded(compact, before),
    ];
  // What a mask or a logger left.
  const [, start = "", end = ""] = /^([0-9a-f]*)[^0-9a-f]+([0-9a-f]*)$/i.exec(compact) ?? [];
  return start.length >= MIN_SHOWN
    ? part(start, false, `the first ${start.length} digits, which are left of it`)
    : part(end, true, `the last ${end.length} digits, which are left of it`);
}

/** Bytes that `%x` printed one by one: without a leading zero, and with ffffff before those that are negative. */
function decodeUnpadded(text: string, before: readonly UndoneFault[]): DecodedSignature[] {
  const digits = text.replace(/f{6}(?=[89a-f][0-9a-f])/g, "");
  if (digits.length < HEX_DIGITS / 2 || digits.length > HEX_DIGITS || text.length === HEX_DIGITS) return [];
  const faults = [...before, encoded("the signature whose bytes were printed one by one, as %x does")];
  return [{ digits, isUnpadded: true, algorithm: "sha256", faults }];
}

/** Fewer digits could match by accident: with 8, one of a million records would. */
const MIN_SHOWN = 8;

function decodeSignature(value: string, before: readonly UndoneFault[]): DecodedSignature[] {
  const bare = trimWhere(value, /[\s"']/);
  const text = bare.replace(PREFIX, "");
  const faults = [
    ...before,
    ...(bare === value ? [] : [copied("the signature without what is around it")]),
    ...(text === bare ? [] : [encoded("the signature without its prefix")]),
  ];
  const known = [...decodeHexDigits(text, faults), ...decodeBase64Digest(text, faults)];
  const isNew = ({ digits, isEnd, isUnpadded }: DecodedSignature) =>
    isEnd || isUnpadded || !known.some((each) => each.digits === digits);
  return [...known, ...decodeCopied(value, before).filter(isNew)];
}

function decodeHexDigits(text: string, before: readonly UndoneFault[]): DecodedSignature[] {
  if (!/^[0-9a-f]+$/i.test(text)) return [];
  const isUppercase = /[A-F]/.test(text);
  const faults = isUppercase ? [...before, encoded("the signature in lowercase")] : before;
  const digest = Buffer.from(text.slice(0, text.length - (text.length % 2)), "hex");
  const inner = text.length === 2 * HEX_DIGITS ? digest.toString("latin1") : "";
  if (/^[0-9a-f]{64}$/i.test(inner))
    return decodeHexDigits(inner, [...before, encoded("the hex digits decoded from hex")]);
  const whole = text.length % 2 === 0 ? digestsOfLength(digest, faults) : [];
  if (text.length >= HEX_DIGITS || digest.length < MIN_DIGEST_BYTES) return whole;
  const truncated = copied(`the first ${text.length} of ${HEX_DIGITS} digits`);
  return [...whole, { digits: text.toLowerCase(), algorithm: "sha256", faults: [...faults, truncated] }];
}

function decodeBase64Digest(text: string, before: readonly UndoneFault[]): DecodedSignature[] {
  const digest = decodeBase64(text);
  const decoded = encoded("the signature decoded from base64");
  const inner = digest?.toString("latin1") ?? "";
  if (/^[0-9a-f]{64}$/i.test(inner))
    return decodeHexDigits(inner, [...before, encoded("the hex digits decoded from base64")]);
  return digest === null ? [] : digestsOfLength(digest, [...before, decoded]);
}

const digestsOfLength = (digest: Buffer, before: readonly UndoneFault[]): DecodedSignature[] => {
  const found = ALGORITHMS.find(([, length]) => length === digest.length);
  if (!found) return [];
  const [algorithm] = found;
  const digits = digest.toString("hex");
  if (algorithm !== "sha256") {
    const faults = [...before, createFault("signature.algorithm", `HMAC-${algorithm.toUpperCase()}`)];
    return [{ digits, algorithm, faults }];
  }
  const others = OTHER_DIGESTS.map(
    ([description, otherDigest]): DecodedSignature => ({
      digits,
      algorithm,
      otherDigest,
      faults: [...before, createFault("signature.algorithm", description)],
    }),
  );
  return [{ digits, algorithm, faults: before }, ...others];
};
