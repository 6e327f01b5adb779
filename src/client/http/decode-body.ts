import { once } from "node:events";
import { pipeline, Readable } from "node:stream";
import { TextDecoder } from "node:util";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";

type Headers = Readonly<Record<string, string>>;
type Bytes = AsyncIterable<Uint8Array>;

export const ACCEPT_ENCODING = "gzip, deflate, br";

/** Some servers send deflate without the zlib header (RFC 9110 §8.4.1.2). */
const DECOMPRESSORS = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  br: () => createBrotliDecompress(),
  deflate: (firstByte: number) => ((firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw()),
} as const;

type Coding = keyof typeof DECOMPRESSORS;

/** Each costs a decompressor; a service and its proxy add one each. */
const MAX_CODINGS = 3;

/** Undoes the content codings of a body, and the charset of its text: UTF-8 arrives. An unknown one stays as it is. */
export function decodeBody(body: Bytes, headers: Headers): Bytes {
  const names = (headers["content-encoding"] ?? "").toLowerCase().split(/[\s,]+/);
  const codings = names.filter((name): name is Coding => Object.hasOwn(DECOMPRESSORS, name));
  return toUtf8(codings.slice(-MAX_CODINGS).reduceRight(decompress, body), headers);
}

async function* decompress(body: Bytes, coding: Coding): AsyncGenerator<Uint8Array> {
  const source = Readable.from(body);
  await once(source, "readable");
  const first: Uint8Array | null = source.read();
  // A response without a body may name a coding.
  if (first === null) return;
  source.unshift(first);
  yield* pipeline(source, DECOMPRESSORS[coding](first[0] ?? 0), () => {}) as Bytes;
}

async function* toUtf8(body: Bytes, headers: Headers): AsyncGenerator<Uint8Array> {
  let decoder: TextDecoder | null | undefined;
  for await (const chunk of joinStart(body)) {
    if (decoder === undefined) decoder = chooseDecoder(chunk, headers);
    yield decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk;
  }
  if (decoder) yield Buffer.from(decoder.decode());
}

/** A byte order mark, and the character after it. */
const START_LENGTH = 4;

/** The first bytes arrive in one chunk. */
async function* joinStart(body: Bytes): AsyncGenerator<Uint8Array> {
  let start: Buffer | null = Buffer.alloc(0);
  for await (const chunk of body) {
    if (start !== null) start = Buffer.concat([start, chunk]);
    if (start !== null && start.length < START_LENGTH) continue;
    yield start ?? chunk;
    start = null;
  }
  if (start?.length) yield start;
}

/** Null for UTF-8. A byte order mark decides before the header (WHATWG Encoding §6); in a CSV, spreadsheets need it. */
function chooseDecoder(start: Uint8Array, headers: Headers): TextDecoder | null {
  const text = Buffer.from(start.subarray(0, START_LENGTH)).toString("latin1");
  if (/^\xef\xbb\xbf[[{]/.test(text)) return createDecoder("utf-8");
  // Of another type, only what begins as JSON: a file may begin with these bytes.
  const isText =
    /json|text/i.test(headers["content-type"] ?? "") || /^(\xff\xfe[[{]\0|\xfe\xff\0[[{])/.test(text);
  if (/^(\xff\xfe|\xfe\xff)/.test(text) && isText)
    return createDecoder(text.startsWith("\xff") ? "utf-16le" : "utf-16be");
  const decoder = text.startsWith("\xef\xbb\xbf") ? null : createDecoder(charsetOf(headers) ?? "utf-8");
  return decoder?.encoding === "utf-8" ? null : decoder;
}

/** The charset of a body that this platform cannot decode, if it has one. */
export function findUnknownCharset(headers: Headers): string | null {
  const charset = charsetOf(headers);
  return charset !== null && createDecoder(charset) === null ? charset : null;
}

const charsetOf = (headers: Headers): string | null =>
  /;\s*charset\s*=\s*["']?([^\s;"',]+)/i.exec(headers["content-type"] ?? "")?.[1] ?? null;

function createDecoder(charset: string): TextDecoder | null {
  try {
    return new TextDecoder(charset);
  } catch {
    return null;
  }
}
