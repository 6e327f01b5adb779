import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bareEnvironment, errorOf, fixture, runCli, startCli, temporaryFolder } from "../support/cli.ts";
import {
  controlEnvironmentOf,
  GOLDEN_TIME,
  sandboxForTest,
  spawnSandboxUp,
  startSandboxUp,
  submitArgs,
} from "../support/sandbox.ts";

const SAMPLE = fixture("sample_entries.csv");

describe("sandbox snapshot", () => {
  it("saves, lists, compares and loads a state with its credentials", async () => {
    const env = bareEnvironment();
    await startSandboxUp(env, "--frozen", "--at", GOLDEN_TIME);
    const claims = async (code: number, ...args: string[]) => {
      const result = await runCli(args, { env });
      expect(result.code, `${args.join(" ")}\n${result.stderr}`).toBe(code);
      return result;
    };
    expect((await claims(0, "sandbox", "snapshot", "list")).stdout).toBe("");
    const save = await claims(0, "sandbox", "snapshot", "save", "empty", "--json");
    expect(JSON.parse(save.stdout)).toMatchObject({ name: "empty", takenAt: "2026-11-20T00:00:00.000Z" });
    const job = (await claims(0, ...submitArgs(SAMPLE, "--wait", "--json"))).stdout;
    const { jobId } = JSON.parse(job);
    await claims(0, "sandbox", "credentials", "rotate");
    await claims(0, "sandbox", "snapshot", "save", "full");
    expect((await claims(0, "sandbox", "snapshot", "list", "-q")).stdout).toBe("empty\nfull\n");

    await claims(0, "sandbox", "snapshot", "load", "empty");
    await claims(3, "diligence", "status", jobId);
    const loaded = await claims(0, "sandbox", "snapshot", "load", "full");
    expect(loaded.stdout).toContain("full");
    const { stdout } = await claims(0, "diligence", "status", jobId, "--json");
    expect(JSON.parse(stdout).state).toBe("completed");
    await claims(0, "sandbox", "reset");
    await claims(3, "diligence", "status", jobId);
    await claims(3, "sandbox", "snapshot", "load", "none");
  });

  it("saves files that another sandbox loads, and refuses invalid files", async () => {
    const first = await sandboxForTest();
    const folder = temporaryFolder();
    const file = join(folder, "bug.snapshot");
    const env = controlEnvironmentOf(first);
    const job = await runCli(submitArgs(SAMPLE, "--wait", "--json"), { env });
    const { jobId } = JSON.parse(job.stdout);
    const save = await runCli(["sandbox", "snapshot", "save", "--file", file], { env });
    expect(save.code, save.stderr).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const other = await sandboxForTest({ seed: 9 });
    const otherEnv = controlEnvironmentOf(other);
    expect((await runCli(["sandbox", "snapshot", "load", "--file", file], { env: otherEnv })).code).toBe(0);
    const { credentials } = other;
    const status = await runCli(["diligence", "status", jobId, "--json"], {
      env: { ...otherEnv, CLAIMS_API_KEY: credentials.sandbox.apiKey },
    });
    expect(JSON.parse(status.stdout).state).toBe("completed");

    const text = readFileSync(file, "utf8");
    const load = ["sandbox", "snapshot", "load", "--file", file, "--json"];
    for (const document of [text.slice(0, -100), "hello\n"]) {
      writeFileSync(file, document);
      const result = await runCli(load, { env: otherEnv });
      expect(errorOf(result)).toMatchObject({ code: "validation_failed", exitCode: 5 });
    }
    for (const args of [["save"], ["load"], ["load", "x", "--file", file]]) {
      const result = await runCli(["sandbox", "snapshot", ...args, "--json"], { env: otherEnv });
      expect(errorOf(result)).toMatchObject({ code: "missing_option", exitCode: 2 });
    }
  });

  it("save exits 2 if the file cannot be written", async () => {
    const env = controlEnvironmentOf(await sandboxForTest());
    const save = (file: string) => runCli(["sandbox", "snapshot", "save", "--file", file, "--json"], { env });
    expect(errorOf(await save("/nowhere/x"))).toMatchObject({ code: "cannot_write", exitCode: 2 });
    if (!existsSync("/dev/full")) return;
    expect(errorOf(await save("/dev/full"))).toMatchObject({ code: "cannot_write", exitCode: 6 });
  });
});

