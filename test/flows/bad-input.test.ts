import { spawnSync } from "node:child_process";
import { chmodSync, closeSync, ftruncateSync, mkdirSync, openSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  bareEnvironment,
  errorOf,
  fixture,
  PROGRAM,
  RUNS_ON_NODE,
  runCli,
  spawnCli,
  temporaryFile,
  temporaryFolder,
} from "../support/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

const VALID_FILE = fixture("scenario_partial.csv");
const UNKNOWN_JOB = "7d9c2f0e-1111-4222-8333-444455556666";

async function expectError(args: readonly string[], env: Record<string, string>) {
  const result = await runCli([...args, "--json"], { env });
  expect(result.stderr).not.toMatch(/\n\s+at /);
  expect(result.stdout).toBe("");
  return { ...errorOf(result), code: errorOf(result).code, exit: result.code };
}

describe("an entry file", () => {
  it.each([
    ["is missing", (folder: string) => join(folder, "none.csv"), "cannot_read", 2],
    ["is a folder", (folder: string) => folder, /cannot_read|invalid_input/, 2],
    ["is empty", () => fixture("bad_files/empty.csv"), "file_empty", 5],
  ])("is refused by submit and check if it %s", async (_, path, code, exit) => {
    const env = environmentOf(await sandboxForTest());
    for (const args of [
      submitArgs(path(temporaryFolder())),
      ["diligence", "check", path(temporaryFolder())],
    ]) {
      expect(await expectError(args, env)).toMatchObject({ code: expect.stringMatching(code), exit });
    }
  });

  it.skipIf(process.getuid?.() === 0)("exits 2 if it is unreadable", async () => {
    const path = temporaryFile("secret.csv", "x");
    chmodSync(path, 0);
    const env = environmentOf(await sandboxForTest());
    expect(await expectError(submitArgs(path), env)).toMatchObject({ code: "cannot_read", exit: 2 });
  });

  it("is refused with 413 during the upload if it has 300 MiB, and leaves no temporary file", async () => {
    const tempDir = temporaryFolder();
    const sandbox = await sandboxForTest({}, { tempDir });
    const path = join(temporaryFolder(), "large.csv");
    const handle = openSync(path, "w");
    ftruncateSync(handle, 300 * 1024 * 1024);
    closeSync(handle);
    const error = await expectError(submitArgs(path, "--check", "off"), environmentOf(sandbox));
    expect(error).toMatchObject({ code: "body_too_large", exit: 5 });
    await sandbox.close();
    expect(readdirSync(tempDir)).toEqual([]);
  });
});

describe("an invalid command line", () => {
  it.each([
    ["a missing seller name", ["diligence", "submit", VALID_FILE]],
    ["a missing job", ["diligence", "status"]],
    ["a date that does not exist", ["diligence", "check", VALID_FILE, "--as-of", "2026-02-30"]],
    ["--at without --frozen", ["sandbox", "up", "--at", "2026-11-20T00:00:00Z"]],
    ["a path without a leading slash", ["api", "GET", "v1/docs/openapi"]],
  ])("exits 2 with a hint for %s", async (_, args) => {
    const error = await expectError(args, {});
    expect(error.exit).toBe(2);
    expect(error.hint).toEqual(expect.any(String));
  });

  it.each([
    ["--timeout", ["diligence", "wait", UNKNOWN_JOB, "--timeout", "soon"]],
    ["--environment", ["diligence", "wait", UNKNOWN_JOB, "--environment", "staging"]],
    ["--base-url", ["diligence", "wait", UNKNOWN_JOB, "--base-url", "partners.example.com"]],
    ["--port", ["sandbox", "up", "--port", "99999"]],
    ["--scenario", ["sandbox", "csv", "--scenario", "claen"]],
    ["--typed-field", ["api", "POST", "/v1/clients", "-F", "name"]],
  ])("names the option whose value is wrong: %s", async (option, args) => {
    expect(await expectError(args, {})).toMatchObject({ code: "option_invalid", option });
  });

  it("names the argument or the variable whose value is wrong", async () => {
    expect(await expectError(["api", "FETCH", "/v1/clients"], {})).toMatchObject({ option: "method" });
    const variable = { CLAIMS_BASE_URL: "partners.example.com" };
    expect(await expectError(["clients", "list"], variable)).toMatchObject({ option: "CLAIMS_BASE_URL" });
  });

  it.each([
    [["diligence", "submit", VALID_FILE, "--seller", "Acme"], "did you mean --seller-name?"],
    [["diligence", "status", "x", "--ba", "y"], "did you mean --base-url?"],
    [["diligence", "re", "x"], 'did you mean "claims diligence report" or "claims diligence resume"?'],
    [["dili"], 'did you mean "claims diligence"?'],
    [["sandbox", "clock", "adv"], 'did you mean "claims sandbox clock advance"?'],
  ])("suggests by prefix: %j", async (args, hint) => {
    expect(await expectError(args, {})).toMatchObject({ exit: 2, hint });
  });

  it.each([
    ["submit", ""],
    ["submit", "  "],
    ["batch", "S".repeat(201)],
    ["check", "S".repeat(201)],
  ])("refuses a blank or too long --seller-name: %s %j", async (verb, name) => {
    const args = ["diligence", verb, VALID_FILE, "--seller-name", name];
    expect(await expectError(args, {})).toMatchObject({ code: "option_invalid", exit: 2 });
  });
});

