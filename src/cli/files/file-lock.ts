import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ClaimsError, usageError } from "../../domain/errors.ts";
import { formatProcess, parseProcess } from "../../process/identity.ts";
import type { Context } from "../context.ts";
import { describeNewFileError, hasErrorCode, recover } from "./file-errors.ts";

type LockContext = Pick<Context, "processes" | "now" | "sleep" | "random" | "signal">;

const LOCK_TIMEOUT_MS = 10_000;

/** How long a lock may have no owner while it is released. */
const RELEASE_GRACE_MS = 1_000;

export async function withLock<T>(context: LockContext, path: string, work: () => Promise<T>): Promise<T> {
  const release = await acquireLock(context, path, LOCK_TIMEOUT_MS);
  try {
    return await work();
  } finally {
    await release();
  }
}

/**
 * Locks a file for this process, and resolves to the release. The lock is a folder `FILE.lock` with one entry, which is
 * named after its owner: pid, start time and PID namespace. A process acquires it by a rename, so that only one succeeds:
 * of its own folder to the lock's name, or of a dead owner's entry to its own.
 *
 * @param path its folder must exist
 * @param waitMs for another process; 0 fails at once
 * @throws ClaimsError `locked` with the pid of the owner; `cannot_lock` if the folder cannot be written
 */
export async function acquireLock(
  context: LockContext,
  path: string,
  waitMs: number,
): Promise<() => Promise<void>> {
  const lock = `${path}.lock`;
  const entry = `${formatProcess(context.processes.own)}-${randomUUID().slice(0, 8)}`;
  const deadline = context.now() + waitMs;
  try {
    for (;;) {
      const owner = await readOwner(lock);
      if (await (owner === null ? tryAcquire(lock, entry) : tryTakeOver(context, lock, owner, entry))) break;
      if (context.now() >= deadline + (owner === null ? RELEASE_GRACE_MS : 0))
        throw lockedError(path, lock, owner);
      await context.sleep(5 + 20 * context.random(), context.signal);
    }
  } catch (cause) {
    if (!(cause as NodeJS.ErrnoException).syscall) throw cause;
    throw usageError("cannot_lock", `cannot lock ${path}: ${describeNewFileError(cause)}`, {
      hint: hasErrorCode(cause, "ENOENT")
        ? `create the folder ${dirname(path)}, or name another file`
        : "make its folder writable",
      cause,
    });
  }
  return async () => {
    await rm(join(lock, entry), { force: true });
    await removeIfEmpty(lock);
  };
}

/** A folder can be renamed to the name of another folder only if that one is missing or empty. */
async function tryAcquire(lock: string, entry: string): Promise<boolean> {
  const draft = `${lock}-${entry}`;
  await mkdir(draft, { mode: 0o700 });
  try {
    await writeFile(join(draft, entry), "", { flag: "wx" });
    await rename(draft, lock);
    return true;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!hasErrorCode(error, "ENOTEMPTY", "EEXIST", "EPERM")) throw error;
    // Windows does not rename onto a folder, and an empty one has no owner.
    await removeIfEmpty(lock);
    return false;
  }
}

/** Null while the lock is released. */
const readOwner = async (lock: string): Promise<string | null> =>
  (await recover(readdir(lock), [], "ENOENT"))[0] ?? null;

/** A process in another container cannot be seen. It does not block the lock, since it may have been killed. */
async function tryTakeOver(
  { processes }: LockContext,
  lock: string,
  owner: string,
  entry: string,
): Promise<boolean> {
  const holder = parseProcess(owner);
  if (holder !== null && processes.statusOf(holder) === "alive") return false;
  const renamed = rename(join(lock, owner), join(lock, entry));
  return recover(
    renamed.then(() => true),
    false,
    "ENOENT",
  );
}

const removeIfEmpty = (lock: string): Promise<void> =>
  recover(rmdir(lock), undefined, "ENOENT", "ENOTEMPTY", "EEXIST");

const lockedError = (path: string, lock: string, owner: string | null): ClaimsError => {
  const holder = owner === null ? "" : ` (pid ${parseProcess(owner)?.pid})`;
  return usageError("locked", `${path} is in use by another command${holder}`, {
    hint: `try again when it has ended; if no claims command is running, remove ${lock}`,
    retryable: true,
  });
};
