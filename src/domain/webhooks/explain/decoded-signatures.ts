import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { Buffer } from "../buffer.ts";
import { type Bytes, hmacSha256 } from "../hmac.ts";
import type { CauseId } from "./causes.ts";
import { decodeBase64 } from "./encodings.ts";
import { removeInvisible } from "./secrets.ts";
import type { UndoneFault } from "./variants.ts";
import type { WorkBudget } from "./work-budget.ts";

/** Makes a digest of a key and the parts of a base string, as lowercase hex. */
type Digest = (key: Bytes, parts: readonly Bytes[]) => string;

/** What a signature header can stand for. */
export interface DecodedSignature {
  readonly digest: Digest;
  /** Whether the header has this digest, or the part of it that is left. */
  readonly matches: (digest: string) => boolean;
  /** Whether it is tried only with the body and the secrets as they are: a rare digest has no second fault. */
  readonly hasFixedInputs?: boolean;
  /** Undone to decode it. */
  readonly faults: readonly UndoneFault[];
}

/** Besides HMAC-SHA256, which has 64 digits. */
export const HMAC_ALGORITHM_BY_HEX_LENGTH: ReadonlyMap<number, string> = new Map([
  [40, "sha1"],
  [128, "sha512"],
]);

const updateAll = <T extends Hash | Hmac>(digest: T, parts: readonly Bytes[]): string => {
  for (const part of parts) digest.update(part);
  return digest.digest("hex");
};
const hash = (...parts: readonly Bytes[]): string => updateAll(createHash("sha256"), parts);

// biome-ignore format: a table, one row a line
const OTHER_DIGESTS: readonly (readonly [description: string, digest: Digest])[] = [
  ["SHA-256 of the base string, without a key, which anyone can make", (_, parts) => hash(...parts)],
  ["SHA-256 of the secret and the base string", (key, parts) => hash(key, ...parts)],
  ["HMAC-SHA256 of the hex of the signature", (key, parts) => hmacSha256(key, [hmacSha256(key, parts)])],
  ["HMAC-SHA256 of the secret, keyed with the base string", (key, parts) => hmacSha256(Buffer.concat(parts.map((part) => Buffer.from(part as string))), [key])],
];

const SHA256_HEX_LENGTH = 64;

/** Fewer could match by accident: with 8, one of a million records would. */
const MIN_DIGITS = 8;

/** Signatures to decode; a sender gives two while one secret replaces another. */
const MAX_SIGNATURES = 16;

const createFault = (id: CauseId, description: string): UndoneFault => ({ id, description });
const encoded = (description: string): UndoneFault => createFault("signature.encoding", description);
const copied = (description: string): UndoneFault => createFault("signature.copied", description);

/** A repeated header arrives as several values, or joined by commas (RFC 9110 §5.3). */
const splitDuplicates = (value: string): string[] =>
  (value.includes(", ") && !/^\W*\d{1,3},/.test(value)) || /^([0-9a-f]{64}),\1$/.test(value)
    ? value.split(/,\s*/)
    : [value];

/** Every way to decode the signature headers; none if they hold no digest. */
export function decodeSignatures(
  values: readonly string[],
  faults: readonly UndoneFault[],
  work: WorkBudget,
): readonly DecodedSignature[] {
  const all = values.flatMap((value) => splitDuplicates(value));
  const doubled = all.length > 1 ? [createFault("signature.doubled", "one of the signature headers")] : [];
  if (all.length > MAX_SIGNATURES) work.markIncomplete();
  return all.slice(0, MAX_SIGNATURES).flatMap((value) => decodeSignature(value, [...faults, ...doubled]));
}

/** What senders write before the digits: the name of an algorithm or of a version, also after a time, or any words. */
const PREFIX =
  /^(?:t=\d{1,20},\s?v\d=(?=[0-9a-f]{64}$)|(?:hmac-)?(?:sha-?(?:1|256|384|512)|md5|v\d)[=:,]\s*|0x|[a-z][\w -]{0,31}[=: ]\s{0,3}(?=[0-9a-f]{64}$))/i;

const isDigest = (hex: string): boolean =>
  hex.length === SHA256_HEX_LENGTH || HMAC_ALGORITHM_BY_HEX_LENGTH.has(hex.length);
const isHex = (text: string): boolean => /^[0-9a-f]+$/i.test(text);

/** The text of the bytes, if it is the hex digits of a digest. */
function decodeHexText(text: string): string | null {
  const inner = decodeBase64(text)?.toString("latin1") ?? "";
  return isHex(inner) && inner.length === SHA256_HEX_LENGTH ? inner : null;
}

function decodeBytes(text: string): string | null {
  const hex = isHex(text) ? "" : (decodeBase64(text)?.toString("hex") ?? "");
  return isDigest(hex) ? hex : null;
}

