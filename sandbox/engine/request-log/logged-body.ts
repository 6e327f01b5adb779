import { Buffer, isUtf8 } from "node:buffer";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import type { HeaderList } from "../../../src/domain/webhooks/headers.ts";
import type { LoggedBody } from "../../api/requests.ts";
import { type CapturedBody, MAX_CAPTURED_BYTES } from "./captured-body.ts";
import { redactForm, redactJson, redactText } from "./redaction.ts";

/** A body that is small when it is packed may not be so unpacked. */
const MAX_DECOMPRESSED_BYTES = 1024 * 1024;

const DECODERS: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** The first value of a header, in lower case and without parameters; empty where there is none. */
export const firstHeaderValue = (headers: HeaderList, name: string): string =>
  headers
    .find(([each]) => each.toLowerCase() === name)?.[1]
    .replace(/;.*$/s, "")
    .trim()
    .toLowerCase() ?? "";

/** A body as it may be shown. */
export function toLoggedBody(body: CapturedBody | string, headers: HeaderList): LoggedBody {
  const { bytes, size } =
    typeof body === "string" ? encodeText(body) : { bytes: body.bytes(), size: body.size };
  const fields = typeof body === "string" ? null : (body.fields?.map(redactField) ?? null);
  const isLost = bytes.length === 0 && size > 0;
  const plain = isLost ? null : decompress(bytes, firstHeaderValue(headers, "content-encoding"));
  if (plain === null) return { size, text: null, base64: null, truncated: size > 0, fields };
  const head = plain.subarray(0, MAX_CAPTURED_BYTES);
  const truncated = bytes.length < size || head.length < plain.length;
  return {
    size,
    ...renderContent(head, firstHeaderValue(headers, "content-type"), truncated),
    truncated,
    fields,
  };
}

/** One that was announced and that nobody read: the request was refused before. */
export const unreadBody = (size: number | null): LoggedBody => ({
  ...{ size, text: null, base64: null, truncated: true, fields: null },
});

function encodeText(text: string): { bytes: Buffer; size: number } {
  const bytes = Buffer.from(text);
  return { bytes: bytes.subarray(0, MAX_CAPTURED_BYTES), size: bytes.length };
}

const redactField = ([name, value]: readonly [string, string]) =>
  [redactText(name), redactText(value)] as const;

/** Null for what cannot be undone, and so not be looked through for secrets. */
function decompress(bytes: Buffer, encoding: string): Buffer | null {
  if (encoding === "" || encoding === "identity") return bytes;
  try {
    return DECODERS[encoding]?.(bytes, { maxOutputLength: MAX_DECOMPRESSED_BYTES }) ?? null;
  } catch {
    return null;
  }
}

function renderContent(
  bytes: Buffer,
  type: string,
  truncated: boolean,
): { readonly text: string | null; readonly base64: string | null } {
  const whole = truncated ? trimPartialCharacter(bytes) : bytes;
  if (isUtf8(whole)) return { text: redactByType(whole.toString(), type), base64: null };
  const clean = Buffer.from(redactText(bytes.toString("latin1")), "latin1");
  return { text: null, base64: clean.toString("base64") };
}

function redactByType(text: string, type: string): string {
  if (type === "application/x-www-form-urlencoded") return redactForm(text);
  return /[/+]json$/.test(type) ? redactJson(text) : redactText(text);
}

/** Cut off after 64 KiB it may end in the middle of one. */
function trimPartialCharacter(bytes: Buffer): Buffer {
  for (const less of [0, 1, 2, 3]) {
    const shorter = bytes.subarray(0, bytes.length - less);
    if (isUtf8(shorter)) return shorter;
  }
  return bytes;
}
