/** A word for a POSIX shell. */
export const quoteShellWord = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Whether a word needs no quotes in any shell and is not a flag. */
export const isPlainShellWord = (word: string): boolean => /^[\w./:][\w./:@%+=,-]*$/.test(word);

export const toShellWord = (word: string): string => (isPlainShellWord(word) ? word : quoteShellWord(word));
