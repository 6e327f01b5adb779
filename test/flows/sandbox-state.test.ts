import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { formatTime } from "../../src/domain/times.ts";
import {
  bareEnvironment,
  errorOf,
  fixture,
  runCli,
  type StartedCli,
  spawnCli,
  temporaryFolder,
} from "../support/cli.ts";
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts";
import {
  controlEnvironmentOf,
  GOLDEN_TIME,
  sandboxForTest,
  spawnSandboxThrough,
  spawnSandboxUp,
  startSandboxUp,
  submitArgs,
} from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

const SAMPLE = fixture("sample_entries.csv");

const up = (env: Record<string, string>, file: string, ...more: string[]) =>
  startSandboxUp(env, "--state", file, ...more);

/** Stops a sandbox as a supervisor does. */
async function stopCleanly({ stop, completion }: Pick<StartedCli, "stop" | "completion">): Promise<void> {
  stop("SIGTERM");
  expect((await completion).code).toBe(0);
}

/** Starts a sandbox with a new state file. */
async function startWithState(...more: string[]) {
  const env = bareEnvironment();
  const file = join(temporaryFolder(), "sandbox.state");
  return { env, file, ...(await up(env, file, ...more)) };
}

/** Lets a sandbox save a state of some tens of megabytes. */
async function saveLargeState(env: Record<string, string>, folder: string, file: string): Promise<void> {
  const csv = join(folder, "large.csv");
  const csvArgs = ["sandbox", "csv", "--scenario", "mixed", "--rows", "40000", "--out", csv];
  expect((await runCli(csvArgs, { env })).code).toBe(0);
  const sandbox = await up(env, file);
  const submission = await runCli(submitArgs(csv, "--wait", "-q"), { env });
  expect(submission.code, submission.stderr).toBe(0);
  await stopCleanly(sandbox);
}

const listDrafts = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".tmp"));

it("a large state file stays intact if the process is killed while it writes, and the next sandbox removes the draft", {
  tags: "large",
}, async () => {
  const env = bareEnvironment();
  const folder = temporaryFolder();
  const file = join(folder, "sandbox.state");
  await saveLargeState(env, folder, file);
  const { size } = statSync(file);
  expect(size).toBeGreaterThan(4_000_000);
  const before = readFileSync(file);

  // On a busy machine, the draft may already have replaced the file when the test kills the process.
  for (let hits = 0; hits < (IS_EXHAUSTIVE ? 5 : 1); ) {
    const { child, completion } = await spawnSandboxUp(env, "--state", file);
    expect(listDrafts(folder)).toEqual([]);
    const nextDraft = waitForDraft(folder);
    child.kill("SIGTERM");
    const draft = join(folder, await nextDraft);
    while (existsSync(draft) && (statSync(draft, { throwIfNoEntry: false })?.size ?? 0) < 1_000_000)
      await setTimeout(1);
    child.kill("SIGKILL");
    await completion;
    const draftSize = statSync(draft, { throwIfNoEntry: false })?.size ?? size;
    if (draftSize < size) hits += 1;
    expect(readFileSync(file).equals(before)).toBe(true);
  }

  const last = await up(env, file);
  expect(listDrafts(folder)).toEqual([]);
  const status = await runCli(["sandbox", "status", "--json"], { env });
  expect(JSON.parse(status.stdout)).toMatchObject({ jobs: { completed: 1 } });
  await stopCleanly(last);
  expect(readdirSync(folder).sort()).toEqual(["large.csv", "sandbox.state"]);
});

/** Waits for the next draft in a folder and returns its name. */
async function waitForDraft(folder: string): Promise<string> {
  const watcher = watch(folder);
  onTestFinished(() => watcher.close());
  for (;;) {
    const [, name] = (await once(watcher, "change")) as [string, string];
    if (name.endsWith(".tmp")) return name;
  }
}

/** A limit on file sizes has the effect of a full disk. */
const WITH_FILE_LIMIT = ["bash", "-c", 'ulimit -f 2; exec "$0" "$@"'];

