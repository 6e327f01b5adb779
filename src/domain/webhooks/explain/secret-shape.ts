import { isRecord, parseJsonText } from "../../json.ts";
import { decodeBase64 } from "./encodings.ts";

/** The beginning of the sandbox's secrets. The interface shows none. */
export const SECRET_PREFIX = "whsec_";

/** Scans from both ends: a pattern for the end would restart at each character that it matches. */
export function trimWhere(text: string, isTrimmed: RegExp): string {
  let start = 0;
  let end = text.length;
  while (start < end && isTrimmed.test(text.charAt(start))) start += 1;
  while (end > start && isTrimmed.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Unlike `trim`, which takes a byte order mark and a no-break space for white space. */
export const trimAscii = (text: string): string => trimWhere(text, /[ \t\r\n\f\v]/);

/** Within quotes, or within the angle brackets of a manual. */
export const stripQuotes = (text: string): string | null =>
  /^(["'`])(.*)\1$/s.exec(text)?.[2] ?? /^<(whsec_.*)>$/s.exec(text)?.[1] ?? null;

/** Controls, formatting characters such as a byte order mark, and the spaces beyond ASCII. */
const INVISIBLE = /[\p{Cf}\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]|(?![\t\n\v\f\r])\p{Cc}/gu;

export const removeInvisible = (text: string): string => text.replace(INVISIBLE, "");

/** The value of `NAME=value` or `name: value`, without its quotes; null for other text. */
export function readAssignedValue(secret: string): string | null {
  const line = /^(?!whsec_)(?:export[ \t]+)?[A-Za-z_][\w.-]*[ \t]*[=:][ \t]*([^\r\n]+)$/.exec(
    trimAscii(secret),
  );
  const value = line?.[1] ?? "";
  return /^=*$/.test(value) ? null : (stripQuotes(value) ?? value);
}

/** The secret in a JSON object, such as the response of the create route. */
export function readJsonValue(secret: string): string | null {
  const values = parseJsonText(secret);
  const texts = Object.entries(isRecord(values) ? values : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  // A secretPrefix beside it is shorter.
  const longest = texts.toSorted(([, one], [, other]) => other.length - one.length);
  const found =
    longest.find(([, text]) => text.startsWith(SECRET_PREFIX)) ??
    longest.find(([name]) => /secret/i.test(name));
  return found?.[1] ?? null;
}

/** The secret that is encoded, as Kubernetes shows it; null if it is none. */
export function decodeBase64Secret(secret: string): string | null {
  const decoded = decodeBase64(trimAscii(secret))?.toString() ?? "";
  return decoded.startsWith(SECRET_PREFIX) ? decoded : null;
}

/** The secret in a line of a file, a sentence or a program, by its prefix. */
export const extractSecret = (text: string): string | null =>
  /whsec_[\w-]+/.exec(removeInvisible(text))?.[0] ?? null;

/** For a secret without the prefix. */
export const trimPunctuation = (text: string): string =>
  text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}_-]+$/gu, "").replace(/^(?:Bearer|Basic|Token|Secret)\s+/i, "");

/** Its lines without white space around them; null for a single one. */
export function splitLines(secret: string): readonly string[] | null {
  const lines = secret.split(/\r?\n|\r/).flatMap((line) => trimAscii(line) || []);
  return lines.length > 1 ? lines : null;
}

/** A variable or template that was not replaced, or the path of a file that was not read. */
export const isPlaceholder = (secret: string): boolean =>
  /^(?:\$\{[^}]*\}|\$[A-Z_]\w*|%\w+%|\{\{[^}]*\}\}|<(?!whsec_)[^>]*>|(?:file:|~?\/|\.{1,2}\/|[A-Z]:\\)[\w./\\-]+)$/.test(
    trimAscii(secret),
  );

/** Characters of a secretPrefix: a whole secret is longer, and a shorter one identifies nothing (interface §2). */
const PREFIX_LENGTHS = { min: 10, max: 16 } as const;

