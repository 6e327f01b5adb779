import { Buffer } from "../buffer.ts";

/** Decodes base64 of either alphabet; null for other or shorter text. */
export function decodeBase64(text: string): Buffer | null {
  const end = text.search(/[^A-Za-z0-9+/_-]/);
  const isBase64 = end === -1 || (end > 0 && /^={1,2}$/.test(text.slice(end)));
  return isBase64 && text.length >= 4 ? Buffer.from(text, "base64") : null;
}

export const decodeHex = (text: string): Buffer | null =>
  text.length % 2 === 0 && text !== "" && !/[^0-9a-f]/i.test(text) ? Buffer.from(text, "hex") : null;
