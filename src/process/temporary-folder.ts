import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { formatProcess, hasSameNamespace, type Processes, parseProcess } from "./identity.ts";

/** The beginning of a name in the temporary folder that says whose it is. */
export const ownedNamePrefix = (prefix: string, { own }: Processes): string =>
  `${prefix}${formatProcess(own)}-`;

/**
 * Makes a temporary folder for its owner alone (0700).
 *
 * @param prefix what it is for, as in `claims-exec-`; {@link removeLeftovers} finds it by that
 */
export const makeTemporaryFolder = (parent: string, prefix: string, processes: Processes): Promise<string> =>
  mkdtemp(join(parent, ownedNamePrefix(prefix, processes)));

/**
 * Removes the files and folders with that prefix whose owner was a process of this user and of this PID namespace and is
 * dead. Containers and machines may share a temporary folder: what may be theirs stays. What cannot be removed stays too,
 * because it must not prevent a start.
 */
export async function removeLeftovers(parent: string, prefix: string, processes: Processes): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  const isLeftover = async (name: string): Promise<boolean> => {
    const owner = name.startsWith(prefix) ? parseProcess(name.slice(prefix.length)) : null;
    if (!owner || !hasSameNamespace(owner, processes.own) || processes.statusOf(owner) !== "dead")
      return false;
    // Another user can create a file of any name in a shared folder.
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
