import { createHash } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";

/** The processes of the host, its own among them. */
export interface Processes {
  readonly pid: number;
  /** The user whose files it makes; null where the system has no such number. */
  readonly uid: number | null;
  readonly exists: (pid: number) => boolean;
}

/** The process that a folder of uploads belongs to, as the folder's name says it. */
export interface Owner {
  /** The pid namespace that numbers it: containers may share a temporary folder, and number their processes alike. */
  readonly namespace: string;
  readonly pid: number;
  /** Clock ticks since the boot: a pid is given to another process again. `0` where the system does not say it. */
  readonly startedAt: string;
}

const PREFIX = "claims-sandbox-";

/** How the names of its folders begin. */
export const folderPrefix = ({ namespace, pid, startedAt }: Owner): string =>
  `${PREFIX}${namespace}-${pid}-${startedAt}-`;

/** Null for a folder that is not of a sandbox. */
export function ownerOf(folderName: string): Owner | null {
  if (!folderName.startsWith(PREFIX)) return null;
  const [, namespace, pid, startedAt] =
    /^([\da-f]{12})-(\d{1,10})-(\d{1,20})-/.exec(folderName.slice(PREFIX.length)) ?? [];
  return namespace && startedAt ? { namespace, pid: Number(pid), startedAt } : null;
}

/** This process. */
export async function readOwner({ pid }: Processes): Promise<Owner> {
  try {
    const [boot, namespace, { startedAt }] = await Promise.all([
      // Every machine has the same number for its first namespace: a boot tells those of two machines apart.
      readFile("/proc/sys/kernel/random/boot_id", "latin1"),
      readlink("/proc/self/ns/pid"),
      readStat("self"),
    ]);
    return { namespace: digest(`${boot} ${namespace}`), pid, startedAt };
  } catch {
    return { namespace: digest(hostname()), pid, startedAt: "0" };
  }
}

/** Whether an owner of the same namespace is still running. In doubt it is. */
export async function isRunning({ pid, startedAt }: Owner, processes: Processes): Promise<boolean> {
  if (!processes.exists(pid)) return false;
  if (startedAt === "0") return true;
  try {
    // A /proc that was mounted outside numbers its processes as they are numbered there.
    if ((await readlink("/proc/self")) !== String(processes.pid)) return true;
    const stat = await readStat(String(pid));
    return stat.startedAt === startedAt && !stat.hasEnded;
  } catch {
    return true;
  }
}

/** proc(5): the name of a process may have spaces and brackets; behind it come the state and, as field 22, the start. */
async function readStat(pid: string): Promise<{ readonly startedAt: string; readonly hasEnded: boolean }> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1");
  const [, state = "", startedAt] = /^.*\) (\S)(?: \S+){18} (\d+)/s.exec(stat) ?? [];
  if (startedAt === undefined) throw new Error(`/proc/${pid}/stat has another form`);
  // One that nobody waits for stays in the list after its end.
  return { startedAt, hasEnded: "ZX".includes(state) };
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);
