import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readMonotonic } from "../../client/runtime.ts";
import { type ClaimsError, unreachableError, usageError } from "../../domain/errors.ts";
import { formatProcess, parseProcess } from "../../process/identity.ts";
import type { Context } from "../context.ts";
import { describeNewFileError, hasErrorCode, recover } from "./file-errors.ts";

type LockContext = Pick<Context, "processes" | "now" | "monotonic" | "sleep" | "random" | "signal">;

export interface LockTimers {
  /** How long another process may keep the lock. 0 fails at once. */
  readonly waitMs: number;
  /** How long an owner that cannot be seen may keep it: longer than `staleMs`. */
  readonly waitUnseenMs: number;
  /** After how long without a touch such an owner counts as ended. */
  readonly staleMs: number;
  readonly touchMs: number;
}

const DEFAULT_TIMERS: LockTimers = { waitMs: 10_000, waitUnseenMs: 40_000, staleMs: 30_000, touchMs: 5_000 };

/** How long a lock may have no owner while it is released. */
const RELEASE_GRACE_MS = 1_000;

export interface Lock {
  /** @throws ClaimsError `locked` if another process took the lock over, because this one was suspended */
  requireHeld(): Promise<void>;
  release(): Promise<void>;
}

export async function withLock<T>(context: LockContext, path: string, work: (lock: Lock) => Promise<T>) {
  const lock = await acquireLock(context, path);
  try {
    return await work(lock);
  } finally {
    await lock.release();
  }
}

/**
 * Locks a file for this process. The lock is a folder `FILE.lock` with one entry, which is named after its owner: pid, start
 * time and PID namespace. A process acquires it by a rename of its own folder to the lock's name, which succeeds only if that
 * one is missing or empty. The entry of a dead owner is removed first.
 * An owner in another container or on another machine cannot be seen. It touches its entry, and holds the lock as long as the
 * entry is fresh. The age of the entry is measured with a file that the waiter writes next to it: the clocks of the machines
 * may differ, that of the file system is one.
 * @param path its folder must exist
 * @throws ClaimsError `locked` with the pid of the owner; `cannot_lock` if the folder cannot be written
 */
export async function acquireLock(
  context: LockContext,
  path: string,
  timers: Partial<LockTimers> = {},
): Promise<Lock> {
  const { waitMs, waitUnseenMs, staleMs, touchMs } = { ...DEFAULT_TIMERS, ...timers };
  const { processes, random, signal } = context;
  const folder = `${path}.lock`;
  const entry = `${formatProcess(processes.own)}-${randomUUID().slice(0, 8)}`;
  const startedAt = readMonotonic(context);
  try {
    for (;;) {
      const owner = await readOwner(folder);
      const status = owner === null ? "dead" : statusOf(context, owner);
      if (status !== "alive" && (await tryAcquire(folder, entry, owner, status === "dead" ? 0 : staleMs)))
        break;
      const limitMs = { alive: waitMs, dead: waitMs + RELEASE_GRACE_MS, unknown: waitUnseenMs }[status];
      if (readMonotonic(context) - startedAt >= limitMs) throw lockedError(path, folder, owner);
      const pauseMs = status === "unknown" ? touchMs / 10 : 5;
      await context.sleep(pauseMs * (1 + 4 * random()), signal);
    }
  } catch (cause) {
    if (!(cause as NodeJS.ErrnoException).syscall) throw cause;
    const createError = hasErrorCode(cause, "ENOENT", "ENOTDIR") ? usageError : unreachableError;
    throw createError("cannot_lock", `cannot lock ${path}: ${describeNewFileError(cause)}`, {
      hint: hintFor(cause, path),
      cause,
    });
  }
  const ended = new AbortController();
  const held = join(folder, entry);
  void touchUntil(context, held, touchMs, ended.signal);
  return {
    async requireHeld() {
      if (await stat(held).catch(() => null)) return;
      // A folder that was moved away took its lock along, and the write fails.
      if (!(await stat(dirname(path)).catch(() => null))) return;
      const message = `${path} was taken over by another command; nothing more was written`;
      throw unreachableError("locked", message, {
        hint: "this process was suspended for too long; run the command again when the other one has ended",
      });
    },
    async release() {
      ended.abort();
      await rm(held, { force: true });
      await removeIfEmpty(folder);
    },
  };
}

const statusOf = ({ processes }: LockContext, owner: string) => {
  const holder = parseProcess(owner);
  return holder === null ? "dead" : processes.statusOf(holder);
};

/** Writes into the entry, because the time of a write is that of the file system. Never creates it again. */
async function touchUntil({ sleep }: LockContext, entry: string, touchMs: number, signal: AbortSignal) {
  try {
    for (;;) {
      await sleep(touchMs, signal);
      await writeFile(entry, ".", { flag: "r+" });
    }
  } catch {
    // Released, or taken over.
  }
}

/** @param staleMs the age at which the entry of the owner is removed */
async function tryAcquire(folder: string, entry: string, owner: string | null, staleMs: number) {
  const draft = `${folder}-${entry}`;
  await mkdir(draft, { mode: 0o700 });
  try {
    const own = join(draft, entry);
    await writeFile(own, ".", { flag: "wx" });
    if (owner !== null) {
      const [now, touched] = await Promise.all([stat(own), stat(join(folder, owner))]);
      if (now.mtimeMs - touched.mtimeMs < staleMs) throw Object.assign(new Error("held"), { code: "EEXIST" });
      await rm(join(folder, owner), { force: true });
    }
    await rename(draft, folder);
    return true;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // ENOENT: the owner has released the lock in the meantime.
    const isLost =
      hasErrorCode(error, "ENOTEMPTY", "EEXIST", "EPERM") || (owner && hasErrorCode(error, "ENOENT"));
    if (!isLost) throw error;
    // Windows does not rename onto a folder, and an empty one has no owner.
    await removeIfEmpty(folder);
    return false;
  }
}

/** Null while the lock is released. */
const readOwner = async (folder: string): Promise<string | null> =>
  (await recover(readdir(folder), [], "ENOENT"))[0] ?? null;

const removeIfEmpty = (folder: string): Promise<void> =>
  recover(rmdir(folder), undefined, "ENOENT", "ENOTEMPTY", "EEXIST");

const hintFor = (cause: unknown, path: string): string => {
  if (hasErrorCode(cause, "ENOSPC")) return "make room on the disk";
  return hasErrorCode(cause, "ENOENT")
    ? `create the folder ${dirname(path)}, or name another file`
    : "make its folder writable";
};

const lockedError = (path: string, folder: string, owner: string | null): ClaimsError => {
  const holder = owner === null ? "" : ` (pid ${parseProcess(owner)?.pid})`;
  return unreachableError("locked", `${path} is in use by another command${holder}`, {
    hint: `try again when it has ended; if no claims command is running, remove ${folder}`,
    retryable: true,
  });
};
