import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { acquireLock, withLock } from "../../../../../src/cli/files/file-lock.ts";
import { formatProcess, localProcesses, type Processes } from "../../../../../src/process/identity.ts";
import { temporaryFolder } from "../../../../support/cli.ts";
import { identityOf, TEST_PROCESS } from "../../../../support/processes.ts";
import { createTerminalContext } from "../../../../support/terminal.ts";

/** No process has this PID: the maximum is 2^22 on Linux, and less on other systems. */
const DEAD = 2 ** 30;

const processes: Processes = {
  ...localProcesses(process, Date.now),
  statusOf: ({ pid, startTime }) => (pid === DEAD || startTime === "b.1" ? "dead" : "alive"),
};

const createLockedFile = (owner: string): string => {
  const path = join(temporaryFolder(), "file");
  mkdirSync(`${path}.lock`);
  writeFileSync(join(`${path}.lock`, owner), "");
  return path;
};

describe("a file lock", () => {
  it("allows one owner at a time, and leaves no file", async () => {
    const path = join(temporaryFolder(), "file");
    const { context } = createTerminalContext();
    const counts = { inside: 0, most: 0, done: 0 };
    const work = async () => {
      counts.most = Math.max(counts.most, ++counts.inside);
      await context.sleep(2);
      counts.inside -= 1;
      return ++counts.done;
    };
    await Promise.all(Array.from({ length: 8 }, () => withLock(context, path, work)));
    expect(counts).toEqual({ inside: 0, most: 1, done: 8 });
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  it("is released after an error", async () => {
    const path = join(temporaryFolder(), "file");
    const { context } = createTerminalContext();
    const failing = withLock(context, path, () => Promise.reject(new Error("task failed")));
    await expect(failing).rejects.toThrow("task failed");
    expect(await withLock(context, path, async () => "again")).toBe("again");
  });

  it("reports its owner and a hint when it cannot be acquired in time", async () => {
    const path = createLockedFile("4711-b.2-9-abcdef01");
    const { context } = createTerminalContext({ processes });
    await expect(acquireLock(context, path, { waitMs: 0 })).rejects.toMatchObject({
      kind: "unreachable",
      code: "locked",
      message: `${path} is in use by another command (pid 4711)`,
      hint: expect.stringContaining(`${path}.lock`),
    });
    expect(readdirSync(`${path}.lock`)).toEqual(["4711-b.2-9-abcdef01"]);
  });

  it("is taken over from a dead process, and from an earlier one with the same pid", async () => {
    const { context } = createTerminalContext({ processes });
    for (const owner of [`${DEAD}-b.2-9-abcdef01`, `${process.pid}-b.1-9-abcdef01`]) {
      const path = createLockedFile(owner);
      expect(await withLock(context, path, async () => "mine")).toBe("mine");
      expect(existsSync(`${path}.lock`)).toBe(false);
    }
  });

  it.runIf(process.platform === "linux")(
    "is taken over when its PID belongs to an unrelated process",
    async () => {
      const stranger = spawn("sleep", ["60"]);
      onTestFinished(() => void stranger.kill());
      const identity = identityOf(stranger.pid ?? 0);
      const { context } = createTerminalContext({ processes: localProcesses(process, Date.now) });
      for (const change of [{ startTime: TEST_PROCESS.startTime }, { pidNamespace: "1" }]) {
        const path = createLockedFile(`${formatProcess({ ...identity, ...change })}-abcdef01`);
        expect(
          await acquireLock(context, path, { waitMs: 0 }).then(({ release }) => release()),
        ).toBeUndefined();
      }
      const path = createLockedFile(`${formatProcess(identity)}-abcdef01`);
      await expect(acquireLock(context, path, { waitMs: 0 })).rejects.toMatchObject({ code: "locked" });
    },
  );

  describe("whose owner cannot be seen", () => {
    const TIMERS = { waitMs: 0, waitUnseenMs: 2_000, staleMs: 400, touchMs: 50 };
    const unseen = { ...processes, statusOf: () => "unknown" as const };

    it("is held as long as the owner touches its entry", async () => {
      const path = join(temporaryFolder(), "file");
      const { context } = createTerminalContext({ processes: unseen });
      const owner = await acquireLock(context, path, TIMERS);
      await expect(acquireLock(context, path, TIMERS)).rejects.toMatchObject({ code: "locked" });
      await owner.requireHeld();
      const next = acquireLock(context, path, TIMERS);
      await owner.release();
      await (await next).release();
      expect(readdirSync(join(path, ".."))).toEqual([]);
    });

    it("is taken over when the entry is stale, whatever the clocks say; its owner then writes nothing", async () => {
      const path = join(temporaryFolder(), "file");
      const { context } = createTerminalContext({ processes: unseen, now: () => 0 });
      // It never touches its entry, as a suspended process.
      const owner = await acquireLock(context, path, { ...TIMERS, touchMs: 3_600_000 });
      const next = await acquireLock(context, path, TIMERS);
      await expect(owner.requireHeld()).rejects.toMatchObject({ kind: "unreachable", code: "locked" });
      await owner.release();
      await next.requireHeld();
      await next.release();
    });
  });

  it("is taken over from an owner that died during the release", async () => {
    const path = join(temporaryFolder(), "file");
    mkdirSync(`${path}.lock`);
    expect(await withLock(createTerminalContext().context, path, async () => "mine")).toBe("mine");
  });

  it("reports a file in place of its folder", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "");
    const path = join(folder, "file", "below");
    await expect(withLock(createTerminalContext().context, path, async () => {})).rejects.toMatchObject({
      code: "cannot_lock",
      message: expect.stringContaining("a file is in the way"),
    });
  });
});
