import { hash } from "node:crypto";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import type { BodyCandidate } from "./body-candidates.ts";
import type { HeaderPair } from "./delivery.ts";

/** A digest in hex, also with the hyphens of .NET, or in base64, also after the name of its algorithm, also cut. */
const DIGEST =
  /^(?:(?:hmac[-_]?)?(?:sha-?256|v1)[=:,] ?)?(?:[0-9a-f]{40,128}|[0-9a-f]{2}(?:-[0-9a-f]{2}){31}|[A-Za-z0-9+/]{43}=|[0-9a-f]{8,63}(?:\.{3}|\u2026))$/i;
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
  /^(?:actual|got|have|received|theirs?|headers?|hdr|given|provided|incoming|supplied|remote|sent|but)$/;
/** And to the one that they computed. */
const COMPUTED =
  /^(?:expected|expect|exp|expecting|should|computed|compute|calculated|calc|calculate|ours?|want|wanted|generated|mine|own|local|known|we|hashed|would|correct|right)$/;
/** Words of an assertion say which value is right, not who made it: programs use them either way round. */
const ASSERTION = /^(?:actual|got|have|but|expected|expect|exp|expecting|should|want|wanted|correct|right)$/;
const DIGEST_WORD = /^(?:hmac|digest|mac|hash)$/;
const SIGNATURE_WORD = /^(?:sig|sign|signature|xsignature)$/;
const TIMESTAMP_WORD = /^(?:timestamp|ts|t|stamp|tstamp)$/;
const TIME_WORD = /^(?:time|signed|date|at|epoch|when|unix)$/;

/**
 * What the label of a digest says of it. The receiver computed what is `expected`, but some programs call the signature that
 * arrived so, beside one that they call computed. The last three say neither.
 */
type Role = "received" | "computed" | "expected" | "digest" | "signature" | "unnamed";

/** The words of `receivedSignature`, `x-sig`, `signature mismatch, got`. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");

/**
 * A word for what the receiver computed counts more than one for what arrived: `computed from the received body`. What stands in
 * brackets after the value counts more than both: `expected (header)`.
 */
function roleOf(label: string): Role {
  const words = roleWordsOf(label);
  const computed = words.filter((word) => COMPUTED.test(word));
  if (computed.length > 0) return computed.every((word) => word === "expected") ? "expected" : "computed";
  if (words.some((word) => RECEIVED.test(word))) return "received";
  if (words.some((word) => SIGNATURE_WORD.test(word))) return "signature";
  return words.some((word) => DIGEST_WORD.test(word)) ? "digest" : "unnamed";
}

/** The words of a label that can name a role: those in its brackets, if it has any. */
const roleWordsOf = (label: string): readonly string[] => wordsOf(/^.* \((.+)\)$/.exec(label)?.[1] ?? label);

/** Whether a label says only in words of an assertion which role its signature has. */
const isOfAssertion = (label: string): boolean =>
  roleWordsOf(label).every((word) => ASSERTION.test(word) || !(RECEIVED.test(word) || COMPUTED.test(word)));

/** How likely a value is the signing timestamp: the time of the record is often in it, too. */
function scoreTimestamp(name: string, value: string): number {
  const isNamed = isNameOfTimestamp(name);
  const isTime = isNamed || wordsOf(name).some((word) => TIME_WORD.test(word));
  if (/^1[5-9]\d{8}$|^2[01]\d{8}$/.test(value)) return isNamed ? 5 : isTime ? 4 : 1;
  if (/^1[5-9]\d{11}$/.test(value)) return isNamed ? 3 : 0;
  // As a spreadsheet or a float prints it: digits are lost.
  if (isNamed && /^1\.\d+e\+?0?9$/i.test(value)) return 2;
  return isNamed && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) ? 2 : 0;
}

type LabelledValue = readonly [label: string, value: string];

/**
 * The signatures and the timestamp among values with other names than those of the interface. A signature arrived only if its
 * label, or the label of all others, says so:
 *
 *     values                          received   computed   ambiguous
 *     expected=A actual=B             B          A
 *     computed=A expected=B           B          A
 *     signature=A hmac=B              A
 *     expected=A actual=A             A          A
 *     computed=A, no signature                   A
 *     computed=A                                 A
 *     sig=A sig=B                     A                     B
 *     hmac=A expected=B               A                     B
 *     header A, expected=B            A          B
 *     header A, hmac=B                A
 *
 * Beside a signature that arrived, a digest of another name can be of anything: chooseReceived proves whether it is one of this delivery.
 *
 * @param header the signature in a header of the interface, if there is one; empty if the headers are without it
 */
