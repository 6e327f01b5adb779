import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { formatProcess } from "../../src/process/identity.ts";
import {
  bareEnvironment,
  errorOf,
  fixture,
  runCli,
  runProcess,
  spawnCli,
  temporaryFolder,
} from "../support/cli.ts";
import { isRunning, TEST_PROCESS } from "../support/processes.ts";
import { type Ready, SELLER, startSandboxUp, spawnSandboxUp as up } from "../support/sandbox.ts";

const run = promisify(execFile);

const locatorPath = (env: Record<string, string>, name = "default") =>
  join(env.CLAIMS_CONFIG_DIR ?? "", "state", `sandbox-${name}.json`);

describe("sandbox up", () => {
  it("prints one ready line, is found by other commands, and removes its locator after Ctrl-C", async () => {
    const env = bareEnvironment();
    const { child, completion, ready } = await up(env);
    expect(ready.pid).toBe(child.pid);
    expect(statSync(locatorPath(env)).mode & 0o777).toBe(0o600);

    const submission = await runCli(
      ["diligence", "submit", fixture("sample_es003.csv"), "--seller-name", SELLER, "--wait", "--json"],
      { env },
    );
    expect(submission.code).toBe(0);
    expect(submission.stderr).toContain(`using the local sandbox at ${ready.url}`);
    const status = await runCli(["sandbox", "status", "--json"], { env });
    expect(JSON.parse(status.stdout)).toMatchObject({ name: "default", url: ready.url, pid: ready.pid });

    child.kill("SIGINT");
    expect((await completion).code).toBe(0);
    expect(existsSync(locatorPath(env))).toBe(false);
    expect((await runCli(["sandbox", "status"], { env })).code).toBe(3);
  });

  it("exits 2 if a sandbox of that name runs, and starts under another name", async () => {
    const env = bareEnvironment();
    const { ready } = await startSandboxUp(env);
    const second = await runCli(["sandbox", "up", "--port", "0", "--json"], { env });
    expect(second).toMatchObject({ code: 2, stdout: "" });
    expect(errorOf(second)).toMatchObject({
      code: "already_up",
      hint: expect.stringContaining("--sandbox-name"),
    });
    const other = await startSandboxUp(env, "--sandbox-name", "ci");
    expect(other.ready.url).not.toBe(ready.url);
    expect((await runCli(["sandbox", "down", "--sandbox-name", "ci"], { env })).code).toBe(0);
    expect((await other.completion).code).toBe(0);
    expect((await runCli(["sandbox", "status"], { env })).code).toBe(0);
  });

  it("leaves no file after SIGHUP during an upload", { tags: "large" }, async () => {
    const folder = temporaryFolder();
    const env = bareEnvironment(folder);
    const { child, completion, ready } = await up(env);
    const { hostname, port } = new URL(ready.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on("error", () => {});
    const head = [
      "POST /v1/diligence/submit HTTP/1.1",
      `Host: ${hostname}`,
      `Authorization: Bearer ${ready.credentials.sandbox.apiKey}`,
      "Content-Type: multipart/form-data; boundary=b",
      "Content-Length: 2000000",
    ];
    const part =
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n';
    socket.write(`${head.join("\r\n")}\r\n\r\n${part}${"x".repeat(1_500_000)}`);
    await expect
      .poll(() => readdirSync(folder).some((name) => name.startsWith("claims-sandbox-")))
      .toBe(true);
    child.kill("SIGHUP");
    await completion;
    expect(readdirSync(folder)).toEqual(["config"]);
    expect(existsSync(locatorPath(env))).toBe(false);
  });

  it("--detach returns when the sandbox is ready, restricts its log, and sandbox down stops it", async () => {
    const env = bareEnvironment();
    const detached = await runProcess(["sandbox", "up", "--port", "0", "--detach", "--json"], { env });
    expect(detached.code, detached.stderr).toBe(0);
    const { url, pid } = JSON.parse(detached.stdout) as Ready;
    expect((await fetch(`${url}/_sandbox/ready`)).status).toBe(200);
    expect(statSync(join(env.CLAIMS_CONFIG_DIR ?? "", "state", "sandbox-default.log")).mode & 0o777).toBe(
      0o600,
    );
    const stopped = await runCli(["sandbox", "down", "--json"], { env });
    expect(JSON.parse(stopped.stdout)).toEqual({ name: "default", stopped: true, pid });
    // The pid may still exist until the new parent reaps the process.
    await expect(fetch(`${url}/_sandbox/ready`)).rejects.toThrow();
    const repeated = await runCli(["sandbox", "down", "--json"], { env });
    expect(repeated.code).toBe(0);
    expect(JSON.parse(repeated.stdout).stopped).toBe(false);
  });

  it("--detach reports why the sandbox did not start", { tags: "large" }, async () => {
    const env = bareEnvironment();
    const { ready } = await startSandboxUp(env);
    const { port } = new URL(ready.url);
    const up = ["sandbox", "up", "--sandbox-name", "other", "--port", port, "--detach", "--json"];
    const result = await runCli(up, { env });
    expect(result).toMatchObject({ code: 6, stdout: "" });
    expect(errorOf(result).message).toContain(port);
  });
});

it("sandbox env prints the variables for each shell", async () => {
  const env = bareEnvironment();
  const { ready } = await startSandboxUp(env);
  const bash = await runCli(["sandbox", "env"], { env });
  const script = `${bash.stdout}\nprintf '%s %s' "$CLAIMS_BASE_URL" "$CLAIMS_API_KEY"`;
  const { stdout } = await run("sh", ["-c", script]);
  expect(stdout).toBe(`${ready.url} ${ready.credentials.sandbox.apiKey}`);
  for (const [shell, pattern] of [
    ["fish", /^set -gx CLAIMS_BASE_URL '/m],
    ["dotenv", /^CLAIMS_BASE_URL="/m],
    ["powershell", /^\$env:CLAIMS_BASE_URL = '/m],
  ] as const) {
    expect((await runCli(["sandbox", "env", "--shell", shell], { env })).stdout).toMatch(pattern);
  }
});

describe("sandbox exec", () => {
  it("returns the exit code of the command and leaves no file", { tags: "large" }, async () => {
    const folder = temporaryFolder();
    const env = bareEnvironment(folder);
    expect((await runProcess(["sandbox", "exec", "--", "sh", "-c", "exit 7"], { env })).code).toBe(7);
    expect((await runCli(["sandbox", "exec", "sh", "-c", "kill -9 $$"], { env })).code).toBe(137);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("provides a sandbox without a locator, and claims on the PATH", async () => {
    const env = bareEnvironment();
    const script = 'set -e; claims --version; claims diligence submit "$1" --seller-name x --json';
    const line = ["sandbox", "exec", "--", "sh", "-c", script, "sh", fixture("scenario_partial.csv")];
    const { stdout, code } = await runCli(line, { env });
    expect(code).toBe(0);
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect(stdout).toMatch(`${version}\n`);
    expect(stdout).toMatch(/"state": ?"queued"/);
    expect(existsSync(locatorPath(env))).toBe(false);
  });

  it("is the sandbox of status and env within, and down there does not stop the default one", {
    tags: "large",
  }, async () => {
    const env = bareEnvironment();
    // A separate process, because exec and its children look for one.
    const { ready } = await up(env);
    const runInside = async (line: string) => runCli(["sandbox", "exec", "--", "sh", "-c", line], { env });
    const status = await runInside("claims sandbox status --json");
    expect(JSON.parse(status.stdout)).toMatchObject({ name: null, pid: null, clients: 2 });
    expect(JSON.parse(status.stdout).url).not.toBe(ready.url);
    const result = await runInside('claims sandbox env --shell dotenv; printf "%s\\n" "$CLAIMS_BASE_URL"');
    const [first] = result.stdout.split("\n");
    expect(first).toBe(`CLAIMS_BASE_URL=${JSON.stringify(result.stdout.trim().split("\n").at(-1))}`);
    expect(result.stdout).not.toContain(ready.url);
    const down = await runInside("claims sandbox down --json");
    expect(down).toMatchObject({ code: 0 });
    expect(JSON.parse(down.stdout)).toEqual({ name: null, stopped: false, pid: null });
    expect((await runCli(["sandbox", "status", "-q"], { env })).stdout).toBe("default\n");
    const other = await runInside("claims sandbox status --sandbox-name default -q");
    expect(other.stdout).toBe("default\n");
  });

  it("exits 2 if the command does not exist", async () => {
    const result = await runCli(["sandbox", "exec", "--json", "--", "no-such-program"]);
    expect(errorOf(result)).toMatchObject({ code: "cannot_run", exitCode: 2 });
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("ends the command and leaves no folder after %s", { tags: "large" }, async (signal, code) => {
    const folder = temporaryFolder();
    const args = ["sandbox", "exec", "--", "sh", "-c", "echo $$; exec sleep 60"];
    const { child, completion, waitForOutput } = spawnCli(args, { env: bareEnvironment(folder) });
    const [pid] = await waitForOutput(/^\d+\n/);
    expect(readdirSync(folder)).not.toEqual([]);
    child.kill(signal);
    expect((await completion).code).toBe(code);
    expect(readdirSync(folder)).toEqual([]);
    expect(isRunning(Number(pid))).toBe(false);
  });

  it("removes the folder of a dead run, but not of a live one", async () => {
    const folder = temporaryFolder();
    for (const pid of [TEST_PROCESS.pid, 2 ** 30])
      mkdirSync(join(folder, `claims-exec-${formatProcess({ ...TEST_PROCESS, pid })}-abcdef`));
    expect((await runCli(["sandbox", "exec", "true"], { env: bareEnvironment(folder) })).code).toBe(0);
    expect(readdirSync(folder)).toEqual([`claims-exec-${formatProcess(TEST_PROCESS)}-abcdef`]);
  });

  it("names TMPDIR if it cannot create its folder", async () => {
    const env = { ...bareEnvironment(), TMPDIR: "/dev/null" };
    const result = await runCli(["sandbox", "exec", "--json", "--", "true"], { env });
    expect(errorOf(result)).toMatchObject({ exitCode: 2, hint: expect.stringContaining("TMPDIR") });
  });
});
