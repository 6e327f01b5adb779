import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { access, constants, open, readdir, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { cannotWriteError, describeNewFileError, hasErrorCode } from "./file-errors.ts";

export type Chunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

interface WriteOptions {
  /** Permission bits, 0o600 for a secret. An existing file keeps the bits that it lacks. */
  readonly mode?: number;
  readonly signal?: AbortSignal;
}

/**
 * Writes the file complete or not at all: a draft is synced and renamed. A device or a pipe is written directly, because
 * a rename would replace `/dev/null`.
 */
export async function writeFileAtomically(
  path: string,
  content: Chunks,
  { mode = 0o666, signal }: WriteOptions = {},
): Promise<void> {
  const { existing, isSpecial, target } = await locate(path);
  const draft = `${draftPrefix(target)}${randomUUID().slice(0, 8)}${DRAFT_SUFFIX}`;
  const stream = isSpecial
    ? createWriteStream(path)
    : createWriteStream(draft, { flags: "wx", mode: mode & (existing?.mode ?? 0o777) });
  try {
    await pipeline(Readable.from(content), stream, { ...(signal && { signal }) });
    if (isSpecial) return;
    const handle = await open(draft, "r+");
    await handle.sync().finally(() => handle.close());
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw (error as NodeJS.ErrnoException).syscall ? toWriteError(error, target) : error;
  }
}

/** Whether a file can be written here, before work whose result it gets. @throws ClaimsError `cannot_write` */
export async function requireWritable(path: string): Promise<void> {
  const { existing, isSpecial, target } = await locate(path);
  try {
    await access(isSpecial ? target : dirname(target), constants.W_OK);
    if (existing?.isDirectory()) throw Object.assign(new Error("a folder"), { code: "EISDIR" });
  } catch (cause) {
    throw toWriteError(cause, target);
  }
}

async function locate(path: string) {
  const existing = await stat(path).catch(() => null);
  const isSpecial = existing !== null && !existing.isFile() && !existing.isDirectory();
  return { existing, isSpecial, target: isSpecial ? path : await resolveTarget(path) };
}

/** The file that a path names, also through a link to a missing file. */
export async function resolveTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const link = await readlink(path).catch(() => null);
    return link === null ? path : resolve(dirname(path), link);
  }
}

const draftPrefix = (path: string): string => join(dirname(path), `.${basename(path)}.`);

const DRAFT_SUFFIX = ".tmp";

export async function removeDrafts(path: string): Promise<void> {
  const target = await resolveTarget(path);
  const folder = dirname(target);
  const prefix = draftPrefix(target);
  const paths = (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
  const isDraft = (draft: string) =>
    draft.startsWith(prefix) && /^[0-9a-f]{8}\.tmp$/.test(draft.slice(prefix.length));
  await Promise.all(paths.filter(isDraft).map((draft) => rm(draft, { force: true })));
}

const toWriteError = (cause: unknown, path: string) =>
  cannotWriteError(`cannot write ${path}: ${describeNewFileError(cause)}; nothing was left behind`, {
    hint: hasErrorCode(cause, "ENOENT")
      ? `create the folder ${dirname(path)}, or name another file`
      : "name another file",
    cause,
  });