describe.skipIf(process.platform === "win32")("on a full disk", () => {
  it("sandbox snapshot save exits 6 and keeps an existing file", { tags: "large" }, async () => {
    const sandbox = await sandboxForTest();
    const env = controlEnvironmentOf(sandbox);
    const folder = temporaryFolder();
    const file = join(folder, "a.snapshot");
    const save = ["sandbox", "snapshot", "save", "--file", file, "--json"];
    for (const expectedFiles of [[], ["a.snapshot"]]) {
      const result = await spawnCli(save, { env, wrapper: WITH_FILE_LIMIT }).completion;
      expect(errorOf(result)).toMatchObject({ code: "cannot_write", exitCode: 6 });
      expect(readdirSync(folder)).toEqual(expectedFiles);
      if (expectedFiles.length > 0) continue;
      expect((await runCli(save, { env })).code).toBe(0);
    }
    const load = ["sandbox", "snapshot", "load", "--file", file];
    expect((await runCli(load, { env })).code).toBe(0);
  });

  it("sandbox up --state exits 6 when it stops, and keeps the previous state", {
    tags: "large",
  }, async () => {
    const env = bareEnvironment();
    const folder = temporaryFolder();
    const file = join(folder, "sandbox.state");
    await stopCleanly(await up(env, file));
    const before = readFileSync(file);

    const { child, completion } = await spawnSandboxThrough(WITH_FILE_LIMIT, env, "--state", file);
    child.kill("SIGTERM");
    const { code, stderr } = await completion;
    expect([code, stderr]).toEqual([6, expect.stringContaining("cannot_write")]);
    expect(stderr).toContain(file);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(["sandbox.state"]);

    await stopCleanly(await up(env, file));
  });
});

const readStatus = async (env: Record<string, string>) =>
  JSON.parse((await runCli(["sandbox", "status", "--json"], { env })).stdout);

/** Each try runs a command. */
const pollStatus = (env: Record<string, string>) => expect.poll(() => readStatus(env), { interval: 100 });

const createClient = (env: Record<string, string>, name: string) =>
  runCli(["clients", "create", "--name", name, "--importer-number", "98-7654321"], { env });

