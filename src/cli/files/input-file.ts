import { Buffer } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream, type Stats } from "node:fs";
import { type FileHandle, open, rm, stat } from "node:fs/promises";
import { devNull } from "node:os";
import { basename, join, resolve, sep } from "node:path";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { isatty } from "node:tty";
import { ClaimsError, rejectedError, usageError } from "../../domain/errors.ts";
import { ownedNamePrefix, removeLeftovers } from "../../process/temporary-folder.ts";
import type { Context } from "../context.ts";
import { describeFileError } from "./file-errors.ts";
import { toTemporaryFolderError } from "./folders.ts";

/** A file that stays open, so that each reader gets the same file after it is renamed, replaced or deleted. */
export interface InputFile {
  readonly name: string;
  /** The name that messages have for it. */
  readonly displayName: string;
  /** Absolute; null for a pipe, which can be read once. */
  readonly path: string | null;
  readonly size: number;
  /** Its bytes from the start. Another process may change those of a file over 8 MiB. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Hex SHA-256 of its bytes at the first call. @throws ClaimsError `file_changed` if another process writes the file */
  hash(): Promise<string>;
  /**
   * Exactly the bytes that were hashed (product.md §4, *What is sent*). The last part is held back until the hash of all of
   * them is right. Fails with ClaimsError `file_changed` otherwise.
   */
  stream(): Readable;
  /** Also removes the temporary copy of a pipe. */
  close(): Promise<void>;
}

/** Measured with uploads of 100 MB: large reads need fewer turns of the event loop. */
const READ_BUFFER_BYTES = 1 << 20;
/** For a file that has grown, and files of /proc, which have no size. */
const MIN_BUFFER_BYTES = 4 << 10;
const MEBIBYTE = 1 << 20;

/** Files up to this size are read once, and stay in memory. */
const MAX_BYTES_IN_MEMORY = 8 * MEBIBYTE;

/** A snapshot or a log has no limit of its own, but a pipe that never ends would fill the disk. */
const MAX_PIPE_MIB = 4_096;

interface InputOptions {
  /** As messages name it. Default: the path. */
  readonly displayName?: string;
  /** The longest pipe that is read. */
  readonly maxPipeMib?: number;
}

/** Copies a pipe to a private temporary file. @throws ClaimsError of kind `usage`, and `input_too_large` for a pipe */
export async function openInput(
  context: Context,
  path: string,
  { displayName = path, maxPipeMib = MAX_PIPE_MIB }: InputOptions = {},
): Promise<InputFile> {
  if (path === "-") {
    const stdin = requirePipedStdin(context, "pipe the file in, or give its path");
    return copyToTemporaryFile(context, () => stdin, { displayName: "stdin", maxPipeMib });
  }
  const absolute = resolve(context.cwd, path);
  try {
    const found = await stat(absolute);
    if (found.isDirectory())
      throw usageError("cannot_read", `${displayName} is a folder, not a file`, {
        hint: "name a file in it",
      });
    if (found.isBlockDevice() || (found.isCharacterDevice() && !(await isNullDevice(found))))
      throw usageError("cannot_read", `${displayName} is a device, not a file`, {
        hint: "name a file, or - for stdin",
      });
    if (!found.isFile())
      return await copyToTemporaryFile(context, () => createReadStream(absolute), {
        displayName,
        maxPipeMib,
      });
    return await openWholeFile(absolute, { name: basename(absolute), displayName, path: absolute });
  } catch (error) {
    if (error instanceof ClaimsError || context.signal.aborted) throw error;
    throw toReadError(displayName, error);
  }
}

function toReadError(path: string, cause: unknown): ClaimsError {
  const advice = sep === "/" && path.includes("\\") ? "; here, paths have / and not \\" : "";
  // Node replaces the bytes of a name that is not UTF-8, so that no file has the name that it gives.
  if (path.includes("\ufffd"))
    return usageError("cannot_read", `cannot read ${path}: its name is not UTF-8`, {
      hint: "rename the file, or pipe it in and write - for it",
      cause,
    });
  return usageError("cannot_read", `cannot read ${path}: ${describeFileError(cause)}${advice}`, {
    hint: "check the path, or pipe the file in and write - for it",
    cause,
  });
}

