/** Characters of a text from outside that are printed: more would hide what is said about it. */
const MAX_PRINTED = 80;

/** The beginning of a text, with an ellipsis where it goes on. */
export const shorten = (text: string): string =>
  text.length > MAX_PRINTED ? `${text.slice(0, MAX_PRINTED - 1)}…` : text;
