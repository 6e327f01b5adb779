import { isRecord } from "../../json.ts";
import { Buffer } from "../buffer.ts";

/** Decodes base64 of either alphabet; null for other or shorter text. */
export function decodeBase64(text: string): Buffer | null {
  const end = text.search(/[^A-Za-z0-9+/_-]/);
  const isBase64 = end === -1 || (end > 0 && /^={1,2}$/.test(text.slice(end)));
  return isBase64 && text.length >= 4 ? Buffer.from(text, "base64") : null;
}

export const decodeHex = (text: string): Buffer | null =>
  text.length % 2 === 0 && text !== "" && !/[^0-9a-f]/i.test(text) ? Buffer.from(text, "hex") : null;

/** Null for text without percent encoding, and for a corrupted one. */
export function decodePercent(text: string): string | null {
  if (!/%[0-9A-Fa-f]{2}/.test(text)) return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The text without its last line end, which printing or saving it adds. */
export const removeLastLineEnd = (text: string): string => text.replace(/\r?\n$/, "");

/** The bytes of a Buffer, as JSON.stringify prints it in Node; null for another value. */
export function readBufferJson(value: unknown): Buffer | null {
  if (!isRecord(value) || value.type !== "Buffer" || !Array.isArray(value.data)) return null;
  const isByte = (each: unknown) => Number.isInteger(each) && Number(each) >= 0 && Number(each) <= 255;
  return value.data.every(isByte) ? Buffer.from(value.data) : null;
}
