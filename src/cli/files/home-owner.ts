import { constants } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Context } from "../context.ts";
import { recover } from "./file-errors.ts";
import { resolveFolder } from "./folders.ts";

/**
 * Gives the configuration and the state that root wrote in the HOME of a user, as with `sudo`, to that user: otherwise the
 * next command of the user cannot read them.
 *
 * @param since milliseconds since 1970; what did not change since then stays as it is
 * @returns a warning, if something could not be given
 */
export async function giveFilesToHomeOwner(context: Context, since: number): Promise<string | null> {
  const home = await findHomeOwner(context);
  if (home === null || home.uid === 0) return null;
  try {
    for (const folder of [resolveFolder(context, "config"), resolveFolder(context, "state")])
      for (const path of await listPaths(context.homeDirectory, folder)) await changeOwner(path, home, since);
    return null;
  } catch (error) {
    return `warning: files in ${context.homeDirectory} belong to root now: ${(error as Error).message}`;
  }
}

/** Null where there is no such folder. */
export const findHomeOwner = ({ homeDirectory }: Pick<Context, "homeDirectory">): Promise<Owner | null> =>
  stat(homeDirectory).catch(() => null);

/** The folder, what it contains, and the folders between it and HOME; none for a folder elsewhere. */
async function listPaths(home: string, folder: string): Promise<readonly string[]> {
  const path = relative(home, folder);
  if (path === "" || path.startsWith("..")) return [];
  const paths: string[] = [];
  for (let parent = dirname(folder); parent !== home; parent = dirname(parent)) paths.push(parent);
  const names = await readdir(folder, { recursive: true }).catch(() => null);
  if (names === null) return [];
  return [...paths, folder, ...names.map((name) => join(folder, name))];
}

/** The clock of a file system moves in steps. */
const CLOCK_TOLERANCE_MS = 1_000;

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The owner of HOME may replace a file by a link at any time: only what was opened without following one changes its owner. */
async function changeOwner(path: string, { uid, gid }: Owner, since: number): Promise<void> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  // Null for a link, and for what is gone.
  const handle = await recover(open(path, flags), null, "ELOOP", "ENOENT", "ENXIO");
  if (handle === null) return;
  try {
    const found = await handle.stat();
    // A second name of a file may be one of the system's.
    const isOwn = found.isDirectory() || (found.isFile() && found.nlink === 1);
    if (isOwn && found.uid === 0 && found.ctimeMs >= since - CLOCK_TOLERANCE_MS) await handle.chown(uid, gid);
  } finally {
    await handle.close();
  }
}
