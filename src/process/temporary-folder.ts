import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { formatProcess, type Processes, parseProcess } from "./identity.ts";

/** Milliseconds after which what may belong to a process of another container is left over, as for a cleaner of /tmp. */
const MAX_UNKNOWN_AGE_MS = 24 * 3_600_000;

/** The beginning of a name in the temporary folder that says whose it is. */
export const nameOfOwn = (prefix: string, { own }: Processes): string => `${prefix}${formatProcess(own)}-`;

/**
 * Makes a temporary folder for its owner alone (0700).
 *
 * @param prefix what it is for, as in `claims-exec-`; {@link removeLeftovers} finds it by that
 */
export const makeTemporaryFolder = (parent: string, prefix: string, processes: Processes): Promise<string> =>
  mkdtemp(join(parent, nameOfOwn(prefix, processes)));

/**
 * Removes what processes of this user that are dead have left under that prefix, files and folders. What cannot be removed
 * stays: it keeps nobody from starting.
 *
 * @param now milliseconds since the epoch
 */
export async function removeLeftovers(
  parent: string,
  prefix: string,
  processes: Processes,
  now: number,
): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  const leftBy = async (name: string): Promise<boolean> => {
    const owner = name.startsWith(prefix) ? parseProcess(name.slice(prefix.length)) : null;
    const status = owner ? processes.statusOf(owner) : "alive";
    if (status === "alive") return false;
    // Others may use the same folder, and give their files any name.
    const { uid, mtimeMs } = await lstat(join(parent, name));
    const isOurs = processes.userId === undefined || uid === processes.userId;
    return isOurs && (status === "dead" || now - mtimeMs > MAX_UNKNOWN_AGE_MS);
  };
  await Promise.all(
    names.map(async (name) => {
      if (await leftBy(name).catch(() => false)) {
        await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
      }
    }),
  );
}
