import { spawn } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf, PROGRAM, runCli, temporaryFolder } from "../support/cli.ts";
import { batchArgs, createEntryFolder } from "../support/entry-folder.ts";
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts";
import { skipWithoutUnshare, UNSHARE } from "../support/namespaces.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { countJobs } from "../support/sandbox-requests.ts";
import { startSlowProxy } from "../support/slow-proxy.ts";

type Env = Record<string, string>;

/** A machine whose uploads take as long as those to a distant service. */
async function setUp(count: number) {
  const sandbox = await sandboxForTest({ frozenAt: "2026-11-20T00:00:00Z" });
  const home = temporaryFolder();
  const url = await startSlowProxy(sandbox.url, { beforeMs: 20, afterMs: 20 });
  const env: Env = { ...environmentOf(sandbox), CLAIMS_BASE_URL: url };
  const folders = ["one", "other"].map((name) => createEntryFolder(count, home, name));
  return { sandbox, home, env, folders };
}

const unknownKeys = async (env: Env) => {
  const { code, stdout } = await runCli(["history", "--unknown", "-q"], { env });
  return { code, keys: stdout.split("\n").filter(Boolean) };
};

describe("two runs at the same time", { repeats: IS_EXHAUSTIVE ? 9 : 0 }, () => {
  const FILES = 4;

  it.each(["skip", "fail"])("batch --on-duplicate %s sends each of equal files once", async (onDuplicate) => {
    const { env, folders, sandbox } = await setUp(FILES);
    const runs = folders.map((folder) => runCli(batchArgs(folder, "--on-duplicate", onDuplicate), { env }));
    const results = await Promise.all(runs);
    expect(await countJobs(sandbox)).toBe(FILES);
    const jobs = results.flatMap(({ stdout }) => stdout.match(/"jobId":"[^"]+"/g) ?? []);
    expect(new Set(jobs).size).toBe(FILES);
    if (onDuplicate === "skip") {
      expect(results.map(({ code }) => code)).toEqual([0, 0]);
      expect(jobs).toHaveLength(2 * FILES);
    } else expect(results.map(({ code }) => code).sort()).toContain(5);
    expect(await unknownKeys(env)).toEqual({ code: 0, keys: [] });
  });

  it.for([
    ["with its own /proc", UNSHARE],
    ["without", UNSHARE.filter((word) => word !== "--mount-proc")],
  ] as const)(
    "in two PID namespaces, each %s, sends each file once",
    { tags: "large" },
    async ([, unshare], test) => {
      skipWithoutUnshare(test);
      const { env, folders, sandbox } = await setUp(FILES);
      const [first = "", ...others] = unshare;
      const run = (folder: string) =>
        new Promise<number | null>((resolve) => {
          const args = [...others, ...PROGRAM.self, ...batchArgs(folder, "--on-duplicate", "skip")];
          spawn(first, args, { env, stdio: "ignore" }).once("exit", resolve);
        });
      expect(await Promise.all(folders.map(run))).toEqual([0, 0]);
      expect(await countJobs(sandbox)).toBe(FILES);
    },
  );
});

/** Moves the write log three days into the past. */
function makeOld(env: Env): void {
  const log = join(env.CLAIMS_CONFIG_DIR ?? "", "state", "writes.jsonl");
  const days = (text: string) => new Date(Date.parse(text) - 3 * 86_400_000).toISOString();
  const old = readFileSync(log, "utf8").replace(/"at":"([^"]+)"/g, (_, at) => `"at":"${days(at)}"`);
  writeFileSync(log, old);
}

