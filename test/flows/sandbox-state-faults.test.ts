import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { BIN, bareEnvironment, errorOf, runCli, temporaryFolder } from "../support/cli.ts";
import {
  controlEnvironmentOf,
  sandboxForTest,
  spawnSandboxUp,
  startSandboxUp,
  submitArgs,
} from "../support/sandbox.ts";

const up = (env: Record<string, string>, file: string) => startSandboxUp(env, "--state", file);

/** A state of some tens of megabytes, as a sandbox saved it. */
async function largeState(env: Record<string, string>, folder: string, file: string): Promise<void> {
  const csv = join(folder, "large.csv");
  const made = ["sandbox", "csv", "--scenario", "mixed", "--rows", "100000", "--out", csv];
  expect((await runCli(made, { env })).code).toBe(0);
  const { stop, completion } = await up(env, file);
  const submitted = await runCli(submitArgs(csv, "--wait", "-q"), { env });
  expect(submitted.code, submitted.stderr).toBe(0);
  stop("SIGTERM");
  expect((await completion).code).toBe(0);
}

const drafts = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".tmp"));

describe("a large state", () => {
  it("is whole when the process is killed in the middle of writing it, and no draft stays", async () => {
    const env = bareEnvironment();
    const folder = temporaryFolder();
    const file = join(folder, "sandbox.state");
    await largeState(env, folder, file);
    const { size } = statSync(file);
    expect(size).toBeGreaterThan(10_000_000);
    const before = readFileSync(file);

    // A machine that is busy may look at the draft too late: then it has become the file.
    for (let hits = 0; hits < 2; ) {
      const { child, completion } = await spawnSandboxUp(env, "--state", file);
      expect(drafts(folder)).toEqual([]);
      const appeared = draftIn(folder);
      child.kill("SIGTERM");
      const draft = join(folder, await appeared);
      while (existsSync(draft) && (statSync(draft, { throwIfNoEntry: false })?.size ?? 0) < 1_000_000)
        await setTimeout(1);
      child.kill("SIGKILL");
      await completion;
      const left = statSync(draft, { throwIfNoEntry: false })?.size ?? size;
      if (left < size) hits += 1;
      expect(readFileSync(file).equals(before)).toBe(true);
    }

    const { stop, completion } = await up(env, file);
    expect(drafts(folder)).toEqual([]);
    const status = await runCli(["sandbox", "status", "--json"], { env });
    expect(JSON.parse(status.stdout)).toMatchObject({ jobs: { completed: 1 } });
    stop("SIGTERM");
    expect((await completion).code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(["large.csv", "sandbox.state"]);
  }, 120_000);
});

/** The name of the next draft that appears in a folder. */
async function draftIn(folder: string): Promise<string> {
  const watcher = watch(folder);
  onTestFinished(() => watcher.close());
  for (;;) {
    const [, name] = (await once(watcher, "change")) as [string, string];
    if (name.endsWith(".tmp")) return name;
  }
}

/** The program with a limit to the size of what it writes, which is what a full disk looks like to it. */
async function limited(kibibytes: number, args: readonly string[], env: Record<string, string>) {
  const command = `ulimit -f ${kibibytes}; exec "$0" "$@"`;
  const child = spawn("bash", ["-c", command, process.execPath, BIN, ...args], {
    env: { ...env, PATH: process.env.PATH ?? "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const completion = once(child, "close").then(([code]) => ({ code: code as number, stdout, stderr }));
  return {
    child,
    completion,
    isReady: async () => {
      while (!stdout.includes('"ready"')) await setTimeout(5);
    },
  };
}

describe.skipIf(process.platform === "win32")("where the disk is full", () => {
  it("a snapshot is not written, and an older one stays as it was", async () => {
    const sandbox = await sandboxForTest();
    const env = controlEnvironmentOf(sandbox);
    const folder = temporaryFolder();
    const file = join(folder, "a.snapshot");
    const save = ["sandbox", "snapshot", "save", "--file", file, "--json"];
    for (const there of [[], ["a.snapshot"]]) {
      const refused = await (await limited(4, save, env)).completion;
      expect(errorOf({ ...refused, signal: null } as never)).toMatchObject({
        code: "cannot_write",
        exitCode: 2,
      });
      expect(readdirSync(folder)).toEqual(there);
      if (there.length > 0) continue;
      expect((await runCli(save, { env })).code).toBe(0);
    }
    const load = ["sandbox", "snapshot", "load", "--file", file];
    expect((await runCli(load, { env })).code).toBe(0);
  });

  it("a state is not written when the sandbox ends; it says so, and the old one is there for the next", async () => {
    const env = bareEnvironment();
    const folder = temporaryFolder();
    const file = join(folder, "sandbox.state");
    const first = await up(env, file);
    first.stop("SIGTERM");
    expect((await first.completion).code).toBe(0);
    const before = readFileSync(file);

    const args = ["sandbox", "up", "--port", "0", "--json", "--state", file];
    const { child, completion, isReady } = await limited(4, args, env);
    await isReady();
    child.kill("SIGTERM");
    const { code, stderr } = await completion;
    expect([code, stderr]).toEqual([2, expect.stringContaining("cannot_write")]);
    expect(stderr).toContain(file);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(["sandbox.state"]);

    const next = await up(env, file);
    next.stop("SIGTERM");
    expect((await next.completion).code).toBe(0);
  });
});
