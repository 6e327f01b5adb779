import { type HeaderList, headerValues } from "../../http-headers.ts";
import { isRecord, valueAt } from "../../json.ts";
import { Buffer } from "../buffer.ts";
import { decodeBase64, decodeHex, removeLastLineEnd } from "./encodings.ts";
import type { ParsedBody } from "./json-text.ts";

/** Decodes chunks (RFC 9112 §7.1); null for a body without them. */
export function joinChunks(framed: Buffer): Buffer | null {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = framed.subarray(at, at + MAX_CHUNK_LINE).indexOf("\r\n");
    if (lineEnd < 0) return null;
    const line = framed.toString("latin1", at, at + lineEnd);
    const [, size] = /^([0-9a-fA-F]{1,8})(?:;.*)?$/.exec(line) ?? [];
    if (size === undefined) return null;
    const length = Number.parseInt(size, 16);
    if (length === 0) return Buffer.concat(chunks);
    const start = at + lineEnd + 2;
    if (framed.toString("latin1", start + length, start + length + 2) !== "\r\n") return null;
    chunks.push(framed.subarray(start, start + length));
    at = start + length + 2;
  }
}

/** A chunk's size and extensions; a search to the end for each chunk would take quadratic time. */
const MAX_CHUNK_LINE = 1_024;

const MIN_LINE_LENGTH = 20;
/** Two lines can be any text with one line end. */
const MIN_LINES = 3;

/** Joins lines that a program cut at a fixed width; null for lines of different lengths. */
function joinLines(text: string): string | null {
  if (text.indexOf("\n") < MIN_LINE_LENGTH) return null;
  const lines = removeLastLineEnd(text).split(/\r?\n/);
  const width = lines[0]?.length ?? 0;
  const isWrapped =
    lines.length >= MIN_LINES && width >= MIN_LINE_LENGTH && (lines.at(-1)?.length ?? 0) <= width;
  return isWrapped && lines.slice(0, -1).every(({ length }) => length === width) ? lines.join("") : null;
}

/** Programs count characters or bytes. */
export function unwrapLines({ bytes, text }: ParsedBody): Buffer | string | null {
  if (!bytes.subarray(0, -1).includes("\n")) return null;
  const joined = text === null ? null : joinLines(text);
  if (joined !== null) return joined;
  const ofBytes = joinLines(bytes.toString("latin1"));
  return ofBytes === null ? null : Buffer.from(ofBytes, "latin1");
}

export const decodeHexText = ({ text }: ParsedBody): Buffer | null =>
  text === null || text.length < 8 || /[^0-9a-fA-F\s]/.test(text)
    ? null
    : decodeHex(text.replace(/\s+/g, ""));

export const MAX_ENVELOPES = 4;
const MAX_ENVELOPE_DEPTH = 5;
const MAX_ENVELOPE_VALUES = 200;
/** The first characters of JSON in base64: Pub/Sub and Kinesis have it in `data`. */
const BASE64_OF_JSON = /^(?:eyJ|ew[0o]|e30|W3[s0]|W1)/;
/** Names of fields that hold the body as JSON, not as text. */
const ENVELOPE_FIELDS = ["body", "payload", "event", "message", "Message", "detail"];

/** A value that is a whole event was put into an envelope; other values are a part of the body. */
export const isEvent = (value: unknown): boolean =>
  isRecord(value) && "type" in value && ("data" in value || "id" in value);

/** The bodies that a queue, a gateway or a log can have wrapped in JSON. */
export function listEnvelopeContents(body: ParsedBody): readonly (string | Buffer)[] {
  const found: (string | Buffer)[] = [];
  let left = MAX_ENVELOPE_VALUES;
  const visit = (value: unknown, depth: number): void => {
    if (left === 0 || depth > MAX_ENVELOPE_DEPTH || found.length >= MAX_ENVELOPES) return;
    left -= 1;
    if (typeof value === "string") {
      if (/^\s*[[{]/.test(value)) found.push(value);
      const decoded = BASE64_OF_JSON.test(value) ? decodeBase64(value) : null;
      if (decoded !== null) found.push(decoded);
    }
    if (typeof value !== "object" || value === null) return;
    const { isBase64Encoded, body: encoded } = value as Record<string, unknown>;
    const decoded = isBase64Encoded === true && typeof encoded === "string" ? decodeBase64(encoded) : null;
    if (decoded !== null) found.push(decoded);
    for (const name in value) visit((value as Record<string, unknown>)[name], depth + 1);
  };
  // A body that is itself a text in JSON was encoded twice.
  if (typeof body.json === "object") visit(body.json, 0);
  const names = isEvent(valueAt(body.json, "data")) ? ["data", ...ENVELOPE_FIELDS] : ENVELOPE_FIELDS;
  const fields = names.flatMap((name) => body.printField(name) ?? []).filter((field) => /^[[{]/.test(field));
  return [...found, ...fields].slice(0, MAX_ENVELOPES);
}

export function cutAtContentLength({ bytes }: ParsedBody, headers: HeaderList): Buffer | null {
  const [text = ""] = headerValues(headers, "content-length");
  const length = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  return length > 0 && length < bytes.length ? bytes.subarray(0, length) : null;
}

export function removePadding({ bytes }: ParsedBody): Buffer | null {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return end < bytes.length ? bytes.subarray(0, end) : null;
}
