import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bareEnvironment, errorOf, fixture, runCli, temporaryFolder } from "../support/cli.ts";
import {
  controlEnvironmentOf,
  GOLDEN_TIME,
  sandboxForTest,
  startSandboxUp,
  submitArgs,
} from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

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
  });
});

it("sandbox snapshot save --file - and load --file - need no name", async () => {
  const sandbox = await sandboxForTest();
  const env = controlEnvironmentOf(sandbox);
  const cwd = temporaryFolder();
  const save = await runCli(["sandbox", "snapshot", "save", "--file", "-"], { env, cwd });
  expect(save.stdout).toMatch(/^\{"format":"claims-sandbox-snapshot"/);
  expect(existsSync(join(cwd, "-"))).toBe(false);
  const load = await runCli(["sandbox", "snapshot", "load", "--file", "-"], { env, input: save.stdout });
  expect(load).toMatchObject({ code: 0, stdout: expect.stringContaining("Restored stdin") });
  const terminal = createTerminalContext({ env });
  expect(await terminal.run("sandbox", "snapshot", "save", "--file", "-")).toBe(2);
  expect(terminal.stdout.text).toBe("");
  const invalid = join(cwd, "wrong");
  writeFileSync(invalid, "hello\n");
  const result = await runCli(["sandbox", "snapshot", "load", "--file", invalid], { env });
  expect(result.stderr).toContain("hint: give a file that `claims sandbox snapshot save --file FILE` wrote");
});
