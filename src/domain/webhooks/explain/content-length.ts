import { type HeaderList, headerValues } from "../headers.ts";

/**
 * Bytes that the sender counted; null where the header is not there, or counts something else: what was compressed on
 * the way is longer when it is kept.
 */
export function readContentLength(headers: HeaderList): number | null {
  const [encoding = "identity"] = headerValues(headers, "content-encoding");
  const [text = ""] = headerValues(headers, "content-length");
  return encoding === "identity" && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