/** What a page or a log shows in place of a secret. A random one may have some x in a row. */
export const isMasked = (secret: string): boolean =>
  /[*\u2022\u25cf\u00b7#]{4}|x{6}|X{6}|\u2026|\.{3}/.test(secret) ||
  /redacted|filtered|masked|hidden/i.test(secret);

const EXAMPLE_WORDS = "test|example|changeme|dummy|your[-_]|placeholder|secret[-_]?key";
const HAS_EXAMPLE_WORD = new RegExp(EXAMPLE_WORDS, "i");

/** At the start or end of a word: a random secret may spell a short word in its middle. */
const HAS_WORD_AT_EDGE = new RegExp(`(?:^|[-_])(?:${EXAMPLE_WORDS})|(?:${EXAMPLE_WORDS})(?:$|[-_])`, "i");

/** A random secret has letters of both cases. */
const ONE_CASE = /^(?:[a-z\d_-]+|[A-Z\d_-]+)$/;

/** As tests and manuals have: no service makes so short a secret, or one of words. */
export function isTestSecret(secret: string): boolean {
  if (secret === "") return false;
  if (secret.length < (/^(?:whsec|sk|cs)_/.test(secret) ? PREFIX_LENGTHS.min : 20)) return true;
  const words = secret.replace(/^whsec_/, "");
  if (!/^[\w-]+$/.test(words)) return false;
  return HAS_WORD_AT_EDGE.test(words) || (ONE_CASE.test(words) && HAS_EXAMPLE_WORD.test(words));
}

/** Other products that begin their secrets with whsec_ write standard base64 after it. The interface shows no form. */
const isOfOtherProduct = (secret: string): boolean => /^whsec_[A-Za-z0-9+/]{32}$/.test(secret);

/** The beginning of a secret, alone or before what a page shows in place of the rest; null for a whole secret. */
export function readPrefixOnly(secret: string): string | null {
  const [beginning = ""] = secret.split(/[*\u2022.]{3}|\u2026/, 1);
  const isWhole = beginning.length === secret.length;
  const isShort = secret.length >= PREFIX_LENGTHS.min && secret.length <= PREFIX_LENGTHS.max;
  return beginning.startsWith(SECRET_PREFIX) && (!isWhole || isShort) ? beginning : null;
}

const NO_PREFIX = `no ${SECRET_PREFIX} before it`;
const OTHER_PRODUCT = "the form of another product's webhook secrets";

/** The interface excludes neither: no remark where the secret verifies. */
export const ASSUMED_SHAPES: readonly string[] = [NO_PREFIX, OTHER_PRODUCT];

/** What is odd about a secret, without any part of it. */
export function describeSecretShape(secret: string): readonly string[] {
  const bare = trimAscii(secret);
  const inner = removeInvisible(stripQuotes(bare) ?? bare);
  const faults: readonly (readonly [string, boolean])[] = [
    ["empty", secret === ""],
    ["white space around it", bare !== secret],
    ["quotes around it", stripQuotes(bare) !== null],
    ["invisible characters", removeInvisible(secret) !== secret],
    ["whsec_ in another case", /^whsec_/i.test(inner) && !inner.startsWith(SECRET_PREFIX)],
    ["a NAME=value line", readAssignedValue(secret) !== null],
    ["JSON", readJsonValue(secret) !== null],
    ["base64-encoded", decodeBase64Secret(secret) !== null],
    ["more than one line", splitLines(secret) !== null],
    ["a variable, a template or a path, not what it stands for", isPlaceholder(secret)],
    ["only the beginning of a secret", readPrefixOnly(inner) !== null],
    [NO_PREFIX, inner !== "" && !/^whsec_/i.test(inner)],
    [OTHER_PRODUCT, isOfOtherProduct(inner)],
  ];
  return faults.flatMap(([fault, isFound]) => (isFound ? [fault] : []));
}
