import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";

/**
 * What product.md §4 (*Job id*, *Accepted*, *Bytes*) says of a response, written from the paper and without the code of the
 * client, so that the two can disagree.
 */
export interface SentResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The connection ended before the end of the response. */
  readonly isCut: boolean;
}

const MAX_BYTES = 16 * 2 ** 20;

const limit = { maxOutputLength: MAX_BYTES };

function decodeOne(coding: string, bytes: Uint8Array): Uint8Array {
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return gunzipSync(bytes, limit);
    case "br":
      return brotliDecompressSync(bytes, limit);
    case "deflate":
      try {
        return inflateSync(bytes, limit);
      } catch {
        return inflateRawSync(bytes, limit);
      }
    default:
      // A name that no one decodes, as in `Content-Encoding: utf-8`: the bytes are what they are.
      return bytes;
  }
}

/** The text of a body by its coding, byte order mark and charset; null if it has none. */
export function decodeText({ headers, body }: SentResponse): string | null {
  try {
    const codings = (headers["content-encoding"] ?? "").split(",").map((name) => name.trim().toLowerCase());
    const bytes = codings.reduceRight((coded, coding) => decodeOne(coding, coded), body);
    if (bytes.length > MAX_BYTES) return null;
    const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers["content-type"] ?? "")?.[1] ?? "utf-8";
    const [first, second, third] = bytes;
    const marked =
      first === 0xef && second === 0xbb && third === 0xbf
        ? "utf-8"
        : first === 0xff && second === 0xfe
          ? "utf-16le"
          : first === 0xfe && second === 0xff
            ? "utf-16be"
            : charset;
    return new TextDecoder(marked).decode(bytes);
  } catch {
    return null;
  }
}

/** The JSON value of a body; undefined if it is no JSON. */
export function readJson(response: SentResponse): unknown {
  const text = response.isCut ? null : decodeText(response);
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Names that no other id of a response may have. */
const OTHER_IDS = /request|trace|correlation|event|partner|client|key/i;

function* scalarsOf(value: unknown, name = ""): Generator<readonly [name: string, value: string]> {
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint")
    yield [name, String(value)];
  else if (typeof value === "object" && value !== null)
    for (const [key, inner] of Object.entries(value))
      yield* scalarsOf(inner, Array.isArray(value) ? name : key);
}

/** The last segment of `Location`, if it is a UUID or that of the documented status route. */
function idOfLocation({ headers: { location = "" } }: SentResponse): string | null {
  const path = location.replace(/[?#].*$/s, "").replace(/\/+$/, "");
  const segment = path.slice(path.lastIndexOf("/") + 1);
  let id: string;
  try {
    id = decodeURIComponent(segment);
  } catch {
    id = segment;
  }
  return id !== "" && (UUID.test(id) || /\/(v1|api)\/diligence\/status\/[^/]+$/.test(path)) ? id : null;
}

/** Whether a client may say that this response to a submission gives this job id. */
function isJobIdOf(response: SentResponse, jobId: string): boolean {
  const { status } = response;
  if (status < 200 || status > 299 || response.isCut) return false;
  if (idOfLocation(response) === jobId) return true;
  const value = readJson(response);
  if (!isObject(value)) return false;
  const named = [value.jobId, value.job_id, value.id, isObject(value.job) ? value.job.id : undefined];
  if (named.some((id) => (typeof id === "string" && id !== "" && id === jobId) || isNumberOf(id, jobId)))
    return true;
  const uuids = [...scalarsOf(value)].filter(([name, text]) => UUID.test(text) && !OTHER_IDS.test(name));
  return new Set(uuids.map(([, text]) => text.toLowerCase())).size === 1 && uuids[0]?.[1] === jobId;
}

/** A number above 2^53 has been read as text, because JSON.parse rounds it. */
const isNumberOf = (id: unknown, jobId: string): boolean =>
  typeof id === "number" && (String(id) === jobId || (!Number.isSafeInteger(id) && Number(jobId) === id));

/** Whether a submission with this response may count as accepted, with or without a job id. */
export function isAccepted(response: SentResponse, jobId: string | null): boolean {
  if (jobId !== null) return isJobIdOf(response, jobId);
  return (response.status === 201 || response.status === 202) && isObject(readJson(response));
}

/** Whether every reader of the paper accepts this response: JSON with a UUID as `jobId`. */
export function hasPlainJobId(response: SentResponse): boolean {
  const { status } = response;
  const value = readJson(response);
  if (status < 200 || status > 299 || status === 204 || status === 205) return false;
  return isObject(value) && typeof value.jobId === "string" && UUID.test(value.jobId);
}
