/** Characters that no one sees, and spaces and dashes that look like those of the keyboard. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u2010-\u2015\u2212]|(?! )\p{Zs}/gu;

/** The same, and every character that an entry number cannot have. */
const NOT_ASCII = /[^\x20-\x7e]/gu;

const NAMES: readonly (readonly [characters: RegExp, name: string])[] = [
  [/[\u00a0\u202f]/, "a no-break space"],
  [/\u00ad/, "a soft hyphen"],
  [/[\u2010-\u2015\u2212]/, "a dash of a word processor"],
  [/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/, "a mark of the writing direction"],
  [/\p{Cf}/u, "a character without width"],
  [/[\uff01-\uff5e]/, "a character of full width"],
];

const toCodePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** Shows such characters as `‹U+200B›`. */
export const showHidden = (text: string, isAsciiOnly: boolean): string =>
  text.replace(isAsciiOnly ? NOT_ASCII : HIDDEN, (character) => `‹${toCodePoint(character)}›`);

/** Names the first of them and how to replace all; "" if there is none. */
export function adviseHidden(text: string, isAsciiOnly: boolean): string {
  const [found] = text.match(isAsciiOnly ? NOT_ASCII : HIDDEN) ?? [];
  if (found === undefined) return "";
  const name = NAMES.find(([characters]) => characters.test(found))?.[1] ?? "a character";
  return `The cell has ${name} (${toCodePoint(found)}). In Excel, copy it from the cell into Find & Replace (Ctrl+H), and replace all with nothing or with the character that is meant.`;
}
