import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { open, readdir, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { usageError } from "../../domain/errors.ts";
import { describeFileError } from "./file-errors.ts";

type FileContent = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

interface WriteOptions {
  /** Permission bits, e.g. 0o600 for anything that holds a secret; a file that is there keeps those it lacks. */
  readonly mode?: number;
  readonly signal?: AbortSignal;
}

/**
 * Writes a file whole or not at all: into a neighbour first, synced, then renamed over the target. A link stays one, and
 * what is no file but a device or a pipe is written to: renamed over, `/dev/null` would be gone for everybody.
 */
export async function writeFileAtomically(
  path: string,
  content: FileContent,
  manner: WriteOptions = {},
): Promise<void> {
  const existing = await stat(path).catch(() => null);
  if (existing && !existing.isFile() && !existing.isDirectory()) return writeToDevice(path, content, manner);
  const { mode = 0o666, signal } = manner;
  return replaceFile(await resolveTarget(path), content, {
    mode: mode & (existing?.mode ?? 0o777),
    ...(signal && { signal }),
  });
}

/** Where a path leads, also a link to what is not there yet. */
async function resolveTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const link = await readlink(path).catch(() => null);
    return link === null ? path : resolve(dirname(path), link);
  }
}

async function writeToDevice(path: string, content: FileContent, { signal }: WriteOptions): Promise<void> {
  try {
    await pipeline(Readable.from(content), createWriteStream(path), { ...(signal && { signal }) });
  } catch (error) {
    throw toWriteError(error, path);
  }
}

async function replaceFile(
  path: string,
  content: FileContent,
  { mode = 0o666, signal }: WriteOptions,
): Promise<void> {
  const draft = join(dirname(path), `${draftPrefix(path)}${randomUUID().slice(0, 8)}${DRAFT_SUFFIX}`);
  try {
    await pipeline(Readable.from(content), createWriteStream(draft, { flags: "wx", mode }), {
      ...(signal && { signal }),
    });
    const handle = await open(draft, "r+");
    await handle.sync().finally(() => handle.close());
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw toWriteError(error, path);
  }
}

const draftPrefix = (path: string): string => `.${basename(path)}.`;

const DRAFT_SUFFIX = ".tmp";

/** Removes what a process that was killed has left of a file which nobody writes at this moment. */
export async function removeDrafts(given: string): Promise<void> {
  const path = await resolveTarget(given);
  const begin = draftPrefix(path);
  const names = await readdir(dirname(path)).catch(() => []);
  const drafts = names.filter(
    (name) =>
      name.startsWith(begin) &&
      name.endsWith(DRAFT_SUFFIX) &&
      /^[0-9a-f]{8}$/.test(name.slice(begin.length, -DRAFT_SUFFIX.length)),
  );
  await Promise.all(drafts.map((name) => rm(join(dirname(path), name), { force: true })));
}

/** What kept a file from being written, where it was the file system; any other error as it is. */
function toWriteError(error: unknown, path: string): unknown {
  if (!(error as NodeJS.ErrnoException).syscall) return error;
  // The file itself need not be there.
  const isFolderMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
  const problem = isFolderMissing ? "its folder does not exist" : describeFileError(error);
  return usageError("cannot_write", `cannot write ${path}: ${problem}; nothing was left behind`, {
    hint: isFolderMissing ? `make the folder ${dirname(path)}, or name another file` : "name another file",
    cause: error,
  });
}
