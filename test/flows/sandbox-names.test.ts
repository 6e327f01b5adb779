import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bareEnvironment, errorOf, fixture, runCli, temporaryFile } from "../support/cli.ts";
import { TEST_PROCESS } from "../support/processes.ts";
import {
  environmentOf,
  GOLDEN_TIME,
  sandboxForTest,
  spawnSandboxUp,
  startSandboxUp,
  submitArgs,
} from "../support/sandbox.ts";

const FILE = fixture("sample_entries.csv");

/** A sandbox with its own credentials, and nothing else configured. */
async function startOne() {
  const env = bareEnvironment();
  const ci = await startSandboxUp(env, "--sandbox-name", "ci", "--seed", "7");
  return { env, ci: ci.ready };
}

/** Two sandboxes with different credentials and clocks. */
async function startTwo() {
  const { env, ci } = await startOne();
  const live = await startSandboxUp(env, "--sandbox-name", "live", "--frozen", "--at", GOLDEN_TIME);
  return { env, ci, live: live.ready };
}

const readJson = async (args: readonly string[], env: Record<string, string>) => {
  const result = await runCli([...args, "--json"], { env });
  expect(result.code, result.stderr).toBe(0);
  return JSON.parse(result.stdout);
};

describe("sandbox list", () => {
  it("lists the running sandboxes with what tells them apart", async () => {
    const { env, ci, live } = await startTwo();
    const listed = await readJson(["sandbox", "list"], env);
    expect(listed).toEqual([
      {
        ...{ name: "ci", url: ci.url, state: "up", seed: 7, pid: ci.pid },
        startedAt: expect.stringMatching(/^\d{4}-/),
        clock: { now: expect.stringMatching(/Z$/), frozen: false },
      },
      {
        ...{ name: "live", url: live.url, state: "up", seed: 1, pid: live.pid },
        startedAt: expect.stringMatching(/^\d{4}-/),
        clock: { now: "2026-11-20T00:00:00.000Z", frozen: true },
      },
    ]);
    expect((await runCli(["sandbox", "list", "-q"], { env })).stdout).toBe("ci\nlive\n");
    const status = await readJson(["sandbox", "status", "--sandbox-name", "ci"], env);
    expect(status).toMatchObject({ seed: 7, startedAt: listed[0].startedAt });
  });

  it("shows one whose process runs but does not respond", async () => {
    const { env, ci } = await startOne();
    const path = join(env.CLAIMS_CONFIG_DIR ?? "", "state", "sandbox-ci.json");
    const unreachable = { ...ci, ...TEST_PROCESS, name: "ci", url: "http://127.0.0.1:9" };
    writeFileSync(path, JSON.stringify(unreachable));
    expect((await readJson(["sandbox", "list"], env))[0]).toEqual({
      ...{ name: "ci", url: "http://127.0.0.1:9", state: "not_responding", pid: process.pid },
      ...{ startedAt: null, clock: null, seed: null },
    });
  });
});

describe("--sandbox-name", () => {
  it("selects a sandbox and its own credential, for the service and for its control API", async () => {
    const { env, live } = await startTwo();
    const name = ["--sandbox-name", "ci"];
    const { jobId } = await readJson([...submitArgs(FILE), ...name], env);
    expect(await readJson(["diligence", "status", jobId, ...name], env)).toMatchObject({ jobId });
    expect(await readJson(["diligence", "report", "--last", ...name], env)).toMatchObject({ jobId });
    expect(await readJson(["sandbox", "wait", "--job", jobId, ...name], env)).toMatchObject({ jobId });
    const other = await runCli(["diligence", "status", jobId, "--sandbox-name", "live", "--json"], { env });
    expect(other.code).toBe(3);
    expect((await readJson(["sandbox", "env", "--sandbox-name", "live"], env)).CLAIMS_BASE_URL).toBe(
      live.url,
    );
  });

  it("has precedence over the environment and over a profile, with their credentials", async () => {
    const { env, ci } = await startTwo();
    const elsewhere = await sandboxForTest();
    const given = { ...env, ...environmentOf(elsewhere), CLAIMS_CONFIG_DIR: env.CLAIMS_CONFIG_DIR ?? "" };
    const flagged = await readJson(["auth", "status", "--sandbox-name", "ci"], given);
    expect(flagged).toMatchObject({ baseUrl: ci.url, from: { credential: 'the sandbox "ci"' } });
    await readJson(["clients", "list", "--sandbox-name", "ci"], given);

    await runCli(["profiles", "set", "prod", "--base-url", "https://partners.example"], { env });
    await runCli(["profiles", "use", "prod"], { env });
    const named = { ...env, CLAIMS_SANDBOX_NAME: "ci" };
    expect(await readJson(["auth", "status"], named)).toMatchObject({ baseUrl: ci.url, profile: null });
    await readJson(["clients", "list"], named);
    expect(await readJson(["sandbox", "status"], named)).toMatchObject({ name: "ci" });
    expect(await readJson(["sandbox", "status", "--sandbox-name", "live"], named)).toMatchObject({
      name: "live",
    });
  });

  it.each([
    [["--base-url", "http://127.0.0.1:9"], "--base-url"],
    [["--profile", "staging"], "--profile"],
    [["--sandbox"], "--sandbox"],
  ])("excludes %j", async (options, flag) => {
    const result = await runCli(["clients", "list", "--sandbox-name", "ci", ...options, "--json"]);
    expect(errorOf(result)).toMatchObject({
      code: "option_conflict",
      exitCode: 2,
      message: `--sandbox-name and ${flag} exclude each other`,
    });
  });

  it("names the running sandboxes if that one does not run", async () => {
    const { env } = await startTwo();
    for (const command of ["clients list", "sandbox status", "sandbox inspect"]) {
      const result = await runCli([...command.split(" "), "--sandbox-name", "cy", "--json"], { env });
      expect(errorOf(result)).toMatchObject({
        code: "no_sandbox",
        exitCode: 3,
        hint: "running: ci, live; `claims sandbox up --sandbox-name cy` starts this one",
      });
    }
    const unnamed = await runCli(["clients", "list", "--json"], { env });
    expect(errorOf(unnamed).hint).toContain("--sandbox-name ci");
  });
});

