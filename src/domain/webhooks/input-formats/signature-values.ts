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

/**
 * What the label of a digest says of it. The receiver computed what is `expected`, but some programs call the signature that
 * arrived so, beside one that they call computed. The last three name no side.
 */
type Role = "received" | "computed" | "expected" | "digest" | "signature" | "unnamed";

/** The words of `receivedSignature`, `x-sig`, `signature mismatch, got`. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");

/** Of several words, the last one counts that says on which side the value is. */
function roleOf(label: string): Role {
  const words = wordsOf(label).toReversed();
  const side = words.find((word) => RECEIVED.test(word) || COMPUTED.test(word));
  if (side !== undefined) {
    if (RECEIVED.test(side)) return "received";
    return side === "expected" ? "expected" : "computed";
  }
  if (words.some((word) => SIGNATURE_WORD.test(word))) return "signature";
  return words.some((word) => DIGEST_WORD.test(word)) ? "digest" : "unnamed";
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

interface SignatureValues {
  /** The signature that the receiver got. */
  readonly received: string | undefined;
  /** The signature that the receiver computed. */
  readonly computed: string | null;
  /** Others that can be the one that arrived: no label says on which side they are. */
  readonly ambiguous: readonly string[];
  /** Whether the signature is the only one with such a label. */
  readonly isSignatureNamed: boolean;
  /** The received signature and the timestamp, under the names of the interface. */
  readonly headers: readonly HeaderPair[];
}

type LabelledValue = readonly [label: string, value: string];

/**
 * The signatures and the timestamp among values with other names than those of the interface. The label decides:
 *
 *     values                          received   computed   ambiguous
 *     expected=A actual=B             B          A
 *     computed=A expected=B           B          A
 *     hmac=A expected=B               B          A
 *     signature=A hmac=B              A          B
 *     expected=A actual=A             A          A
 *     sig=A sig=B                     A                     B
 *     hmac A != B                     B                     A
 *     expected A (header), is B (ours)  A        B
 *     header A, expected=B            A          B
 *     header A, hmac=B                A
 *
 * @param headerSignature the signature in a header of the interface, if there is one
 */
export function findSignatureValues(
  values: Iterable<LabelledValue>,
  headerSignature: string | undefined,
): SignatureValues {
  const all = [...values];
  const groups = groupByRole(all);
  const received = headerSignature ?? chooseReceivedByLabel(groups);
  const timestamp = findTimestamp(all);
  const ambiguous = isSideKnown(groups, headerSignature) ? [] : listAmbiguous(groups, received);
  return {
    received,
    computed: ambiguous.length > 0 ? null : chooseComputedByLabel(groups, received, headerSignature),
    ambiguous,
    isSignatureNamed: distinct(groups.received, groups.signature).length === 1,
    headers: [
      ...(received === undefined ? [] : [[SIGNATURE_HEADER, received] as const]),
      ...(timestamp === null ? [] : [[TIMESTAMP_HEADER, timestamp] as const]),
    ],
  };
}

type Groups = Readonly<Record<Role, readonly string[]>>;

function groupByRole(values: readonly LabelledValue[]): Groups {
  const groups: Record<Role, string[]> = {
    received: [],
    computed: [],
    expected: [],
    digest: [],
    signature: [],
    unnamed: [],
  };
  for (const [label, value] of values) if (isDigest(value)) groups[roleOf(label)].push(value);
  return groups;
}

const distinct = (...lists: readonly (readonly string[])[]): readonly string[] => [...new Set(lists.flat())];

function chooseReceivedByLabel({ received, signature, computed, digest, expected, unnamed }: Groups) {
  const [named] = [...received, ...signature];
  if (named !== undefined) return named;
  const isComputedElsewhere = computed.length > 0 || digest.length > 0;
  return (isComputedElsewhere ? expected[0] : undefined) ?? unnamed[0];
}

/** Whether the received signature is not one of several that could be it. */
const isSideKnown = (groups: Groups, headerSignature: string | undefined): boolean =>
  headerSignature !== undefined ||
  distinct(groups.received).length === 1 ||
  groups.computed.length + groups.expected.length > 0 ||
  (groups.digest.length > 0 && (groups.signature.length > 0 || groups.unnamed.length === 0));

const listAmbiguous = (groups: Groups, received: string | undefined): readonly string[] =>
  distinct(groups.received, groups.signature, groups.digest, groups.unnamed).filter(
    (each) => each !== received && WHOLE_DIGEST.test(each),
  );

function chooseComputedByLabel(
  { computed, expected, digest, signature, unnamed }: Groups,
  received: string | undefined,
  headerSignature: string | undefined,
): string | null {
  const named = [...computed, ...expected];
  // Beside a header of the interface, other digests can be of anything.
  const others = headerSignature ? named : [...named, ...digest, ...signature, ...unnamed];
  const different = others.find((each) => each !== received);
  if (different !== undefined) return different;
  // A receiver that computed the right one logs it twice.
  return named[0] ?? null;
}

/** The likeliest one; of several, the first. */
function findTimestamp(values: readonly LabelledValue[]): string | null {
  let best: { readonly value: string | null; readonly score: number } = { value: null, score: 0 };
  for (const [label, value] of values) {
    const score = scoreTimestamp(label, value);
    if (score > best.score) best = { value, score };
  }
  return best.value;
}

/** Other digests can be of anything. */
export function hasNamedSignature(values: ReadonlyMap<string, string>): boolean {
  const { isSignatureNamed, computed } = findSignatureValues(values, undefined);
  return isSignatureNamed || computed !== null;
}

const VALUE =
  /(?<![\w+/.-])((?:(?:hmac[-_]?)?(?:sha-?256|v1)[=:,] ?)?(?:[0-9a-f]{64}|[0-9a-f]{2}(?:-[0-9a-f]{2}){31}|[0-9a-f]{40}|[0-9a-f]{96}|[0-9a-f]{128}|[A-Za-z0-9+/]{43}=|[0-9a-f]{8,63}(?:\.{3}|\u2026)|\d{13}|\d{10}))(?![\w+/=])/gi;

const MAX_LABEL = 60;
/** A record has far fewer: more are lists of numbers. */
const MAX_VALUES = 1_000;

/** The signatures and timestamps in a text with the words before them: `mismatch: expected a2d6… but got ca33…`. */
export function* listValuesInText(text: string): Generator<LabelledValue> {
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
    const [, side = ""] = /^ ?(\([a-z]{4,12}\))/i.exec(text.slice(end, end + MAX_LABEL)) ?? [];
    const words =
      label.split(/\. /).at(-1)?.trim().split(/\s+/).slice(-3).concat(side).join(" ").trim() || "value";
    const count = (counts.get(words) ?? 0) + 1;
    counts.set(words, count);
    yield [count > 1 ? `${words} ${count}` : words, value];
  }
}