describe("an old key", () => {
  /** A batch some of whose submissions lost their responses three days ago. */
  async function setUpOld(old = 2) {
    const machine = await setUp(old + 3);
    const { env, sandbox } = machine;
    const [folder = ""] = machine.folders;
    sandbox.faults.add({
      match: { operation: "diligence.submit" },
      ...{ phase: "after", then: { reset: true } },
    });
    for (let n = 0; n < old; n += 1)
      expect((await runCli(submitArgs(join(folder, `file-0${n}.csv`)), { env })).code).toBe(6);
    makeOld(env);
    sandbox.faults.clear();
    return {
      ...machine,
      folder,
      submit: (...more: string[]) => runCli(submitArgs(join(folder, "file-00.csv"), ...more), { env }),
    };
  }

  it("is not sent again: exit 10, two ways on", async () => {
    const { env, folder, sandbox, submit } = await setUpOld();
    const refused = await submit("--json");
    expect(errorOf(refused)).toMatchObject({ code: "outcome_unknown", exitCode: 10, retryable: false });
    expect(errorOf(refused).hint).toMatch(/history resolve .*--resend-unknown/);
    expect(await countJobs(sandbox)).toBe(2);
    expect((await submit("--key-lifetime", "100h")).code).toBe(0);
    expect(await countJobs(sandbox)).toBe(2);
    expect((await unknownKeys(env)).keys).toHaveLength(1);
    const other = submitArgs(join(folder, "file-01.csv"));
    expect((await runCli([...other, "--resend-unknown"], { env })).code).toBe(0);
  });

  it("of an accepted write is not sent again either: its job is the result", async () => {
    const { env, sandbox, folders } = await setUp(1);
    const submit = (...more: string[]) =>
      runCli(submitArgs(join(folders[0] ?? "", "file-00.csv"), "--idempotency-key", "k", ...more), { env });
    expect((await submit()).code).toBe(0);
    expect((await submit()).code).toBe(0);
    makeOld(env);
    expect((await submit("--resend-unknown")).code).toBe(0);
    expect(await countJobs(sandbox)).toBe(1);
  });

  it("does not stop the other files of a batch, which names it", async () => {
    const { env, folder, sandbox } = await setUpOld(4);
    const result = await runCli(batchArgs(folder), { env });
    expect(result.code).toBe(10);
    expect(result.stderr).toContain("3 accepted, 4 outcome unknown");
    expect(await countJobs(sandbox)).toBe(7);
  });
});

it("another sandbox at the same address gets the files of a batch that its predecessor got", async () => {
  const folder = createEntryFolder(3);
  const first = await sandboxForTest({ frozenAt: "2026-11-20T00:00:00Z" });
  const { port } = first;
  const env = environmentOf(first);
  expect((await runCli(batchArgs(folder), { env })).code).toBe(0);
  const { instanceId } = first;
  await first.close();
  const second = await sandboxForTest({ frozenAt: "2026-11-20T00:00:00Z", port });
  expect(second.instanceId).not.toBe(instanceId);
  const again = await runCli(batchArgs(folder), { env });
  expect(again.code).toBe(0);
  expect(await countJobs(second)).toBe(3);
  const third = await runCli(batchArgs(folder), { env });
  expect(third.stderr).toContain("3 already accepted");
  expect(await countJobs(second)).toBe(3);
});

it("an outcome that one log lacks is written by the next run", async () => {
  const { env, folders } = await setUp(3);
  const [folder = ""] = folders;
  expect((await runCli(batchArgs(folder), { env })).code).toBe(0);
  const log = join(env.CLAIMS_CONFIG_DIR ?? "", "state", "writes.jsonl");
  // As after a full disk: the intents alone.
  writeFileSync(log, readFileSync(log, "utf8").replace(/^\{"type":"accepted".*\n/gm, ""));
  // Their process has ended.
  expect((await unknownKeys(env)).keys).toHaveLength(3);
  expect((await runCli(batchArgs(folder), { env })).stderr).toContain("3 already accepted");
  expect(await unknownKeys(env)).toEqual({ code: 0, keys: [] });
});

describe("--content-key", () => {
  /** A sandbox, and the files of two machines that share nothing. */
  async function setUpMachines() {
    const sandbox = await sandboxForTest();
    const home = temporaryFolder();
    const folder = createEntryFolder(2, home, "entries");
    cpSync(folder, join(home, "copy"), { recursive: true });
    const machines = [folder, join(home, "copy")].map((source) => ({
      source,
      env: { ...environmentOf(sandbox), CLAIMS_CONFIG_DIR: temporaryFolder() },
    }));
    return { sandbox, machines };
  }

  it.each([
    ["batch", (source: string) => batchArgs(source), 2],
    ["submit", (source: string) => submitArgs(join(source, "file-00.csv")), 1],
  ])("%s makes one job of the file of two machines", async (_, args, jobs) => {
    const { sandbox, machines } = await setUpMachines();
    for (const { source, env } of machines)
      expect((await runCli([...args(source), "--content-key"], { env })).code).toBe(0);
    expect(await countJobs(sandbox)).toBe(jobs);
  });

  it("takes a random key with --on-duplicate submit", async () => {
    const { sandbox, machines } = await setUpMachines();
    for (const { source, env } of machines) {
      const args = submitArgs(join(source, "file-00.csv"), "--content-key", "--on-duplicate", "submit");
      expect((await runCli(args, { env })).code).toBe(0);
    }
    expect(await countJobs(sandbox)).toBe(2);
  });
});
