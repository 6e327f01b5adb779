import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import type { HeaderPair } from "./delivery.ts";

/** A digest in hex, also with the hyphens of .NET, or in base64, also after the name of its algorithm, also cut. */
const DIGEST =
  /^(?:(?:hmac[-_]?)?(?:sha-?256|v1)[=:,] ?)?(?:[0-9a-f]{40,128}|[0-9a-f]{2}(?:-[0-9a-f]{2}){31}|[A-Za-z0-9+/]{43}=|[0-9a-f]{8,63}(?:\.{3}|\u2026))$/i;
const WHOLE_DIGEST = /(?:^|[=:,] ?)(?:[0-9a-f]{64}|[A-Za-z0-9+/]{43}=)$/i;
const DIGEST_IN_TEXT = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])|(?<![\w+/])[A-Za-z0-9+/]{43}=(?![\w+/=])/i;

/** Of a digest that a log cut, after a word for a signature. */
const CUT_DIGEST = /\b(?:sig|signature|hmac|got|received|actual)\W{1,3}[0-9a-f]{8,63}(?:\.{3}|\u2026)/i;

/** Whether text has the digest of a signature: other text needs no second look. */
export const hasDigest = (text: string): boolean => DIGEST_IN_TEXT.test(text) || CUT_DIGEST.test(text);

export const isDigest = (text: string): boolean => DIGEST.test(text);

/** Also of SHA-1 and of SHA-512. A shorter one that fits could be one by accident. */
export const isWholeDigest = (text: string): boolean => DIGEST.test(text) && !/(?:\.{3}|\u2026)$/.test(text);

/** Words in the names that programs give to the signature that arrived. */
const RECEIVED =
  /^(?:actual|got|have|received|theirs?|headers?|given|provided|incoming|supplied|request|remote|sent|from)$/;
/** And to the one that they computed. `hash_equals($known, $user)` of PHP has both; a user alone is none. */
const COMPUTED =
  /^(?:expected|expect|exp|expecting|should|computed|compute|calculated|calc|calculate|ours?|want|wanted|generated|mine|own|local|known)$/;
const DIGEST_WORD = /^(?:hmac|digest|mac)$/;
const SIGNATURE_WORD = /^(?:sig|sign|signature|xsignature)$/;
const TIMESTAMP_WORD = /^(?:timestamp|ts|t|stamp|tstamp)$/;
const TIME_WORD = /^(?:time|signed|date|at|epoch|when|unix)$/;

type Role = "received" | "expected" | "computed" | "digest" | "signature" | null;

/** The words of `receivedSignature`, `x-sig`, `signature mismatch, got`. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");

/** Of several words, the last one counts that says on which side the value is. */
function roleOf(name: string): Role {
  const words = wordsOf(name).toReversed();
  const side = words.find((word) => RECEIVED.test(word) || COMPUTED.test(word));
  if (side !== undefined) {
    if (RECEIVED.test(side)) return "received";
    return side === "expected" ? "expected" : "computed";
  }
  if (words.some((word) => SIGNATURE_WORD.test(word))) return "signature";
  return words.some((word) => DIGEST_WORD.test(word)) ? "digest" : null;
}

/** How likely a value is the signing timestamp: the time of the record is often in it, too. */
function scoreTimestamp(name: string, value: string): number {
  const words = wordsOf(name);
  const isNamed = words.some((word) => TIMESTAMP_WORD.test(word));
  const isTime = isNamed || words.some((word) => TIME_WORD.test(word));
  if (/^1[5-9]\d{8}$|^2[01]\d{8}$/.test(value)) return isNamed ? 5 : isTime ? 4 : 1;
  if (/^1[5-9]\d{11}$/.test(value)) return isNamed ? 3 : 0;
  // As a spreadsheet or a float prints it: digits are lost.
  if (isNamed && /^1\.\d+e\+?0?9$/i.test(value)) return 2;
  return isNamed && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) ? 2 : 0;
}

interface NamedValues {
  /** The signature that the receiver got. */
  readonly signature: string | undefined;
  /** Under the names of the interface. */
  readonly headers: readonly HeaderPair[];
  /** The signature that the receiver computed. */
  readonly computed: string | null;
  /** Others that can be the one that arrived: no name says on which side they are. */
  readonly otherSignatures: readonly string[];
  /** Whether the signature is the only one with such a name. */
  readonly isSignatureNamed: boolean;
}

