import { printableText } from "./printable.ts";

/** A word as a POSIX shell reads it back unchanged. */
export const shellQuote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** The same for bash and zsh, where a terminal gets it and would show something else: by its bytes. */
export const shellQuoteForScreen = (word: string): string =>
  printableText(word) === word ? shellQuote(word) : `$'${[...word].map(bytesIfUnsafe).join("")}'`;

function bytesIfUnsafe(character: string): string {
  if (/[\\']/.test(character)) return `\\${character}`;
  if (printableText(character) === character) return character;
  return [...new TextEncoder().encode(character)]
    .map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`)
    .join("");
}

/** Whether it stands for itself in every shell, and is no flag. */
export const isPlainWord = (word: string): boolean => /^[\w./:][\w./:@%+=,-]*$/.test(word);

/** An id that a service made up, as a word of a command that people copy; `ID` where it would be read as a flag. */
export function idWord(id: string): string {
  if (isPlainWord(id)) return id;
  return id.startsWith("-") ? "ID" : shellQuote(id);
}