export function findSignatureValues(values: Iterable<LabelledValue>, header?: string) {
  const all = [...values];
  const groups = groupByRole(all);
  const saysNone = header === "" || saysMissing(all, groups);
  const [received, ...ambiguous] = header ? [header] : listCandidates(groups, saysNone);
  const computed = ambiguous.length > 0 ? null : chooseComputedByLabel(groups, received);
  const timestamp = findTimestamp(all);
  const isSignatureNamed = distinct(groups.received, groups.signature).length === 1;
  const hasRole = (value: string) => value === received || value === computed;
  const headers: readonly HeaderPair[] = [
    ...(received === undefined ? [] : [[SIGNATURE_HEADER, received] as const]),
    ...(timestamp === null ? [] : [[TIMESTAMP_HEADER, timestamp] as const]),
  ];
  return {
    /** The signature that arrived, or the first one that can be it. */
    received,
    /** Others that can be the one that arrived: nothing says which one is. */
    ambiguous,
    /** The signature that the receiver computed. */
    computed,
    /** Whether only words of an assertion say which of the two arrived. */
    areRolesUnsure: !header && all.every(([label, value]) => !hasRole(value) || isOfAssertion(label)),
    /** The same, and `Received`, which an assertion prints of what a program made, and a receiver of what arrived. */
    mayBeSwapped:
      !header &&
      all.every(([label, value]) => !hasRole(value) || isOfAssertion(label) || label === "Received"),
    /** Whether the record says that no signature arrived. */
    isMissing: saysNone && received === undefined,
    /** Whether the signature is the only one with such a label. */
    isSignatureNamed,
    /** Whether a label says of one what it is: other digests can be of anything. */
    isAnyNamed: isSignatureNamed || computed !== null,
    /** The received signature and the timestamp, under the names of the interface. */
    headers,
  };
}

