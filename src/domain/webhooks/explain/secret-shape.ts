/** The beginning of the sandbox's secrets. The interface shows none. */
export const SECRET_PREFIX = "whsec_";

const isAsciiSpace = (character: string): boolean => /^[ \t\r\n\f\v]$/.test(character);

/** Unlike `trim`, which takes a byte order mark and a no-break space for white space. */
export function trimAscii(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isAsciiSpace(text.charAt(start))) start += 1;
  while (end > start && isAsciiSpace(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

export const stripQuotes = (text: string): string | null => /^(["'`])(.*)\1$/s.exec(text)?.[2] ?? null;

/** Controls, formatting characters such as a byte order mark, and the spaces beyond ASCII. */
const INVISIBLE = /[\p{Cf}\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]|(?![\t\n\v\f\r])\p{Cc}/gu;

export const removeInvisible = (text: string): string => text.replace(INVISIBLE, "");

export const NO_PREFIX = `no ${SECRET_PREFIX} before it`;

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
    [NO_PREFIX, inner !== "" && !/^whsec_/i.test(inner)],
  ];
  return faults.flatMap(([fault, isFound]) => (isFound ? [fault] : []));
}
