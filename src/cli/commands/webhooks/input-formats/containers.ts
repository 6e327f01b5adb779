import type { Buffer } from "node:buffer";
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { recognizeForeignFile } from "../../../../domain/entries/csv/file-kind.ts";
import { usageError } from "../../../../domain/errors.ts";
import type { Decompress } from "../../../../domain/webhooks/explain/compression.ts";
import { orNull } from "../../../../domain/webhooks/explain/encodings.ts";
import { inputError } from "../../../../domain/webhooks/input-formats/delivery.ts";

const DECODERS = {
  gzip: gunzipSync,
  deflate: inflateSync,
  "deflate-raw": inflateRawSync,
  br: brotliDecompressSync,
} as const;

/** Decompresses a body for `explain`, which runs without node:zlib. */
export const decompress: Decompress = (bytes, compression, maxBytes) =>
  DECODERS[compression](bytes, { maxOutputLength: maxBytes });

export interface ContainedFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** What an archive may hold in all, decompressed. */
const MAX_BYTES = 256 << 20;
const MAX_FILES = 10_000;
const MAX_NESTING = 4;

export function unpack(bytes: Buffer, name: string): readonly ContainedFile[] {
  let left = MAX_BYTES;
  const found: ContainedFile[] = [];
  const add = (content: Buffer, shownAs: string, depth: number): void => {
    const kind = depth < MAX_NESTING ? listEntries(content, shownAs, left) : null;
    if (kind === null) found.push({ name: shownAs, bytes: content });
    for (const entry of kind ?? []) {
      left -= entry.bytes.length;
      if (left < 0 || found.length >= MAX_FILES) throw tooLarge(name);
      add(entry.bytes, entry.name, depth + 1);
    }
  };
  add(bytes, name, 0);
  return found;
}

/** What gzip holds, inside a record; null for other bytes. */
export const gunzip = (bytes: Buffer): Buffer | null =>
  orNull(() => gunzipSync(bytes, { maxOutputLength: MAX_BYTES >> 4 }));

const tooLarge = (name: string) =>
  usageError("input_too_large", `${name} holds more than ${MAX_BYTES >> 20} MiB or ${MAX_FILES} files`, {
    hint: "unpack it, and name the files that have the deliveries",
  });

function listEntries(bytes: Buffer, name: string, maxBytes: number): readonly ContainedFile[] | null {
  const kind = recognizeForeignFile(bytes.subarray(0, 512));
  if (kind === null || kind.startsWith("a PEM")) return null;
  if (kind === "a ZIP archive or a spreadsheet") return [...readZip(bytes, name, maxBytes)];
  if (kind === "a tar archive") return [...readTar(bytes, name)];
  if (kind === "a gzip archive") {
    const content = inflate(() => gunzipSync(bytes, { maxOutputLength: maxBytes }), name);
    return [{ name: name.replace(/\.(?:gz|tgz)$/, ""), bytes: content }];
  }
  const hint = kind.includes("spreadsheet") ? AS_CSV : "unpack it first, or save it as text";
  throw inputError(`${name} is ${kind}`, hint);
}

const AS_CSV = "save the sheet as CSV, and give that file";

function inflate(run: () => Buffer, name: string): Buffer {
  try {
    return run();
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(name);
    throw inputError(`${name} is damaged: it cannot be decompressed`, "copy it again from its source", error);
  }
}

/** The entries of the central directory (APPNOTE 4.3.12). */
function* readZip(bytes: Buffer, name: string, maxBytes: number): Generator<ContainedFile> {
  const end = bytes.lastIndexOf("PK\x05\x06", undefined, "latin1");
  if (end < 0 || end + 22 > bytes.length)
    throw inputError(`${name} is a ZIP archive without its end`, "copy it again from its source");
  let at = bytes.readUInt32LE(end + 16);
  let left = maxBytes;
  for (let count = bytes.readUInt16LE(end + 10); count > 0 && at + 46 <= bytes.length; count -= 1) {
    const [method, size] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20)];
    const nameLength = bytes.readUInt16LE(at + 28);
    const more = bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    const path = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    const local = bytes.readUInt32LE(at + 42);
    at += 46 + nameLength + more;
    if (path.startsWith("xl/")) throw inputError(`${name} is a spreadsheet`, AS_CSV);
    if (path.endsWith("/") || /(?:^|\/)(?:__MACOSX\/|\.)/.test(path) || local + 30 > bytes.length) continue;
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const content = bytes.subarray(start, start + size);
    const expand = () => inflateRawSync(content, { maxOutputLength: left });
    const plain = method === 0 ? content : inflate(expand, `${path} in ${name}`);
    left = Math.max(left - plain.length, 1);
    yield { name: `${name}/${path}`, bytes: plain };
  }
}

const BLOCK = 512;

/** The regular files of a tar archive (POSIX ustar). */
function* readTar(bytes: Buffer, name: string): Generator<ContainedFile> {
  for (let at = 0; at + BLOCK <= bytes.length && bytes[at] !== 0; ) {
    const text = (from: number, length: number) =>
      bytes.toString("utf8", at + from, at + from + length).replace(/\0[\s\S]*$/, "");
    const size = Number.parseInt(text(124, 12).trim(), 8) || 0;
    const type = text(156, 1);
    if (type === "0" || type === "") {
      const path = [text(345, 155), text(0, 100)].filter(Boolean).join("/");
      yield { name: `${name}/${path}`, bytes: bytes.subarray(at + BLOCK, at + BLOCK + size) };
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}