/** Without plain digests of a body, which anyone can make: only its name can say that one was taken for a signature. */
export function dropContentDigests(facts: ReadonlyMap<string, string>, bodies: readonly BodyCandidate[]) {
  const isUnnamed = ([name, value]: LabelledValue) =>
    isWholeDigest(value) && ["digest", "unnamed"].includes(roleOf(name));
  const digests = [...facts].some(isUnnamed)
    ? bodies.flatMap(({ bytes }) => [hash("sha256", bytes, "hex"), hash("sha256", bytes, "base64")])
    : [];
  const isOfBody = (value: string) => digests.some((digest) => value.includes(digest));
  return new Map([...facts].filter((fact) => !(isUnnamed(fact) && isOfBody(fact[1]))));
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

/** What can be the signature that arrived, by the names that say most; one is. */
function listCandidates(groups: Groups, isMissing: boolean): readonly string[] {
  const { received, signature, computed, expected, digest, unnamed } = groups;
  if (received.length > 0) return distinct(received);
  if (isMissing) return [];
  if (signature.length > 0) return distinct(signature);
  if (computed.length > 0 && expected.length > 0) return distinct(expected);
  // No name says that one arrived. A single one is none that did.
  const others = distinct(digest, expected, unnamed);
  return distinct(others, computed).length > 1 ? others : [];
}

/** Words in place of a value that is not there. */
const NOTHING = /^(?:null|undefined|none|nil|<nil>|missing|absent|empty|-|)$/i;

/** Whether it has nothing under a name for what arrived. Beside a digest, whatever its name, that is the signature. */
function saysMissing(values: readonly LabelledValue[], groups: Groups): boolean {
  const isPaired =
    groups.received.length === 0 && Object.values(groups).some((digests) => digests.length > 0);
  return values.some(([label, value]) => {
    if (!NOTHING.test(value)) return !isDigest(value) && saysSignatureMissing(value);
    return isOfSignature(label) || (isPaired && roleOf(label) === "received");
  });
}

const isOfSignature = (label: string): boolean =>
  isNameOfReceived(label) && wordsOf(label).some((word) => SIGNATURE_WORD.test(word));

function chooseComputedByLabel(
  { computed, expected, digest }: Groups,
  received: string | undefined,
): string | null {
  const named = [...computed, ...expected];
  const all = received === undefined ? [...named, ...digest] : named;
  // A receiver that computed the right one logs it twice.
  return all.find((each) => each !== received) ?? named[0] ?? null;
}

/**
 * The likeliest one; of several, the first. Null if the record has nothing under a name for the timestamp: another time is that of
 * the log, and made in the same second it would verify.
 */
function findTimestamp(values: readonly LabelledValue[]): string | null {
  if (values.some(([label, value]) => NOTHING.test(value) && isNameOfTimestamp(label))) return null;
  const [best] = values
    .map(([label, value]) => ({ value, score: scoreTimestamp(label, value) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score);
  return best?.value ?? null;
}

const VALUE =
  /(?<![\w+/.-])((?:(?:hmac[-_]?)?(?:sha-?256|v1)[=:,] ?)?(?:[0-9a-f]{64}|[0-9a-f]{2}(?:-[0-9a-f]{2}){31}|[0-9a-f]{40}|[0-9a-f]{96}|[0-9a-f]{128}|[A-Za-z0-9+/]{43}=|[0-9a-f]{8,63}(?:\.{3}|\u2026)|\d{13}|\d{10}))(?![\w+/=])/gi;

const MAX_LABEL = 60;
/** A record has far fewer: more are lists of numbers. */
const MAX_VALUES = 1_000;

/** What a log says of a value in brackets after it: `(header)`. */
const BRACKET = /^["'`\s]*[([]([a-z][\w ,.'-]{1,40})[)\]]/i;
const MAX_BRACKET = 50;

/**
 * The signatures and timestamps in a text with the words around them: `mismatch: expected a2d6… but got ca33…`. A signature
 * without a name of its own has that of the signature before it, so that neither is known: `hmac check: A != B`.
 */
export function* listValuesInText(text: string): Generator<LabelledValue> {
  let end = 0;
  let left = MAX_VALUES;
  let lastName: string | null = null;
  const counts = new Map<string, number>();
  /** `hmac`, then `hmac 2`. */
  const number = (name: string, suffix = ""): string => {
    const count = (counts.get(name + suffix) ?? 0) + 1;
    counts.set(name + suffix, count);
    return count > 1 ? `${name} ${count}${suffix}` : name + suffix;
  };
  for (const match of text.matchAll(VALUE)) {
    if (left === 0) return;
    left -= 1;
    const [value] = match;
    const before = text.slice(Math.max(end, match.index - MAX_LABEL), match.index);
    end = match.index + value.length;
    const own = readLabel(before);
    if (isDigest(value)) {
      // The whole clause can say which role a signature has.
      const name: string = isName(own, before) ? own : (lastName ?? (own || "value"));
      lastName = name;
      const [, bracket = ""] = BRACKET.exec(text.slice(end, end + MAX_BRACKET)) ?? [];
      yield [number(name, roleOf(bracket) === "unnamed" ? "" : ` (${bracket})`), value];
    } else {
      const near = own.split(" ").slice(-3).join(" ");
      yield [number(near || "value"), value];
    }
  }
}

/** Whether words before a value are its name, not only text between two values. */
const isName = (label: string, before: string): boolean =>
  /[a-z]/i.test(label) && (/[=:]["'`\s]*$|\n/.test(before) || roleOf(label) !== "unnamed");

/** The name before a value with `=`, otherwise the words before it, from the last punctuation on. */
function readLabel(before: string): string {
  const [, name] = /([\w.-]+)["']?=["'`\s]*$/.exec(before) ?? [];
  if (name !== undefined) return name;
  const [label = ""] = /[^,;(){}[\]|\n]*$/.exec(before.replace(/["'`\\\s:=>()[<{,-]+$/, "")) ?? [];
  return label.split(/\. /).at(-1)?.trim().replace(/\s+/g, " ") ?? "";
}

const WORD_FOR_NOTHING =
  /(?<![\w.-])(?:null|undefined|none|nil|<nil>|missing|absent|empty|not (?:found|set|present|there|sent))(?![\w-])(?!,? or\b)/gi;
const EMPTY_ASSIGNMENT = /(?<![\w.-])([\w.-]{1,40})(?:=|["']?: ?(?=["']))(?:""|'')?(?=[\s,;)}\]]|$)/g;
/** `no webhook signature`, `missing X-Service-Signature`; not `missing or invalid signature` and `no valid signature`. */
const NOTHING_BEFORE =
  /(?<!\bor )\b(?:no|without|missing|lacks?|absent:?) (?!or\b)((?:(?!valid|match|correct|good)["'`\w-]{1,20} ){0,2}["'`]?(?:x[-_. ]?service[-_. ]?)?sig(?:nature)?(?: header)?)\b(?! (?:match|verif|check|valid|secret|key))/gi;
const MAX_NAME = 40;

/** What a text says is not there, of what arrives: `received=undefined`, `the header was empty`, `without signature header`. */
export function* listMissing(text: string): Generator<LabelledValue> {
  for (const { index } of text.matchAll(WORD_FOR_NOTHING)) {
    const name = readLabel(text.slice(Math.max(0, index - MAX_NAME), index));
    if (isNameOfReceived(name)) yield [name, "missing"];
  }
  for (const [, name = ""] of text.matchAll(EMPTY_ASSIGNMENT))
    if (isNameOfReceived(name)) yield [name, "missing"];
  for (const [, name = ""] of text.matchAll(NOTHING_BEFORE)) yield [`${name} header`, "missing"];
}

/** Whether a text says that no signature arrived. */
export const saysSignatureMissing = (text: string): boolean =>
  [...listMissing(text)].some(([name]) => isOfSignature(name));

/** Whether a name is one of what a receiver computed. Beside another such name, `expected` is what it expected to arrive. */
export const isNameOfComputed = (name: string, hasOther: boolean): boolean =>
  roleOf(name) === "computed" || (!hasOther && roleOf(name) === "expected");

export const isNameOfTimestamp = (name: string): boolean =>
  wordsOf(name).some((word) => TIMESTAMP_WORD.test(word));

/** Whether a name is one of a signature that arrived, so that nothing under it says that none did. */
export const isNameOfReceived = (name: string): boolean => ["received", "signature"].includes(roleOf(name));
