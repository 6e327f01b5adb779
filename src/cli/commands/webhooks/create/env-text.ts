/**
 * The text of a .env file with a variable set: its last line of that name, which is the one that counts, or else a new one
 * at the end.
 */
export function setVariable(text: string, name: string, value: string): string {
  const line = `${name}=${quoteValue(value)}`;
  const lines = [...text.matchAll(new RegExp(`^[ \\t]*(export[ \\t]+)?${name}[ \\t]*=[^\\r\\n]*`, "gm"))];
  const last = lines.at(-1);
  if (last)
    return text.slice(0, last.index) + (last[1] ?? "") + line + text.slice(last.index + last[0].length);
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  return `${text}${text === "" || text.endsWith("\n") ? "" : end}${line}${end}`;
}

/** Bare where every reader of such files takes it so. In single quotes, neither dotenv nor a shell expands anything. */
const quoteValue = (value: string): string => (/^[\w.+/:@=-]+$/.test(value) ? value : `'${value}'`);

/**
 * Whether all readers of .env files read a value back unchanged: a single quote ends the quotes in all of them, and a
 * backslash escapes in some.
 */
export const isSafeInEnvFile = (value: string): boolean => !/['\\]/.test(value);
