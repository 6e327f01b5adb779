import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { formatProcess, hasSameNamespace, type Processes, parseProcess } from "./identity.ts";

/** Starts a name in the temporary folder with its owner. */
export const ownedNamePrefix = (prefix: string, { own }: Processes): string =>
  `${prefix}${formatProcess(own)}-`;

/**
 * Makes a temporary folder (0700).
 *
 * @param prefix its purpose, as in `claims-exec-`, for {@link removeLeftovers}
 */
export const makeTemporaryFolder = (parent: string, prefix: string, processes: Processes): Promise<string> =>
  mkdtemp(join(parent, ownedNamePrefix(prefix, processes)));

/**
 * Removes files and folders with this prefix whose owner, a process of this user and PID namespace, is dead. Containers and
 * machines may share a temporary folder, so other files stay. A failure must not prevent a start.
 */
export async function removeLeftovers(parent: string, prefix: string, processes: Processes): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  const isLeftover = async (name: string): Promise<boolean> => {
    const owner = name.startsWith(prefix) ? parseProcess(name.slice(prefix.length)) : null;
    if (!owner || !hasSameNamespace(owner, processes.own) || processes.statusOf(owner) !== "dead")
      return false;
    // In a shared folder, another user can create a file with any name.
    const { uid } = await lstat(join(parent, name));
    return processes.userId === undefined || uid === processes.userId;
  };
  await Promise.all(
    names.map(async (name) => {
      if (await isLeftover(name).catch(() => false)) {
        await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
      }
    }),
  );
}