describe("a job id", () => {
  it.each(["", ".", ".."])("is refused if it is %j, so that it reaches no other route", async (id) => {
    const env = environmentOf(await sandboxForTest());
    for (const verb of ["status", "report", "resume"])
      expect(await expectError(["diligence", verb, id], env)).toMatchObject({ code: "invalid_id", exit: 2 });
  });

  it("exits 8 for report and dataset while the job is running, and for a wait that times out", async () => {
    const env = environmentOf(await sandboxForTest({ jobSpeed: "real", frozenAt: "2026-11-20T00:00:00Z" }));
    const { stdout } = await runCli(submitArgs(VALID_FILE, "--json"), { env });
    const { jobId } = JSON.parse(stdout);
    const pending = { code: "still_pending", exit: 8 };
    for (const verb of ["report", "dataset"])
      expect(await expectError(["diligence", verb, jobId], env)).toMatchObject(pending);
    const timedOut = await runCli(["diligence", "wait", jobId, "--timeout", "200ms", "--json"], { env });
    expect(timedOut.code).toBe(8);
    expect(JSON.parse(timedOut.stdout).state).toBe("queued");
    expect(errorOf(timedOut).hint).toBe(`claims diligence wait ${jobId}`);
  });

  it("exits 9 for report and dataset if the job failed", async () => {
    const env = environmentOf(await sandboxForTest());
    const submit = submitArgs(fixture("bad_files/header_only.csv"), "--wait", "--json");
    const { jobId } = JSON.parse((await runCli(submit, { env })).stdout);
    const failed = { code: "job_failed", exit: 9 };
    for (const verb of ["report", "dataset"])
      expect(await expectError(["diligence", verb, jobId], env)).toMatchObject(failed);
  });
});

describe("child processes", () => {
  it.each([
    ["--ca-file", { args: ["--ca-file", "/nowhere.pem"], env: {}, code: "cannot_read" }],
    ["CLAIMS_ENVIRONMENT", { args: [], env: { CLAIMS_ENVIRONMENT: "staging" }, code: "option_invalid" }],
  ])("do not keep a command with an invalid %s running", async (_, { args, env, code }) => {
    const command = ["api", "GET", "/v1/docs/openapi", "--sandbox", ...args];
    expect(await expectError(command, { ...bareEnvironment(), ...env })).toMatchObject({ code, exit: 2 });
  });

  it("end if sandbox up --detach is interrupted", { tags: "large" }, async () => {
    const env = bareEnvironment();
    const { child, completion } = spawnCli(["sandbox", "up", "--port", "0", "--detach"], { env });
    child.kill("SIGINT");
    await completion;
    expect((await runCli(["sandbox", "status"], { env })).code).toBe(3);
  });
});

describe("a missing service or folder", () => {
  it("exits 4 without a base URL and a sandbox, and hints at both", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "config"));
    const error = await expectError(["diligence", "status", UNKNOWN_JOB], {
      CLAIMS_CONFIG_DIR: join(folder, "config"),
    });
    expect(error).toMatchObject({ code: "no_service", exit: 4 });
    expect(error.hint).toMatch(/claims sandbox up.*CLAIMS_BASE_URL/);
  });

  it("exits 2 for --out in a missing folder", async () => {
    const nowhere = join(temporaryFolder(), "no", "report.json");
    expect(await expectError(["diligence", "check", VALID_FILE, "--out", nowhere], {})).toMatchObject({
      code: "cannot_write",
      message: `cannot write ${nowhere}: its folder does not exist; nothing was left behind`,
      hint: `create the folder ${dirname(nowhere)}, or name another file`,
    });
  });

  it.each([
    submitArgs(VALID_FILE),
    ["clients", "create", "--name", "Acme"],
    ["diligence", "batch", dirname(VALID_FILE), "--seller-name", "Acme", "--batch-log", "b.jsonl"],
  ])("sends nothing for --out in a missing folder: %s %s", async (...args) => {
    const { env, requests } = await startScriptedService((_, response) => sendJson(response, 200, {}));
    const error = await expectError([...args, "--out", join(temporaryFolder(), "no", "x.json")], env);
    expect([error.code, error.exit, requests]).toEqual(["cannot_write", 2, []]);
  });

  it("exits 2 for diligence pull into a file", async () => {
    const env = environmentOf(await sandboxForTest());
    const { stdout } = await runCli(submitArgs(fixture("sample_entries.csv"), "--wait", "--json"), { env });
    const error = await expectError(["diligence", "pull", JSON.parse(stdout).jobId, "-d", VALID_FILE], env);
    expect(error).toMatchObject({ code: "cannot_write", exit: 2 });
  });

  it.runIf(RUNS_ON_NODE)("exits 2 if the working directory was removed", async () => {
    const folder = join(temporaryFolder(), "gone");
    mkdirSync(folder);
    const line = 'rmdir "$PWD" && exec "$0" "$@"';
    const args = ["-c", line, ...PROGRAM.self, "history", "--submissions", "--json"];
    const { status, stdout, stderr } = spawnSync("bash", args, {
      cwd: folder,
      env: bareEnvironment(),
      encoding: "utf8",
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "cannot_read", exitCode: 2 } });
  });

  it.skipIf(process.getuid?.() !== 0)(
    "runs without a home directory, as an unknown user",
    {
      tags: "large",
    },
    async () => {
      const { status, stderr } = spawnSync(
        PROGRAM.self[0],
        [...PROGRAM.self.slice(1), "history", "--submissions", "--json"],
        { cwd: "/", env: { PATH: process.env.PATH }, uid: 54_321, encoding: "utf8" },
      );
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    },
  );
});