function readNumbers(text: string): string | null {
  const numbers = /[a-z]/i.test(text) ? [] : (text.match(/-?\d{1,3}/g) ?? []);
  return numbers.length === SHA256_HEX_LENGTH / 2 ? Buffer.from(numbers.map(Number)).toString("hex") : null;
}

/** Other notations of a digest than hex, as hex; null for other text. */
// biome-ignore format: a table, one row a line
const NOTATIONS: readonly (readonly [description: string, toHex: (text: string) => string | null])[] = [
  ["the hex digits decoded from base64", decodeHexText],
  ["the signature decoded from base64", decodeBytes],
  ["the bytes of the signature, which are printed as numbers", readNumbers],
  ["the signature without the hyphens that BitConverter of .NET writes", (text) => (/^[0-9a-f]{2}(?:-[0-9a-f]{2}){31}$/i.test(text) ? text.replaceAll("-", "") : null)],
];

function decodeSignature(value: string, faults: readonly UndoneFault[]): readonly DecodedSignature[] {
  const bare = value.replace(/^[\s"']+|(?<![\s"'])[\s"']+$/g, "");
  const text = bare.replace(PREFIX, "");
  const faultsOfText = [
    ...faults,
    ...(bare === value ? [] : [copied("the signature without what is around it")]),
    ...(text === bare ? [] : [encoded("the signature without its prefix")]),
  ];
  for (const [description, toHex] of NOTATIONS) {
    const hex = toHex(text);
    if (hex !== null) return decodeHex(hex, [...faultsOfText, encoded(description)]);
  }
  if (isHex(text)) return decodeHex(text, faultsOfText);
  const compact = removeInvisible(value).replace(/\s+/g, "");
  const [whole] = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/i.exec(compact) ?? [];
  if (whole !== undefined)
    return decodeHex(whole, [...faults, copied("the signature without what is around it or in it")]);
  if (isHex(compact)) return decodeHex(compact, faults);
  // What a mask or a logger left.
  const [, start = "", end = ""] = /^([0-9a-f]*)[^0-9a-f]+([0-9a-f]*)$/.exec(compact) ?? [];
  return start.length >= MIN_DIGITS ? decodePart("first", start, faults) : decodePart("last", end, faults);
}

/** Hex digits of a whole digest, or of a part of one. */
function decodeHex(text: string, faults: readonly UndoneFault[]): readonly DecodedSignature[] {
  const hex = text.toLowerCase();
  const all = hex === text ? faults : [...faults, encoded("the signature in lowercase")];
  return [
    ...(isDigest(hex) ? listDigestHypotheses(hex, all) : []),
    ...decodePart("first", hex, all),
    ...decodePart("last", hex, all),
    ...decodeUnpadded(hex, all),
  ];
}

/** What a whole digest can be of: HMAC-SHA256, as it should be, or something else that programs make by mistake. */
function listDigestHypotheses(hex: string, faults: readonly UndoneFault[]): readonly DecodedSignature[] {
  const matches = (digest: string) => digest === hex;
  const addFault = (description: string) => [...faults, createFault("signature.algorithm", description)];
  const algorithm = HMAC_ALGORITHM_BY_HEX_LENGTH.get(hex.length);
  if (algorithm !== undefined) {
    const digest: Digest = (key, parts) => updateAll(createHmac(algorithm, key), parts);
    const name = `HMAC-${algorithm.toUpperCase()}`;
    return [{ digest, matches, faults: addFault(name) }];
  }
  const others = OTHER_DIGESTS.map(([how, digest]) => {
    return { digest, matches, hasFixedInputs: true, faults: addFault(how) };
  });
  return [{ digest: hmacSha256, matches, faults }, ...others];
}

/** What is left at one end of a digest that was cut. */
function decodePart(
  end: "first" | "last",
  hex: string,
  faults: readonly UndoneFault[],
): readonly DecodedSignature[] {
  if (hex.length < MIN_DIGITS || hex.length >= SHA256_HEX_LENGTH) return [];
  const matches = (digest: string) => (end === "first" ? digest.startsWith(hex) : digest.endsWith(hex));
  const cut = copied(`the ${end} ${hex.length} of ${SHA256_HEX_LENGTH} digits`);
  return [{ digest: hmacSha256, matches, faults: [...faults, cut] }];
}

/** Bytes that `%x` printed one by one: without a leading zero, and with ffffff before those that are negative. */
function decodeUnpadded(hex: string, faults: readonly UndoneFault[]): readonly DecodedSignature[] {
  const digits = hex.replace(/f{6}(?=[89a-f][0-9a-f])/g, "");
  const isWhole = hex.length === SHA256_HEX_LENGTH;
  if (isWhole || digits.length < SHA256_HEX_LENGTH / 2 || digits.length > SHA256_HEX_LENGTH) return [];
  const matches = (digest: string) => digest.replace(/0(.)|(..)/g, "$1$2") === digits;
  const unpadded = encoded("the signature whose bytes were printed one by one, as %x does");
  return [{ digest: hmacSha256, matches, faults: [...faults, unpadded] }];
}
