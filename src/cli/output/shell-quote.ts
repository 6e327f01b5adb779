import { sanitizeText } from "./sanitize.ts";

/** A word as a POSIX shell reads it back unchanged. */
export const quoteShellWord = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** The same for bash and zsh, where a terminal gets it and would show something else: by its bytes. */
export const quoteShellWordForTerminal = (word: string): string =>
  sanitizeText(word) === word ? quoteShellWord(word) : `$'${[...word].map(escapeUnsafe).join("")}'`;

function escapeUnsafe(character: string): string {
  if (/[\\']/.test(character)) return `\\${character}`;
  if (sanitizeText(character) === character) return character;
  return [...new TextEncoder().encode(character)]
    .map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`)
    .join("");
}

/** Whether it stands for itself in every shell, and is no flag. */
export const isPlainShellWord = (word: string): boolean => /^[\w./:][\w./:@%+=,-]*$/.test(word);

/** An id that a service made up, as a word of a command that people copy; `ID` where it would be read as a flag. */
export function quoteId(id: string): string {
  if (isPlainShellWord(id)) return id;
  return id.startsWith("-") ? "ID" : quoteShellWord(id);
}