const MAX_INPUT_MIB = 128;

export async function readWhole(file: InputFile, maxMib = MAX_INPUT_MIB): Promise<Buffer> {
  if (file.size > maxMib * MEBIBYTE) throw inputTooLargeError(file.displayName, maxMib);
  return buffer(file.chunks());
}

export async function readInput(context: Context, path: string, maxMib: number = MAX_INPUT_MIB) {
  const file = await openInput(context, path, { maxPipeMib: maxMib });
  try {
    return await readWhole(file, maxMib);
  } finally {
    await file.close();
  }
}

const inputTooLargeError = (displayName: string, maxMib: number): ClaimsError =>
  usageError("input_too_large", `${displayName} is larger than ${maxMib} MiB`, {
    hint: "check that it is the right file, and that the command before a pipe ends",
  });

/** stdin, unless it is a terminal: a command does not wait silently for input. */
export function requirePipedStdin({ stdin }: Pick<Context, "stdin">, hint: string, reader = "- reads stdin") {
  if (!stdin.isTerminal) return stdin.readable;
  throw usageError("missing_option", `${reader}, and stdin is a terminal`, { hint });
}

/** The second `-` would read an empty stdin. */
export function refuseSecondStdin(words: readonly string[]): void {
  if (words.indexOf("-") === words.lastIndexOf("-")) return;
  throw usageError("option_conflict", "- is given more than once", {
    hint: "stdin can be read once: give - once",
  });
}

/** For `-`, the words of stdin. @throws ClaimsError `missing_option` if it has none: a command may have failed */
export async function readIds(context: Context, words: readonly string[], hint: string): Promise<string[]> {
  refuseSecondStdin(words);
  const lists = words.map(async (word) => {
    if (word !== "-") return [word.trim()];
    const ids = (await text(requirePipedStdin(context, hint))).split(/\s+/).filter(Boolean);
    if (ids.length === 0) throw usageError("missing_option", "no id on stdin", { hint });
    return ids;
  });
  return (await Promise.all(lists)).flat();
}

/** Like {@link readIds}, for a command that takes one id. */
export async function readId(context: Context, word: string, hint: string): Promise<string> {
  const [id = "", ...others] = await readIds(context, [word], hint);
  if (others.length === 0) return id;
  throw usageError("option_conflict", `stdin has ${others.length + 1} ids, and this command takes one`, {
    hint: "use `xargs -n 1` to run it for each id",
  });
}

const COPY_PREFIX = "claims-input-";

/** Copies a source that can be read once. It is opened only when its errors have a listener. */
async function copyToTemporaryFile(
  context: Context,
  openSource: () => Readable,
  { displayName, maxPipeMib }: Required<InputOptions>,
): Promise<InputFile> {
  const { processes, signal, temporaryDirectory } = context;
  await removeLeftovers(temporaryDirectory, COPY_PREFIX, processes);
  const path = join(temporaryDirectory, `${ownedNamePrefix(COPY_PREFIX, processes)}${randomUUID()}.csv`);
  const close = () => rm(path, { force: true });
  try {
    const limited = limitBytes(openSource(), maxPipeMib, displayName);
    await pipeline(limited, createWriteStream(path, { flags: "wx", mode: 0o600 }), { signal });
    const copy = await openWholeFile(path, { name: `${basename(displayName)}.csv`, displayName, path: null });
    return { ...copy, close: () => copy.close().finally(close) };
  } catch (error) {
    await close();
    const { path: failedPath, syscall } = error as NodeJS.ErrnoException;
    if (failedPath !== path && syscall !== "write") throw error;
    throw toTemporaryFolderError(temporaryDirectory, error);
  }
}

async function* limitBytes(source: Readable, maxMib: number, displayName: string) {
  let bytes = 0;
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxMib * MEBIBYTE) throw inputTooLargeError(displayName, maxMib);
    yield chunk;
  }
}

type FileNames = Pick<InputFile, "name" | "displayName" | "path">;