it("sandbox clock freeze and unfreeze freezes and unfreezes the clock", async () => {
  const env = controlEnvironmentOf(await sandboxForTest());
  const clock = async (...args: string[]) => runCli(["sandbox", "clock", ...args], { env });
  const past = await clock("advance", "--to", "2026-01-01T00:00:00Z", "--json");
  expect(errorOf(past)).toMatchObject({ exitCode: 5 });
  expect(JSON.parse((await clock("unfreeze", "--json")).stdout)).toMatchObject({ frozen: false });
  const frozen = JSON.parse((await clock("freeze", "--json")).stdout);
  expect(frozen).toMatchObject({ frozen: true });
  expect(JSON.parse((await clock("show", "--json")).stdout)).toEqual(frozen);
});

describe("sandbox up --state", () => {
  /** Starts a sandbox with a state file. */
  const up = async (env: Record<string, string>, file: string, ...more: string[]) => {
    const started = startCli(["sandbox", "up", "--port", "0", "--json", "--state", file, ...more], { env });
    await started.waitForOutput(/"event":"ready"/);
    return started;
  };
  /** Starts it in a process that can be killed. */
  const upProcess = (env: Record<string, string>, file: string, ...more: string[]) =>
    spawnSandboxUp(env, "--state", file, ...more);

  it("keeps the state after one or two signals and after sandbox down", async () => {
    const env = bareEnvironment();
    const file = join(temporaryFolder(), "sandbox.state");
    const first = await upProcess(env, file, "--frozen", "--at", GOLDEN_TIME);
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

    await up(env, file, "--sandbox-name", "third").then(async ({ stop, completion }) => {
      const state = JSON.parse(
        (await runCli(["sandbox", "status", "--sandbox-name", "third", "--json"], { env })).stdout,
      );
      expect(state.jobs).toEqual({ completed: 2 });
      stop("SIGTERM");
      expect((await completion).code).toBe(0);
    });
    expect(other.code).toBe(0);
    expect(readdirSync(join(file, "..")).sort()).toEqual(["sandbox.state"]);
  });

  it("locks the file for one sandbox", { tags: "large" }, async () => {
    const env = bareEnvironment();
    const file = join(temporaryFolder(), "sandbox.state");
    const first = await upProcess(env, file);
    const second = await runCli(
      ["sandbox", "up", "--port", "0", "--sandbox-name", "other", "--state", file, "--json"],
      { env },
    );
    expect(errorOf(second)).toMatchObject({ code: "locked", exitCode: 6 });
    expect(errorOf(second).message).toContain(String(first.child.pid));
    first.child.kill("SIGKILL");
    await first.completion;
    const third = await up(env, file);
    third.stop("SIGTERM");
    expect((await third.completion).code).toBe(0);
  });

  it("does not change a damaged file", { tags: "large" }, async () => {
    const env = bareEnvironment();
    const folder = temporaryFolder();
    const file = join(folder, "sandbox.state");
    const first = await up(env, file);
    first.stop("SIGTERM");
    await first.completion;
    const validState = readFileSync(file, "utf8");
    writeFileSync(file, validState.slice(0, -40));
    const result = await runCli(["sandbox", "up", "--port", "0", "--state", file, "--json"], { env });
    expect(errorOf(result)).toMatchObject({ code: "snapshot_invalid", exitCode: 2 });
    expect(errorOf(result).message).toContain(file);
    expect(readFileSync(file, "utf8")).toBe(validState.slice(0, -40));
  });
});