describe("sandbox up --state", () => {
  it("keeps the state after one or two signals and after sandbox down", async () => {
    const env = bareEnvironment();
    const file = join(temporaryFolder(), "sandbox.state");
    const first = await spawnSandboxUp(env, "--state", file, "--frozen", "--at", GOLDEN_TIME);
    const { jobId } = JSON.parse((await runCli(submitArgs(SAMPLE, "--wait", "--json"), { env })).stdout);
    // As with npm: the process gets the signal of the terminal and the one that npm forwards.
    first.child.kill("SIGINT");
    first.child.kill("SIGTERM");
    expect((await first.completion).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const second = await up(env, file);
    const status = await runCli(["diligence", "status", jobId, "--json"], { env });
    expect(JSON.parse(status.stdout).state).toBe("completed");
    expect((await runCli(["sandbox", "clock", "show", "-q"], { env })).stdout).toBe(
      "2026-11-20T00:00:00.000Z\n",
    );
    const other = await runCli(["diligence", "submit", SAMPLE, "--seller-name", "Other", "-q"], { env });
    expect((await runCli(["sandbox", "down"], { env })).code).toBe(0);
    expect((await second.completion).code).toBe(0);

    const third = await up(env, file, "--sandbox-name", "third");
    const named = ["sandbox", "status", "--sandbox-name", "third", "--json"];
    expect(JSON.parse((await runCli(named, { env })).stdout).jobs).toEqual({ completed: 2 });
    await stopCleanly(third);
    expect(other.code).toBe(0);
    expect(readdirSync(join(file, "..")).sort()).toEqual(["sandbox.state"]);
  });

  it("refuses a path that cannot be a state file", async () => {
    const cwd = temporaryFolder();
    execFileSync("mkfifo", [join(cwd, "fifo")]);
    const refuse = async (file: string) => {
      const args = ["sandbox", "up", "--port", "0", "--json", "--state", file];
      return errorOf(await runCli(args, { env: bareEnvironment(), cwd }));
    };
    expect(await refuse("none/sandbox.state")).toMatchObject({
      exitCode: 2,
      message: expect.stringContaining("its folder does not exist"),
      hint: expect.stringContaining(`create the folder ${join(cwd, "none")}`),
    });
    for (const path of ["-", ""])
      expect(await refuse(path)).toMatchObject({ code: "missing_option", exitCode: 2 });
    for (const path of ["fifo", "/dev/null"])
      expect(await refuse(path)).toMatchObject({
        exitCode: 2,
        message: `--state: cannot use ${path}: it is a pipe or a device, not a file`,
      });
  });

  it("locks the file for one sandbox", { tags: "large" }, async () => {
    const env = bareEnvironment();
    const file = join(temporaryFolder(), "sandbox.state");
    const first = await spawnSandboxUp(env, "--state", file);
    const second = await runCli(
      ["sandbox", "up", "--port", "0", "--sandbox-name", "other", "--state", file, "--json"],
      { env },
    );
    expect(errorOf(second)).toMatchObject({ code: "locked", exitCode: 6 });
    expect(errorOf(second).message).toContain(String(first.child.pid));
    first.child.kill("SIGKILL");
    await first.completion;
    await stopCleanly(await up(env, file));
  });

  it("does not change a damaged file", { tags: "large" }, async () => {
    const env = bareEnvironment();
    const folder = temporaryFolder();
    const file = join(folder, "sandbox.state");
    await stopCleanly(await up(env, file));
    const validState = readFileSync(file, "utf8");
    writeFileSync(file, validState.slice(0, -40));
    const result = await runCli(["sandbox", "up", "--port", "0", "--state", file, "--json"], { env });
    expect(errorOf(result)).toMatchObject({ code: "snapshot_invalid", exitCode: 2 });
    expect(errorOf(result).message).toContain(file);
    expect(readFileSync(file, "utf8")).toBe(validState.slice(0, -40));
  });

  it("saves a change while the sandbox runs, so that kill -9 loses only what came later", {
    tags: "large",
  }, async () => {
    const env = bareEnvironment();
    const file = join(temporaryFolder(), "sandbox.state");
    const killed = await spawnSandboxUp(env, "--state", file);
    expect(await readStatus(env)).toMatchObject({ saved: null });
    expect(existsSync(file)).toBe(false);
    expect((await createClient(env, "Blue Anchor Tools, Inc.")).code).toBe(0);
    await pollStatus(env).toMatchObject({ saved: { durationMs: expect.any(Number) } });
    killed.kill();
    await killed.completion;

    const next = await up(env, file);
    expect((await readStatus(env)).clients).toBe(3);
    await stopCleanly(next);
  });

  it("saves the clock too, and nothing when nothing changed", async () => {
    const { env } = await startWithState("--frozen", "--at", GOLDEN_TIME);
    expect((await runCli(["sandbox", "clock", "advance", "3d"], { env })).code).toBe(0);
    await pollStatus(env).toMatchObject({ saved: { at: expect.any(String) } });
    const { saved } = await readStatus(env);
    await setTimeout(2_500);
    expect((await readStatus(env)).saved).toEqual(saved);
  });

  it("leaves the file alone after another sandbox took it over", async () => {
    const { env, file, waitForOutput } = await startWithState();
    // As another container does, when this one was suspended.
    rmSync(`${file}.lock`, { recursive: true });
    await createClient(env, "Blue Anchor Tools, Inc.");
    await waitForOutput(/the state is not saved: .* was taken over by another command/, "stderr");
    expect(existsSync(file)).toBe(false);
  });

  it("does not overwrite a file that another program changed, and saves once it is moved away", async () => {
    const { env, file, waitForOutput } = await startWithState();
    writeFileSync(file, "of another program");
    await createClient(env, "Blue Anchor Tools, Inc.");
    await waitForOutput(/the state is not saved: another program changed .*; move that file away/, "stderr");
    expect(readFileSync(file, "utf8")).toBe("of another program");
    renameSync(file, `${file}.away`);
    await expect.poll(() => existsSync(file)).toBe(true);
  });

  it("is said by `sandbox down` to be lost if it could not be saved", async () => {
    const env = bareEnvironment();
    const folder = join(temporaryFolder(), "state");
    mkdirSync(folder);
    const { completion } = await up(env, join(folder, "sandbox.state"));
    renameSync(folder, `${folder}.away`);
    await createClient(env, "Blue Anchor Tools, Inc.");
    const down = await runCli(["sandbox", "down", "--json"], { env });
    expect(errorOf(down)).toMatchObject({ code: "state_not_saved", exitCode: 6 });
    expect(JSON.parse(down.stdout)).toMatchObject({ stopped: true });
    expect((await completion).code).not.toBe(0);
  });

  it("says since when saves fail, until one succeeds", { tags: "large" }, async () => {
    const env = bareEnvironment();
    const folder = join(temporaryFolder(), "state");
    mkdirSync(folder);
    const file = join(folder, "sandbox.state");
    await up(env, file);
    expect(await readStatus(env)).toMatchObject({ saved: null, saveFailure: null });
    renameSync(folder, `${folder}.away`);
    await createClient(env, "Blue Anchor Tools, Inc.");
    await pollStatus(env).toMatchObject({ saveFailure: { since: expect.any(String) } });
    const { saved, saveFailure } = await readStatus(env);
    expect([saved, saveFailure.message]).toEqual([null, expect.stringContaining("sandbox.state")]);
    const terminal = createTerminalContext({ env });
    expect(await terminal.run("sandbox", "status", "--no-color")).toBe(0);
    expect(terminal.stdout.text).toContain(`not saved since ${formatTime(saveFailure.since)}: cannot`);
    renameSync(`${folder}.away`, folder);
    await pollStatus(env).toMatchObject({ saved: expect.anything(), saveFailure: null });
  });
});