async function openWholeFile(path: string, names: FileNames): Promise<InputFile> {
  const handle = await open(path);
  try {
    const opened = await handle.stat();
    const bytes =
      opened.size <= MAX_BYTES_IN_MEMORY
        ? await readSmallHandle(handle, opened.size, names.displayName)
        : null;
    return createInputFile(handle, opened, bytes, names);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** At most {@link MAX_BYTES_IN_MEMORY}: null for a file that is larger by now, or of /proc and so without a size. */
async function readSmallHandle(handle: FileHandle, size: number, displayName: string) {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of readHandle(handle, size, displayName)) {
    chunks.push(chunk);
    total += chunk.length;
    if (total > MAX_BYTES_IN_MEMORY) return null;
  }
  return Buffer.concat(chunks);
}

function createInputFile(
  handle: FileHandle,
  opened: Stats,
  bytes: Buffer | null,
  names: FileNames,
): InputFile {
  const { displayName } = names;
  const size = bytes?.length ?? opened.size;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (bytes === null) yield* readHandle(handle, size, displayName);
    else if (bytes.length > 0) yield bytes;
  }
  async function hashUnchanged(): Promise<string> {
    const hash = createHash("sha256");
    for await (const chunk of chunks()) hash.update(chunk);
    const now = await handle.stat();
    // A program that still writes it: half of a file would be submitted.
    if (now.size !== opened.size || now.mtimeMs !== opened.mtimeMs) throw fileChangedError(displayName);
    return hash.digest("hex");
  }
  let hashed: Promise<string> | undefined;
  const hash = () => {
    hashed ??= hashUnchanged();
    return hashed;
  };
  async function* sendUnchanged(): AsyncGenerator<Uint8Array> {
    const expected = await hash();
    const sent = createHash("sha256");
    let held: Uint8Array | null = null;
    let total = 0;
    for await (const chunk of chunks()) {
      total += chunk.length;
      if (total > size) break;
      sent.update(chunk);
      if (held !== null) yield held;
      held = chunk;
    }
    if (total !== size || sent.digest("hex") !== expected) throw fileChangedError(displayName);
    if (held !== null) yield held;
  }
  const stream = () =>
    Readable.from(bytes === null ? sendUnchanged() : chunks(), {
      objectMode: false,
      highWaterMark: READ_BUFFER_BYTES,
    });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= handle.close();
    return closed;
  };
  return { ...names, size, chunks, hash, stream, close };
}

/** Reads by position: several readers share the handle. */
async function* readHandle(handle: FileHandle, size: number, displayName: string) {
  // One byte more, so that the end of a small file shows in one read.
  const bufferBytes = Math.min(READ_BUFFER_BYTES, Math.max(size + 1, MIN_BUFFER_BYTES));
  let position = 0;
  for (;;) {
    const target = Buffer.allocUnsafe(bufferBytes);
    const { bytesRead, buffer } = await handle.read(target, 0, bufferBytes, position).catch((error) => {
      throw toReadError(displayName, error);
    });
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

const fileChangedError = (displayName: string): ClaimsError =>
  rejectedError("file_changed", `${displayName} changed while it was read; it was not sent`, {
    hint: "wait until the program that writes the file has ended, and run the command again",
  });

/** The limit for keys, certificates, forms and files of variables. */
export const MAX_SMALL_MIB = 1;

/** Reads a small file or pipe. The caller names the file in the errors. */
export async function readSmallFile(path: string): Promise<Buffer> {
  const found = await stat(path);
  const handle = found.isBlockDevice() ? null : await open(path);
  try {
    if (!handle || (found.isCharacterDevice() && !isatty(handle.fd) && !(await isNullDevice(found))))
      throw new Error("it is a device, not a file");
    return await readSmallStream(handle.createReadStream({ autoClose: false }), "it");
  } finally {
    await handle?.close();
  }
}

export const readSmallStream = async (source: Readable, name = "stdin"): Promise<Buffer> =>
  buffer(limitBytes(source, MAX_SMALL_MIB, name));

const isNullDevice = async ({ rdev }: Stats): Promise<boolean> =>
  rdev === (await stat(devNull).catch(() => null))?.rdev;