describe("CLAIMS_SANDBOX_NAME", () => {
  it("excludes a variable of another service, and agrees with one of the same", async () => {
    const { env, ci, live } = await startTwo();
    const withUrl = (url: string) => ({ ...env, CLAIMS_SANDBOX_NAME: "ci", CLAIMS_BASE_URL: url });
    await readJson(["clients", "list"], withUrl(ci.url));
    const conflict = await runCli(["clients", "list", "--json"], { env: withUrl(live.url) });
    expect(errorOf(conflict)).toMatchObject({ code: "option_conflict", exitCode: 2 });
    const control = {
      ...{ ...env, CLAIMS_SANDBOX_NAME: "ci" },
      ...{ CLAIMS_CONTROL_URL: `${live.url}/_sandbox`, CLAIMS_CONTROL_TOKEN: live.controlToken },
    };
    expect(errorOf(await runCli(["sandbox", "status", "--json"], { env: control })).code).toBe(
      "option_conflict",
    );
  });

  it("has no say in a run with --base-url, whose credential it does not share", async () => {
    const { env, ci } = await startOne();
    const elsewhere = await sandboxForTest();
    const given = { ...{ ...env, CLAIMS_SANDBOX_NAME: "ci" }, CLAIMS_API_KEY: ci.credentials.sandbox.apiKey };
    const result = await runCli(["clients", "list", "--base-url", elsewhere.url, "--json"], { env: given });
    expect(errorOf(result)).toMatchObject({ code: "credential_mismatch", exitCode: 4 });
    expect(errorOf(result).message).toContain('is for the sandbox "ci"');
  });

  it("has no environment for the service of --base-url, unless that is the sandbox", async () => {
    const { env, ci } = await startOne();
    const environmentOfService = async (baseUrl: string, environment: string) => {
      const given = { ...env, CLAIMS_SANDBOX_NAME: "ci", CLAIMS_ENVIRONMENT: environment };
      const { stdout } = await runCli(["auth", "status", "--base-url", baseUrl, "--json"], { env: given });
      return JSON.parse(stdout).environment;
    };
    expect(await environmentOfService("https://x.example", "sandbox")).toBe("production");
    expect(await environmentOfService("http://127.0.0.1:9", "production")).toBe("sandbox");
    expect(await environmentOfService(ci.url, "production")).toBe("production");
  });

  it("names the sandbox that up starts, and is not inherited by the command of exec", {
    tags: "large",
  }, async () => {
    const env = { ...bareEnvironment(), CLAIMS_SANDBOX_NAME: "ci" };
    await spawnSandboxUp(env);
    const inside = "claims sandbox status --json && claims clients list --json";
    const result = await runCli(["sandbox", "exec", "--", "sh", "-c", inside], { env });
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('"name": null') });
    expect(await readJson(["sandbox", "list"], env)).toMatchObject([{ name: "ci" }]);
    const refused = await runCli(["sandbox", "up", "--port", "0", "--json"], { env });
    expect(errorOf(refused)).toMatchObject({
      code: "already_up",
      hint: expect.stringContaining("claims sandbox down --sandbox-name ci"),
    });
  });

  it("does not survive the variables of another sandbox", async () => {
    const { env } = await startOne();
    const named = { ...env, CLAIMS_SANDBOX_NAME: "live" };
    const print = (...args: string[]) => runCli(["sandbox", "env", ...args], { env: named });
    expect((await print("--sandbox-name", "ci")).stdout).toContain("export CLAIMS_SANDBOX_NAME=''\n");
    expect((await print()).stdout).not.toContain("CLAIMS_SANDBOX_NAME");
  });

  it("is checked like the option", async () => {
    const env = { ...bareEnvironment(), CLAIMS_SANDBOX_NAME: "../x" };
    for (const command of ["clients list", "sandbox status"]) {
      const result = await runCli([...command.split(" "), "--json"], { env });
      expect(errorOf(result)).toMatchObject({ code: "option_invalid", exitCode: 2 });
    }
  });

  it("is read from --dotenv before the environment", async () => {
    const { env, ci, live } = await startTwo();
    const file = temporaryFile("env", "CLAIMS_SANDBOX_NAME=ci\n");
    const given = { ...env, CLAIMS_BASE_URL: live.url, CLAIMS_API_KEY: live.credentials.sandbox.apiKey };
    expect(await readJson(["auth", "status", "--dotenv", file], given)).toMatchObject({ baseUrl: ci.url });
  });
});
