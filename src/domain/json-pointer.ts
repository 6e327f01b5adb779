/** A name as a part of a JSON pointer (RFC 6901 §3). */
export const escapePointer = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

export const unescapePointer = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");