/**
 * The signature, the timestamp and the computed signature among values with other names than those of the interface:
 * `expected` and `actual`, `ours` and `theirs`, `sig` and `ts`.
 *
 * @param known the signature in a header of the interface, if there is one
 */
export function readNamedValues(
  values: Iterable<readonly [name: string, value: string]>,
  known: string | undefined,
): NamedValues {
  const byRole = new Map<Role, string[]>();
  let timestamp: { readonly value: string; readonly score: number } | null = null;
  for (const [name, value] of values) {
    if (isDigest(value)) {
      const role = roleOf(name);
      byRole.set(role, [...(byRole.get(role) ?? []), value]);
    }
    const score = scoreTimestamp(name, value);
    if (score > (timestamp?.score ?? 0)) timestamp = { value, score };
  }
  const list = (...roles: readonly Role[]) => [...new Set(roles.flatMap((role) => byRole.get(role) ?? []))];
  const received = known ?? list("received", "signature")[0];
  const signature =
    received ?? (list("computed", "digest").length > 0 ? list("expected")[0] : undefined) ?? list(null)[0];
  // Beside a header of the interface, other digests can be of anything.
  const others = known
    ? list("computed", "expected")
    : list("computed", "expected", "digest", "signature", null);
  const isOther = (each: string) => each !== signature;
  const isOneSided =
    known !== undefined || list("received").length === 1 || list("computed", "expected", "digest").length > 0;
  const otherSignatures = isOneSided
    ? []
    : list("received", "signature", null).filter((each) => isOther(each) && WHOLE_DIGEST.test(each));
  // A receiver that computed the right one logs it twice.
  const computed =
    (otherSignatures.length > 0 ? undefined : others.find(isOther)) ??
    (list("computed", "expected").length > 0 ? signature : undefined) ??
    null;
  return {
    signature,
    headers: [
      ...(signature === undefined ? [] : [[SIGNATURE_HEADER, signature] as const]),
      ...(timestamp === null ? [] : [[TIMESTAMP_HEADER, timestamp.value] as const]),
    ],
    computed,
    otherSignatures,
    isSignatureNamed: list("received", "signature").length === 1,
  };
}

/** Other digests can be of anything. */
export function hasNamedSignature(values: ReadonlyMap<string, string>): boolean {
  const { isSignatureNamed, computed } = readNamedValues(values, undefined);
  return isSignatureNamed || computed !== null;
}

const VALUE =
  /(?<![\w+/.-])((?:(?:hmac[-_]?)?(?:sha-?256|v1)[=:,] ?)?(?:[0-9a-f]{64}|[0-9a-f]{2}(?:-[0-9a-f]{2}){31}|[0-9a-f]{40}|[0-9a-f]{96}|[0-9a-f]{128}|[A-Za-z0-9+/]{43}=|[0-9a-f]{8,63}(?:\.{3}|\u2026)|\d{13}|\d{10}))(?![\w+/=])/gi;

const MAX_LABEL = 60;
/** A record has far fewer: more are lists of numbers. */
const MAX_VALUES = 1_000;

/** The signatures and timestamps in a text with the words before them: `mismatch: expected a2d6… but got ca33…`. */
export function* listValuesInText(text: string): Generator<readonly [label: string, value: string]> {
  let end = 0;
  let left = MAX_VALUES;
  const counts = new Map<string, number>();
  for (const match of text.matchAll(VALUE)) {
    if (left === 0) return;
    left -= 1;
    const [value] = match;
    const before = text.slice(Math.max(end, match.index - MAX_LABEL), match.index);
    const [label = ""] = /[^,;(){}[\]|\n]*$/.exec(before.replace(/["'`\\\s:=>()[<{,-]+$/, "")) ?? [];
    end = match.index + value.length;
    const words = label.split(/\. /).at(-1)?.trim().split(/\s+/).slice(-3).join(" ") || "value";
    const count = (counts.get(words) ?? 0) + 1;
    counts.set(words, count);
    yield [count > 1 ? `${words} ${count}` : words, value];
  }
}
