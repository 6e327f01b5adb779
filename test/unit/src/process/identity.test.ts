import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { formatProcess, localProcesses, parseProcess } from "../../../../src/process/identity.ts";
import { skipWithoutUnshare, UNSHARE } from "../../../support/namespaces.ts";
import { identityOf } from "../../../support/processes.ts";

const processes = localProcesses(process, Date.now);

const onLinux = process.platform === "linux";

/** A process that sleeps until the test has ended. */
async function startSleep(...wrapper: readonly string[]) {
  const [command = "", ...args] = [...wrapper, "sleep", "60"];
  const child = spawn(command, args);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  return { child, pid: child.pid ?? 0 };
}

describe("process identity", () => {
  it("can be parsed from a file name that contains it", () => {
    const text = formatProcess(processes.own);
    expect(text).toMatch(/^[\w.-]+$/);
    expect(parseProcess(text)).toEqual(processes.own);
    expect(parseProcess(`${text}-x7Yz`)).toEqual(processes.own);
    expect(parseProcess("claims")).toBeNull();
    expect(parseProcess("12")).toBeNull();
  });

  it.runIf(onLinux)("is alive until its process ends, and dead afterwards", async () => {
    const { child, pid } = await startSleep();
    const identity = identityOf(pid);
    expect(processes.statusOf(identity)).toBe("alive");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(processes.statusOf(identity)).toBe("dead");
  });

  it.runIf(onLinux)("is dead when another process has its PID", async () => {
    const { pid } = await startSleep();
    const { startTime, ...identity } = identityOf(pid);
    const [boot, ticks] = startTime.split(".");
    expect(processes.statusOf({ ...identity, startTime: `${boot}.${Number(ticks) - 1}` })).toBe("dead");
    expect(processes.statusOf({ ...identity, startTime: `00000000.${ticks}` })).toBe("unknown");
    expect(processes.statusOf({ ...processes.own, startTime: `${boot}.1` })).toBe("dead");
  });

  it.runIf(onLinux)("is unknown when only the PID was recorded and that PID is in use", () => {
    const recorded = { pid: process.pid, startTime: "", pidNamespace: "" };
    expect(processes.statusOf(recorded)).toBe("unknown");
    expect(processes.statusOf({ ...recorded, pid: 2 ** 30 })).toBe("dead");
  });

  it("is alive for a process of a child PID namespace until it ends", async (test) => {
    skipWithoutUnshare(test);
    const { child, pid } = await startSleep(...UNSHARE);
    const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    await expect.poll(children).not.toBe("");
    const inner = Number(children());
    const identity = { ...identityOf(inner), pid: 1 };
    expect(identity.pidNamespace).not.toBe(processes.own.pidNamespace);
    expect(processes.statusOf(identity)).toBe("alive");
    expect(processes.statusOf({ ...identity, pid: 2 })).not.toBe("alive");

    const ended = once(child, "exit");
    process.kill(inner, "SIGKILL");
    await ended;
    expect(processes.statusOf(identity)).not.toBe("alive");
  });
});

describe("process identity without /proc", () => {
  const node = {
    platform: "darwin" as const,
    pid: 50,
    kill: (pid: number) => {
      if (pid === 50 || pid === 51) return true as const;
      throw Object.assign(new Error("no such process"), { code: pid === 52 ? "EPERM" : "ESRCH" });
    },
    uptime: () => 2,
    geteuid: () => 501,
  };
  const now = Date.now();
  const withoutProc = localProcesses(node, () => now);

  it("consists of the PID and the start time of the machine", () => {
    expect(withoutProc.own).toEqual({ pid: 50, startTime: `t${now - 2000}`, pidNamespace: "" });
    expect(parseProcess(formatProcess(withoutProc.own))).toEqual(withoutProc.own);
    const other = { ...withoutProc.own, pid: 51 };
    expect(withoutProc.statusOf(other)).toBe("alive");
    expect(withoutProc.statusOf({ ...other, pid: 52 })).toBe("alive");
    expect(withoutProc.statusOf({ ...other, pid: 53 })).toBe("dead");
    expect(withoutProc.statusOf({ ...other, startTime: "t1000000000000" })).toBe("dead");
  });

  it("is dead when the own PID belongs to an earlier boot", () => {
    expect(withoutProc.statusOf({ ...withoutProc.own, startTime: `t${now - 5000}` })).toBe("dead");
  });

  it("is unknown for a process of a container", () => {
    expect(withoutProc.statusOf({ pid: 51, startTime: "1da52173.7", pidNamespace: "4026532178" })).toBe(
      "unknown",
    );
  });
});
