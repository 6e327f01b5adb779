/** A word as a POSIX shell reads it back unchanged. */
export const shellQuote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
