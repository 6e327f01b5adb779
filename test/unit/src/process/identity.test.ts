import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { build } from "esbuild";
import { describe, expect, it, onTestFinished } from "vitest";
import { formatProcess, localProcesses, parseProcess } from "../../../../src/process/identity.ts";
import { ROOT } from "../../../support/cli.ts";
import { skipWithoutUnshare, UNSHARE } from "../../../support/namespaces.ts";
import { identityOf } from "../../../support/processes.ts";

const processes = localProcesses(process, Date.now);

const onLinux = process.platform === "linux";

/** A process that sleeps until the test has ended. */
async function sleeping(...wrapper: readonly string[]) {
  const [command = "", ...args] = [...wrapper, "sleep", "60"];
  const child = spawn(command, args);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  return { child, pid: child.pid ?? 0 };
}

describe("the identity of a process", () => {
  it("survives being part of a file name", () => {
    const text = formatProcess(processes.own);
    expect(text).toMatch(/^[\w.-]+$/);
    expect(parseProcess(text)).toEqual(processes.own);
    expect(parseProcess(`${text}-x7Yz`)).toEqual(processes.own);
    expect(parseProcess("claims")).toBeNull();
    expect(parseProcess("12")).toBeNull();
  });

  it("is alive for the process itself", () => {
    expect(processes.own.pid).toBe(process.pid);
    expect(processes.statusOf(processes.own)).toBe("alive");
  });

  it.runIf(onLinux)("is alive until its process ends, also while its parent does not reap it", async () => {
    const { child, pid } = await sleeping();
    const identity = identityOf(pid);
    expect(processes.statusOf(identity)).toBe("alive");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(processes.statusOf(identity)).toBe("dead");
  });

  it.runIf(onLinux)("is dead when another process has its number", async () => {
    const { pid } = await sleeping();
    const { startTime, ...identity } = identityOf(pid);
    const [boot, ticks] = startTime.split(".");
    expect(processes.statusOf({ ...identity, startTime: `${boot}.${Number(ticks) - 1}` })).toBe("dead");
    expect(processes.statusOf({ ...identity, startTime: `00000000.${ticks}` })).toBe("dead");
    expect(processes.statusOf({ ...processes.own, startTime: `${boot}.1` })).toBe("dead");
  });

  it.runIf(onLinux)("is unknown where only a number that is in use was noted", () => {
    const noted = { pid: process.pid, startTime: "", pidNamespace: "" };
    expect(processes.statusOf(noted)).toBe("unknown");
    expect(processes.statusOf({ ...noted, pid: 2 ** 30 })).toBe("dead");
  });

  it("is seen from above its PID namespace, and unknown from below", async (test) => {
    skipWithoutUnshare(test);
    const { child, pid } = await sleeping(...UNSHARE);
    const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    await expect.poll(children, { timeout: 10_000 }).not.toBe("");
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

  it("is judged the same by a process that is PID 1", async (test) => {
    skipWithoutUnshare(test);
    const { outputFiles } = await build({
      stdin: {
        contents: `
          import { localProcesses } from "./src/process/identity.ts";
          const { own, statusOf } = localProcesses(process, Date.now);
          const others = ${JSON.stringify([processes.own, { ...processes.own, pid: 1 }])};
          process.stdout.write(JSON.stringify([own.pid, statusOf(own), ...others.map(statusOf)]));`,
        resolveDir: ROOT,
      },
      bundle: true,
      platform: "node",
      write: false,
    });
    const [command = "", ...args] = [...UNSHARE, process.execPath, "-e", outputFiles[0]?.text ?? ""];
    const output = execFileSync(command, args, { encoding: "utf8" });
    expect(JSON.parse(output)).toEqual([1, "alive", "unknown", "unknown"]);
  });
});

describe("without /proc", () => {
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
  const elsewhere = localProcesses(node, () => now);

  it("goes by the number, and by when the machine was started", () => {
    expect(elsewhere.own).toEqual({ pid: 50, startTime: `t${now - 2000}`, pidNamespace: "" });
    expect(parseProcess(formatProcess(elsewhere.own))).toEqual(elsewhere.own);
    const other = { ...elsewhere.own, pid: 51 };
    expect(elsewhere.statusOf(other)).toBe("alive");
    expect(elsewhere.statusOf({ ...other, pid: 52 })).toBe("alive");
    expect(elsewhere.statusOf({ ...other, pid: 53 })).toBe("dead");
    expect(elsewhere.statusOf({ ...other, startTime: "t1000000000000" })).toBe("dead");
  });

  it("is another process of its own number that has started before", () => {
    expect(elsewhere.statusOf({ ...elsewhere.own, startTime: `t${now - 5000}` })).toBe("dead");
  });

  it("cannot tell of a container's process", () => {
    expect(elsewhere.statusOf({ pid: 51, startTime: "1da52173.7", pidNamespace: "4026532178" })).toBe(
      "unknown",
    );
  });
});
