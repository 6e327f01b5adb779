/** One cell of a record, quoted where RFC 4180 asks for it. */
export const quoteCsvCell = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
