import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { access, constants, open, rm, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ClaimsError, usageError } from "../../domain/errors.ts";
import { ownedNamePrefix, removeLeftovers } from "../../process/temporary-folder.ts";
import type { Context } from "../context.ts";
import { describeFileError } from "./file-errors.ts";
import { toTemporaryFolderError } from "./folders.ts";

/** A file that can be read more than once. */
export interface InputFile {
  /** Its own name, without folders. */
  readonly name: string;
  /** How a message names it. */
  readonly displayName: string;
  /** Bytes. */
  readonly size: number;
  /** For whoever needs a stream. */
  stream(): Readable;
  /** The same bytes without a stream's set-up, which takes as long as checking a small file. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Removes the copy that had to be made of what can be read only once. */
  close(): Promise<void>;
}

/** Large reads cost fewer turns of the event loop; measured on uploads of 100 MB. */
const READ_BUFFER_BYTES = 1 << 20;

/** Opens a file by path, or stdin as `-`. A pipe is copied to a private temporary file, so that it can be read again. */
export async function openInput(context: Context, path: string): Promise<InputFile> {
  if (path === "-") return openStdin(context);
  const absolute = resolve(context.cwd, path);
  try {
    const found = await stat(absolute);
    if (found.isDirectory()) throw isFolderError(path);
    if (!found.isFile()) return await copyToTemporaryFile(context, createReadStream(absolute), path);
    await access(absolute, constants.R_OK);
    return createInputFile(absolute, { name: basename(absolute), displayName: path, size: found.size });
  } catch (error) {
    if (error instanceof ClaimsError || context.signal.aborted) throw error;
    throw toReadError(path, error);
  }
}

const toReadError = (path: string, cause: unknown): ClaimsError =>
  usageError("cannot_read", `cannot read ${path}: ${describeFileError(cause)}`, {
    hint: "check the path, or pipe the file in and write - for it",
    cause,
  });

/** What is read into memory as a whole; no delivery and no field of a request is near it. */
const MAX_INPUT_BYTES = 128 << 20;

/** All bytes of a file, or of stdin as `-`. */
export async function readInput(context: Context, path: string): Promise<Buffer> {
  const file = await openInput(context, path);
  try {
    if (file.size > MAX_INPUT_BYTES) throw inputTooLargeError(file.displayName);
    const pieces: Uint8Array[] = [];
    for await (const piece of file.chunks()) pieces.push(piece);
    return Buffer.concat(pieces);
  } finally {
    await file.close();
  }
}

const inputTooLargeError = (shownAs: string): ClaimsError =>
  usageError("input_too_large", `${shownAs} is larger than ${MAX_INPUT_BYTES >> 20} MiB`, {
    hint: "name the file that was meant",
  });

const isFolderError = (path: string): ClaimsError =>
  usageError("is_a_directory", `${path} is a folder, not a file`, { hint: "name a file in it" });

const openStdin = (context: Context): Promise<InputFile> =>
  copyToTemporaryFile(context, requirePipedStdin(context, "pipe the file in, or give its path"), "stdin");

/**
 * What is piped in. Nobody types a file, an id or a secret into a command that does not ask for it.
 *
 * @param reader what reads stdin, as the message begins
 */
export function requirePipedStdin(
  { stdin }: Pick<Context, "stdin">,
  hint: string,
  reader = "- reads stdin",
): Readable {
  if (!stdin.isTerminal) return stdin.readable;
  throw usageError("stdin_is_a_terminal", `${reader}, and stdin is a terminal`, { hint });
}

const COPY_PREFIX = "claims-input-";

async function copyToTemporaryFile(context: Context, source: Readable, shownAs: string): Promise<InputFile> {
  const { processes, temporaryDirectory } = context;
  await removeLeftovers(temporaryDirectory, COPY_PREFIX, processes);
  const path = join(temporaryDirectory, `${ownedNamePrefix(COPY_PREFIX, processes)}${randomUUID()}.csv`);
  const close = () => rm(path, { force: true });
  try {
    await pipeline(source, createWriteStream(path, { flags: "wx", mode: 0o600 }), { signal: context.signal });
    const { size } = await stat(path);
    return {
      ...createInputFile(path, { name: `${basename(shownAs)}.csv`, displayName: shownAs, size }),
      close,
    };
  } catch (error) {
    await close();
    const { path: where, syscall } = error as NodeJS.ErrnoException;
    throw where === path || syscall === "write" ? toTemporaryFolderError(temporaryDirectory, error) : error;
  }
}

const createInputFile = (
  path: string,
  facts: Pick<InputFile, "name" | "displayName" | "size">,
): InputFile => ({
  ...facts,
  stream: () => createReadStream(path, { highWaterMark: READ_BUFFER_BYTES }),
  chunks: () => readChunks(path, facts.displayName),
  close: async () => {},
});

/** It may have gone, or changed its owner, since it was looked at. */
async function* readChunks(path: string, shownAs: string): AsyncGenerator<Uint8Array> {
  const wrapErrors = <T>(reading: Promise<T>) =>
    reading.catch((error: unknown) => Promise.reject(toReadError(shownAs, error)));
  const file = await wrapErrors(open(path));
  try {
    for (;;) {
      const { bytesRead, buffer } = await wrapErrors(
        file.read({ buffer: Buffer.allocUnsafe(READ_BUFFER_BYTES) }),
      );
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
