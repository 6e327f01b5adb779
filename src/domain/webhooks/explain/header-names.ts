import type { HeaderList } from "../../http-headers.ts";
import { type SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { parseTimestamp } from "../timestamp.ts";

/** What is left of a name in an environment variable, a log or a framework: `HTTP_X_SERVICE_SIGNATURE`. */
const normalize = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")
    .replace(/^http/, "");

/** Longer names are no names of the interface. */
const MAX_LENGTH = 64;

/** Names to try; each costs a search. */
const MAX_OTHER_NAMES = 4;

export type OtherHeader = ReturnType<typeof findOtherNames>[number];

/**
 * The headers that can stand for this one, which is missing: first those with nearly its name, then those of another name
 * for the same, such as X-Hub-Signature-256, with a value of its form.
 */
export function findOtherNames(headers: HeaderList, name: typeof TIMESTAMP_HEADER | typeof SIGNATURE_HEADER) {
  const wanted = normalize(name);
  const isOther = name === TIMESTAMP_HEADER ? isTimestamp : isSignature;
  return headers
    .filter(([key]) => key.length <= MAX_LENGTH)
    .map(([key, value]) => ({
      name: key,
      value,
      /** Whether it was meant to have the name of the missing one. Otherwise it may be of a proxy or of another scheme. */
      isNear: isOneEditAway(normalize(key), wanted),
    }))
    .filter((each) => each.isNear || isOther(each.name, each.value))
    .toSorted((one, other) => Number(other.isNear) - Number(one.isNear))
    .slice(0, MAX_OTHER_NAMES);
}

const isTimestamp = (name: string, value: string): boolean =>
  /timestamp/i.test(name) && parseTimestamp(value.trim()) !== null;

/** Not the version or the algorithm of a signature, nor its time. */
const isSignature = (name: string, value: string): boolean =>
  /signature|(?<![a-z])sig(?![a-z])/i.test(name) &&
  !OF_RECEIVER.test(name) &&
  !isTimestamp(name, value) &&
  SIGNATURE_VALUE.test(value.trim());

/** A receiver or a gateway writes what it computed itself into such a header. */
const OF_RECEIVER = /comput|calculat|expect/i;

/** Hex or base64, also with an algorithm, a version or a time: no shorter than the shortest digest, MD5, in base64. */
const SIGNATURE_VALUE = /^[\w+/=:,-]{22,}$/;

/** Whether the texts are equal, or one character is added, lost or another one. */
function isOneEditAway(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end))
    end += 1;
  return Math.max(one.length, other.length) - start - end <= 1;
}
