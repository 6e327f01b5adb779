import { readFileSync, readlinkSync } from "node:fs";
import { localProcesses, type ProcessIdentity } from "../../src/process/identity.ts";

/** The process that runs the tests. */
export const TEST_PROCESS: ProcessIdentity = localProcesses(process, Date.now).own;

/** The identity of a process on this machine, equal to the one that it records itself; Linux only. */
export function identityOf(pid: number): ProcessIdentity {
  const [, ticks = ""] = /\) (?:\S+ ){19}(\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1")) ?? [];
  return {
    pid,
    startTime: TEST_PROCESS.startTime.replace(/\d+$/, ticks),
    pidNamespace: /\d+/.exec(readlinkSync(`/proc/${pid}/ns/pid`))?.[0] ?? "",
  };
}

/** Whether a process is running. A zombie is not, although its new parent may never reap it. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}
