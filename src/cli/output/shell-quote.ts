import { sanitizeText } from "./sanitize.ts";

/** A word for a POSIX shell. */
export const quoteShellWord = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** A word for bash and zsh, with bytes in place of characters that are unsafe on a terminal. */
export const quoteShellWordForTerminal = (word: string): string =>
  sanitizeText(word) === word ? quoteShellWord(word) : `$'${[...word].map(escapeUnsafe).join("")}'`;

function escapeUnsafe(character: string): string {
  if (/[\\']/.test(character)) return `\\${character}`;
  if (sanitizeText(character) === character) return character;
  return [...new TextEncoder().encode(character)]
    .map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`)
    .join("");
}

/** Whether a word needs no quotes in any shell and is not a flag. */
export const isPlainShellWord = (word: string): boolean => /^[\w./:][\w./:@%+=,-]*$/.test(word);

/** An id of the service in a command that people copy; `ID` if a command would take it for a flag. */
export function quoteId(id: string): string {
  if (isPlainShellWord(id)) return id;
  return id.startsWith("-") ? "ID" : quoteShellWord(id);
}
