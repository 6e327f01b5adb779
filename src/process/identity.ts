import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { uptime } from "node:os";

/** Identifies a process, also after another one got its pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /**
   * On Linux the boot id and the clock ticks from the boot to the start (field 22 of proc(5)), as in `1da52173.27726`,
   * which do not depend on the clock. Elsewhere `t` and the milliseconds since the epoch. Empty if unknown.
   */
  readonly startTime: string;
  /** The namespace of the pid (pid_namespaces(7)); empty on a platform without them. */
  readonly pidNamespace: string;
}

/** `unknown`: it may run where this process cannot see it, for example in another container. */
export type ProcessStatus = "alive" | "dead" | "unknown";

export interface Processes {
  readonly own: ProcessIdentity;
  /** Effective user id; undefined on a platform without them. */
  readonly userId: number | undefined;
  statusOf(identity: ProcessIdentity): ProcessStatus;
}

type NodeProcess = Pick<NodeJS.Process, "pid" | "platform" | "kill" | "uptime" | "geteuid">;

/** @param now milliseconds since the epoch */
export function localProcesses(node: NodeProcess, now: () => number): Processes {
  const linux = node.platform === "linux" ? linuxView(node.pid) : null;
  const startedAt = Math.round(now() - node.uptime() * 1000);
  const own: ProcessIdentity = {
    pid: node.pid,
    startTime: linux?.startTimeOf(node.pid)?.startTime ?? `t${startedAt}`,
    pidNamespace: linux?.pidNamespace ?? "",
  };
  return {
    own,
    userId: node.geteuid?.(),
    statusOf(identity) {
      if (isSameProcess(identity, own)) return "alive";
      if (linux) return linuxStatus(linux, identity, node);
      // A pid of another namespace means nothing here, and this process does not know its own namespace.
      if (node.platform === "linux") return "unknown";
      const begun = /^t(\d+)$/.exec(identity.startTime)?.[1];
      if (!processExists(node, identity.pid)) return identity.pidNamespace === "" ? "dead" : "unknown";
      if (begun === undefined) return "unknown";
      // Another process started after the machine did; more is not known.
      const oldest = identity.pid === own.pid ? startedAt : now() - uptime() * 1000;
      return Number(begun) < oldest - TOLERANCE_MS ? "dead" : "alive";
    },
  };
}

export const isSameProcess = (one: ProcessIdentity, other: ProcessIdentity): boolean =>
  one.pid === other.pid && one.startTime === other.startTime && one.pidNamespace === other.pidNamespace;

const bootOf = ({ startTime }: ProcessIdentity): string => /^([0-9a-f]+)\.\d+$/.exec(startTime)?.[1] ?? "";

/** Whether both pids are of one PID namespace and one boot. */
export const hasSameNamespace = (one: ProcessIdentity, other: ProcessIdentity): boolean =>
  one.pidNamespace === other.pidNamespace && bootOf(one) === bootOf(other);

/** For a part of a file name. */
export const formatProcess = ({ pid, startTime, pidNamespace }: ProcessIdentity): string =>
  `${pid}-${startTime}-${pidNamespace}`;

/** Reads a text that starts with the result of {@link formatProcess}; null for other texts. */
export function parseProcess(text: string): ProcessIdentity | null {
  const [, pid, startTime = "", pidNamespace = ""] = /^(\d+)-([\w.]*)-(\d*)(?!\w)/.exec(text) ?? [];
  return pid === undefined ? null : { pid: Number(pid), startTime, pidNamespace };
}

/** The uptime is a number of seconds. */
const TOLERANCE_MS = 2_000;

function processExists({ kill }: Pick<NodeProcess, "kill">, pid: number): boolean {
  try {
    return kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The initial namespace sees the processes of all others (PROC_PID_INIT_INO of the kernel). */
const INITIAL_NAMESPACE = "4026531836";

/** Reads /proc, if it belongs to the namespace of this process. */
interface LinuxView {
  readonly boot: string;
  readonly pidNamespace: string;
  /** Null for a missing or hidden process. */
  startTimeOf(pid: number | string): { readonly startTime: string; readonly isZombie: boolean } | null;
}

/** Null if /proc is missing, or belongs to another namespace (`unshare --pid` without `--mount-proc`). */
function linuxView(ownPid: number): LinuxView | null {
  try {
    if (readlinkSync("/proc/self") !== String(ownPid)) return null;
    const [pidNamespace = ""] = /\d+/.exec(readlinkSync("/proc/self/ns/pid")) ?? [];
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 8);
    return { boot, pidNamespace, startTimeOf: (pid) => startTimeOf(pid, boot) };
  } catch {
    return null;
  }
}

function startTimeOf(pid: number | string, boot: string): ReturnType<LinuxView["startTimeOf"]> {
  try {
    // The name, in parentheses, may contain any characters.
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [, state, ticks] = /\) (\S)(?: \S+){18} (\d+)[^)]*$/.exec(stat) ?? [];
    // A zombie has ended. In a container whose first process does not wait for orphans, it stays for ever.
    return ticks === undefined ? null : { startTime: `${boot}.${ticks}`, isZombie: state === "Z" };
  } catch {
    return null;
  }
}

function linuxStatus(view: LinuxView, identity: ProcessIdentity, node: NodeProcess): ProcessStatus {
  const { pid, startTime, pidNamespace } = identity;
  const boot = bootOf(identity);
  if (boot === "") return startTime !== "" || processExists(node, pid) ? "unknown" : "dead";
  // Of an earlier boot, or of another machine with the same folder.
  if (boot !== view.boot) return "unknown";
  if (pidNamespace !== view.pidNamespace) return statusInOtherNamespace(view, identity);
  const seen = view.startTimeOf(pid);
  if (seen) return seen.startTime === startTime && !seen.isZombie ? "alive" : "dead";
  return processExists(node, pid) ? "unknown" : "dead";
}

/** A namespace sees processes of nested namespaces under its own pids; the last one in `NSpid` is the innermost pid. */
function statusInOtherNamespace(view: LinuxView, { pid, startTime }: ProcessIdentity): ProcessStatus {
  const numbers = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const isSeen = numbers.some((number) => {
    const seen = view.startTimeOf(number);
    return seen?.startTime === startTime && !seen.isZombie && innermostPid(number) === pid;
  });
  if (isSeen) return "alive";
  return view.pidNamespace === INITIAL_NAMESPACE ? "dead" : "unknown";
}

function innermostPid(number: string): number | null {
  try {
    const [, innermost] =
      /^NSpid:\s+\d.*\s(\d+)$/m.exec(readFileSync(`/proc/${number}/status`, "latin1")) ?? [];
    return innermost === undefined ? null : Number(innermost);
  } catch {
    return null;
  }
}
