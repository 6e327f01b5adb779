import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { open, readdir, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ClaimsError } from "../domain/errors.ts";
import { fileProblem } from "./file-problem.ts";

type Content = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

interface Manner {
  /** Permission bits, e.g. 0o600 for anything that holds a secret; a file that is there keeps those it lacks. */
  readonly mode?: number;
  readonly signal?: AbortSignal;
}

/**
 * Writes a file whole or not at all: into a neighbour first, synced, then renamed over the target. A link stays one, and
 * what is no file but a device or a pipe is written to: renamed over, `/dev/null` would be gone for everybody.
 */
export async function writeWhole(path: string, content: Content, manner: Manner = {}): Promise<void> {
  const there = await stat(path).catch(() => null);
  if (there && !there.isFile() && !there.isDirectory()) return writeInto(path, content, manner);
  const { mode = 0o666, signal } = manner;
  return replace(await targetOf(path), content, {
    mode: mode & (there?.mode ?? 0o777),
    ...(signal && { signal }),
  });
}

/** Where a path leads, also a link to what is not there yet. */
async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const link = await readlink(path).catch(() => null);
    return link === null ? path : resolve(dirname(path), link);
  }
}

async function writeInto(path: string, content: Content, { signal }: Manner): Promise<void> {
  try {
    await pipeline(Readable.from(content), createWriteStream(path), { ...(signal && { signal }) });
  } catch (error) {
    throw asWriteFailure(error, path);
  }
}

async function replace(path: string, content: Content, { mode = 0o666, signal }: Manner): Promise<void> {
  const draft = join(dirname(path), `${draftsOf(path)}${randomUUID().slice(0, 8)}${DRAFT_END}`);
  try {
    await pipeline(Readable.from(content), createWriteStream(draft, { flags: "wx", mode }), {
      ...(signal && { signal }),
    });
    const handle = await open(draft, "r+");
    await handle.sync().finally(() => handle.close());
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw asWriteFailure(error, path);
  }
}

const draftsOf = (path: string): string => `.${basename(path)}.`;

const DRAFT_END = ".tmp";

/** Removes what a process that was killed has left of a file which nobody writes at this moment. */
export async function removeDrafts(given: string): Promise<void> {
  const path = await targetOf(given);
  const begin = draftsOf(path);
  const names = await readdir(dirname(path)).catch(() => []);
  const drafts = names.filter(
    (name) =>
      name.startsWith(begin) &&
      name.endsWith(DRAFT_END) &&
      /^[0-9a-f]{8}$/.test(name.slice(begin.length, -DRAFT_END.length)),
  );
  await Promise.all(drafts.map((name) => rm(join(dirname(path), name), { force: true })));
}

/** What kept a file from being written, where it was the file system; any other error as it is. */
function asWriteFailure(error: unknown, path: string): unknown {
  if (!(error as NodeJS.ErrnoException).syscall) return error;
  // The file itself need not be there.
  const isFolderMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
  const problem = isFolderMissing ? "its folder does not exist" : fileProblem(error);
  return new ClaimsError(
    "usage",
    "cannot_write",
    `cannot write ${path}: ${problem}; nothing was left behind`,
    {
      hint: isFolderMissing ? `make the folder ${dirname(path)}, or name another file` : "name another file",
      cause: error,
    },
  );
}
