import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ClaimsError, usageError } from "../../domain/errors.ts";
import { formatProcess, parseProcess } from "../../process/identity.ts";
import type { Context } from "../context.ts";
import { describeFileError } from "./file-errors.ts";

type LockContext = Pick<Context, "processes" | "now" | "sleep" | "random" | "signal">;

/** Milliseconds. */
const LOCK_TIMEOUT_MS = 10_000;

/** Milliseconds for which a lock may belong to nobody. */
const RELEASE_GRACE_MS = 1_000;

/** Does work that only one process at a time may do to a file, under the lock of {@link acquireLock}. */
export async function withLock<T>(world: LockContext, path: string, work: () => Promise<T>): Promise<T> {
  const release = await acquireLock(world, path, LOCK_TIMEOUT_MS);
  try {
    return await work();
  } finally {
    await release();
  }
}

/**
 * Takes a file for this process alone; resolves to what gives it back. The lock is a folder beside it, `FILE.lock`, with
 * one entry that is named after its owner: pid, start time and PID namespace. Both ways of taking it are renames, so that exactly one process succeeds: of
 * a folder that holds the owner's entry to the lock's name, and of a dead owner's entry to one's own.
 *
 * @param path the file; its folder must exist
 * @param wait milliseconds to wait for another process; 0 fails at once
 * @throws ClaimsError `locked`, naming the owner's pid; `cannot_lock` where the folder cannot be written
 */
export async function acquireLock(
  world: LockContext,
  path: string,
  wait: number,
): Promise<() => Promise<void>> {
  const lock = `${path}.lock`;
  const entry = `${formatProcess(world.processes.own)}-${randomUUID().slice(0, 8)}`;
  await waitForLock(world, { lock, entry, path, wait });
  return async () => {
    await rm(join(lock, entry), { force: true });
    await removeIfEmpty(lock);
  };
}

interface LockRequest {
  readonly lock: string;
  readonly entry: string;
  readonly path: string;
  readonly wait: number;
}

async function waitForLock(world: LockContext, { lock, entry, path, wait }: LockRequest): Promise<void> {
  const deadline = world.now() + wait;
  try {
    for (;;) {
      const owner = await readOwner(lock);
      if (await (owner === null ? tryAcquire(lock, entry) : tryTakeOver(world, lock, owner, entry))) return;
      if (world.now() >= deadline + (owner === null ? RELEASE_GRACE_MS : 0))
        throw lockedError(path, lock, owner);
      await world.sleep(5 + 20 * world.random(), world.signal);
    }
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).syscall) throw error;
    const isHomeless = hasCode(error, "ENOENT");
    const why = isHomeless ? "its folder does not exist" : describeFileError(error);
    throw usageError("cannot_lock", `cannot lock ${path}: ${why}`, {
      hint: isHomeless
        ? `make the folder ${dirname(path)}, or name another file`
        : "make its folder writable",
      cause: error,
    });
  }
}

/** A folder that is renamed to the name of another succeeds only where that one is not there, or is empty. */
async function tryAcquire(lock: string, entry: string): Promise<boolean> {
  const draft = `${lock}-${entry}`;
  await mkdir(draft, { mode: 0o700 });
  try {
    await writeFile(join(draft, entry), "", { flag: "wx" });
    await rename(draft, lock);
    return true;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!hasCode(error, "ENOTEMPTY", "EEXIST", "EPERM")) throw error;
    // Windows renames onto no folder at all, and one that is empty belongs to nobody.
    await removeIfEmpty(lock);
    return false;
  }
}

/** The entry of whoever holds it; null while it is being released. */
async function readOwner(lock: string): Promise<string | null> {
  try {
    return (await readdir(lock))[0] ?? null;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

async function tryTakeOver(world: LockContext, lock: string, owner: string, entry: string): Promise<boolean> {
  if (!isAbandoned(world, owner)) return false;
  try {
    await rename(join(lock, owner), join(lock, entry));
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}

async function removeIfEmpty(lock: string): Promise<void> {
  try {
    await rmdir(lock);
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOTEMPTY", "EEXIST")) throw error;
  }
}

/**
 * Whether nobody holds it any more, as far as can be seen: a container's processes are not seen from the next one, and
 * what one of them has left when it was killed must not block that.
 */
function isAbandoned({ processes }: LockContext, owner: string): boolean {
  const holder = parseProcess(owner);
  return holder === null || processes.statusOf(holder) !== "alive";
}

const pidOf = (owner: string): number | undefined => parseProcess(owner)?.pid;

const lockedError = (path: string, lock: string, owner: string | null): ClaimsError =>
  usageError(
    "locked",
    `${path} is in use by another command${owner === null ? "" : ` (pid ${pidOf(owner)})`}`,
    {
      hint: `run this again when that one has ended; if it is no claims command, remove ${lock}`,
      retryable: true,
    },
  );

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? "");
