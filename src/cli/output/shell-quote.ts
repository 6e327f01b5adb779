import { isPlainShellWord, quoteShellWord } from "../../domain/shell.ts";
import { sanitizeText } from "./sanitize.ts";

/** A word for a POSIX shell, with escapes of printf(1) in place of characters that are unsafe on a terminal. */
export const quoteShellWordForTerminal = (word: string): string =>
  [...quoteShellWord(word)].map(escapeUnsafe).join("");

function escapeUnsafe(character: string): string {
  if (sanitizeText(character) === character) return character;
  const bytes = [...new TextEncoder().encode(character)];
  return `'"$(printf '${bytes.map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}')"'`;
}

/** An id of the service in a command that people copy; `ID` if a command would take it for a flag. */
export function quoteId(id: string): string {
  if (isPlainShellWord(id)) return id;
  return id.startsWith("-") ? "ID" : quoteShellWord(id);
}
