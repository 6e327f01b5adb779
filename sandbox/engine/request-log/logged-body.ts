import { Buffer, isUtf8 } from "node:buffer";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import type { HeaderList } from "../../../src/domain/http-headers.ts";
import type { LoggedBody } from "../../api/requests.ts";
import { type CapturedBody, MAX_CAPTURED_BYTES } from "./captured-body.ts";
import { redactBytes, redactForm, redactJson, redactText } from "./redaction.ts";

/** A small compressed body can be large when decompressed. */
const MAX_DECOMPRESSED_BYTES = 1024 * 1024;

const DECODERS: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** Returns the first value of a header, in lower case and without parameters; empty if the header is absent. */
export const firstHeaderValue = (headers: HeaderList, name: string): string =>
  headers
    .find(([each]) => each.toLowerCase() === name)?.[1]
    .replace(/;.*$/s, "")
    .trim()
    .toLowerCase() ?? "";

export function toLoggedBody(body: CapturedBody | string, headers: HeaderList): LoggedBody {
  const captured = typeof body === "string" ? Buffer.from(body) : body.bytes();
  const size = typeof body === "string" ? captured.length : body.size;
  const bytes = captured.subarray(0, MAX_CAPTURED_BYTES);
  const isEvicted = bytes.length === 0 && size > 0;
  const plain = isEvicted ? null : decodeBody(bytes, headers);
  const fields =
    typeof body === "string"
      ? null
      : (body.fields?.map(([name, value]) => [redactText(name), redactText(value)] as const) ?? null);
  if (plain === null) return { size, text: null, base64: null, truncated: size > 0, fields };
  const head = plain.subarray(0, MAX_CAPTURED_BYTES);
  const truncated = bytes.length < size || head.length < plain.length;
  const content = redactContent(head, firstHeaderValue(headers, "content-type"), truncated);
  return { size, ...content, truncated, fields };
}

/** Undoes Content-Encoding. Returns null for a body that cannot be decompressed, and so not be searched for secrets. */
export function decodeBody(bytes: Buffer, headers: HeaderList): Buffer | null {
  const encoding = firstHeaderValue(headers, "content-encoding");
  if (encoding === "" || encoding === "identity") return bytes;
  try {
    return DECODERS[encoding]?.(bytes, { maxOutputLength: MAX_DECOMPRESSED_BYTES }) ?? null;
  } catch {
    return null;
  }
}

function redactContent(
  bytes: Buffer,
  type: string,
  isTruncated: boolean,
): Pick<LoggedBody, "text" | "base64"> {
  const whole = isTruncated ? trimPartialCharacter(bytes) : bytes;
  if (!isUtf8(whole)) return { text: null, base64: redactBytes(bytes).toString("base64") };
  const text = whole.toString();
  if (type === "application/x-www-form-urlencoded") return { text: redactForm(text), base64: null };
  return { text: /[/+]json$/.test(type) ? redactJson(text) : redactText(text), base64: null };
}

/** A truncated body may end in the middle of a character. */
const trimPartialCharacter = (bytes: Buffer): Buffer =>
  [0, 1, 2, 3].map((count) => bytes.subarray(0, bytes.length - count)).find((trimmed) => isUtf8(trimmed)) ??
  bytes;
