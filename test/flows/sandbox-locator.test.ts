import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { bareEnvironment, errorOf, runCli, spawnCli, temporaryFolder } from "../support/cli.ts";
import { findFreePort, listenOnLoopback } from "../support/listen.ts";
import {
  ARBITRARY_USER,
  skipWithoutArbitraryUser,
  skipWithoutUnshare,
  UNSHARE,
} from "../support/namespaces.ts";
import { TEST_PROCESS } from "../support/processes.ts";
import { sandboxForTest, spawnSandboxThrough, startSandboxUp as up } from "../support/sandbox.ts";

const locatorPath = (env: Record<string, string>, name = "default") =>
  join(env.CLAIMS_CONFIG_DIR ?? "", "state", `sandbox-${name}.json`);

const readLocator = (env: Record<string, string>) => JSON.parse(readFileSync(locatorPath(env), "utf8"));

/** The locator that a killed sandbox left. */
let staleLocator: Record<string, unknown>;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "claims-test-"));
  const env = bareEnvironment(folder);
  const { waitForOutput, kill, completion } = spawnCli(["sandbox", "up", "--port", "0", "--json"], { env });
  await waitForOutput(/"event":"ready"/);
  kill();
  await completion;
  staleLocator = readLocator(env);
  rmSync(folder, { recursive: true });
});

/** Writes the locator of a killed sandbox, with some fields changed. */
function writeStaleLocator(env: Record<string, string>, change: Record<string, unknown>): void {
  mkdirSync(dirname(locatorPath(env)), { recursive: true, mode: 0o700 });
  writeFileSync(locatorPath(env), JSON.stringify({ ...staleLocator, ...change }), { mode: 0o600 });
}

describe("the locator file of a dead sandbox", () => {
  it("does not block a start if another program has its pid", async () => {
    const env = bareEnvironment();
    const otherProcess = spawn("sleep", ["60"]);
    onTestFinished(() => void otherProcess.kill());
    writeStaleLocator(env, { pid: otherProcess.pid });
    expect((await runCli(["sandbox", "status"], { env })).code).toBe(3);
    expect(existsSync(locatorPath(env))).toBe(false);
    writeStaleLocator(env, { pid: otherProcess.pid });
    const { ready } = await up(env);
    expect(readLocator(env)).toMatchObject({ pid: ready.pid, url: ready.url });
  });

  it("does not block a start if it was PID 1 of a container", { tags: "large" }, async (test) => {
    skipWithoutUnshare(test);
    const env = bareEnvironment();
    const state = ["--state", join(temporaryFolder(), "sandbox.state")];
    for (const _ of [1, 2]) {
      const { child, completion, ready } = await spawnSandboxThrough(UNSHARE, env, ...state);
      expect(ready.pid).toBe(1);
      const second = await runCli(["sandbox", "up", "--port", "0", "--json"], { env });
      expect(errorOf(second)).toMatchObject({ code: "already_up" });
      child.kill("SIGKILL");
      await completion;
      await expect.poll(() => fetch(ready.url).catch(() => null)).toBeNull();
    }
    const third = await up(env, ...state);
    expect(readLocator(env)).toMatchObject({ pid: third.ready.pid });
  });

  it("does not block a start if its process is alive but its port refuses connections", async () => {
    const env = bareEnvironment();
    writeStaleLocator(env, { ...TEST_PROCESS, url: `http://127.0.0.1:${await findFreePort()}` });
    const status = await runCli(["sandbox", "status", "--json"], { env });
    expect(errorOf(status)).toMatchObject({
      code: "no_sandbox",
      exitCode: 3,
      hint: expect.stringContaining("claims sandbox up"),
    });
    const { ready } = await up(env);
    expect(readLocator(env)).toMatchObject({ pid: ready.pid });
  });

  it("is removed by sandbox down if its port refuses connections", async () => {
    const env = bareEnvironment();
    writeStaleLocator(env, { ...TEST_PROCESS, url: `http://127.0.0.1:${await findFreePort()}` });
    const down = await runCli(["sandbox", "down", "--json"], { env });
    expect(down).toMatchObject({ code: 0, stderr: expect.stringContaining("removed its locator file") });
    expect(JSON.parse(down.stdout)).toMatchObject({ stopped: false });
    expect(existsSync(locatorPath(env))).toBe(false);
  });

  it("is not taken for another sandbox on its port", async () => {
    const env = bareEnvironment();
    const { url } = await sandboxForTest();
    // The locator has only a pid, so the process may be alive.
    writeStaleLocator(env, { pid: process.pid, startTime: undefined, pidNamespace: undefined, url });
    const { ready } = await up(env);
    expect(ready.url).not.toBe(url);
    await writeLocatorOfLiveProcess(env, url);
    const down = await runCli(["sandbox", "down", "--json"], { env });
    expect(JSON.parse(down.stdout)).toMatchObject({ stopped: false });
    expect((await fetch(`${url}/_sandbox/health`)).status).toBe(200);
  });

  const writeLocatorOfLiveProcess = async (env: Record<string, string>, url: string) =>
    writeFileSync(locatorPath(env), JSON.stringify({ ...readLocator(env), ...TEST_PROCESS, url }));

  it("is replaced when it is invalid", async () => {
    const env = bareEnvironment();
    writeStaleLocator(env, {});
    writeFileSync(locatorPath(env), "{");
    const { ready, stop, completion } = await up(env);
    expect(readLocator(env)).toMatchObject({ pid: ready.pid });
    stop("SIGTERM");
    const { stderr } = await completion;
    expect(stderr).toContain(locatorPath(env));
    expect(stderr).toContain("it is replaced");
  });
});

it("the locator file of a sandbox in another container is kept while its sandbox accepts connections and is too busy to respond", async () => {
  const env = bareEnvironment();
  const address = await listenOnLoopback(createServer(() => {}));
  // A start time of another system: whether the process is alive cannot be seen.
  writeStaleLocator(env, { pid: 1, startTime: "t0", url: `http://${address}` });
  const { stdout, stderr } = await runCli(["clients", "list", "--dry-run"], { env });
  expect(stdout + stderr).toContain(address);
  expect(readLocator(env)).toMatchObject({ pid: 1 });
});

it("a sandbox that hangs is named with the command that ends it", async () => {
  const env = bareEnvironment();
  const address = await listenOnLoopback(createServer(() => {}));
  writeStaleLocator(env, { ...TEST_PROCESS, url: `http://${address}` });
  const claims = async (...args: string[]) => errorOf(await runCli(["sandbox", ...args, "--json"], { env }));
  const [up, down] = await Promise.all([claims("up", "--port", "0"), claims("down")]);
  expect(up).toMatchObject({ code: "already_up", hint: expect.stringContaining("says how to stop it") });
  expect(down).toMatchObject({
    code: "still_up",
    hint: expect.stringContaining(`kill -9 ${TEST_PROCESS.pid}`),
  });
});

describe("a sandbox without a writable state folder", () => {
  const WARNED = { code: 0, stderr: expect.stringMatching(/^\{"warning":.*CLAIMS_CONFIG_DIR/m) };

  it("starts, and prints which variable to set", async () => {
    const env = { ...bareEnvironment(), CLAIMS_CONFIG_DIR: "/dev/null/claims" };
    const { ready, stop, completion } = await up(env);
    expect((await fetch(`${ready.url}/_sandbox/ready`)).status).toBe(200);
    stop("SIGTERM");
    expect(await completion).toMatchObject(WARNED);
    const status = await runCli(["sandbox", "status", "--json"], { env });
    expect(errorOf(status)).toMatchObject({
      code: "sandbox_state_invalid",
      hint: expect.stringContaining("CLAIMS_CONFIG_DIR"),
    });
  });

  it("does not start with --detach, because no command could find it", async () => {
    const env = { ...bareEnvironment(), CLAIMS_CONFIG_DIR: "/dev/null/claims" };
    const result = await runCli(["sandbox", "up", "--port", "0", "--detach", "--json"], { env });
    expect(errorOf(result)).toMatchObject({
      exitCode: 2,
      hint: expect.stringContaining("CLAIMS_CONFIG_DIR"),
    });
  });

  it("starts for a user without a home directory", { tags: "large" }, async (test) => {
    skipWithoutArbitraryUser(test);
    const { PATH = "" } = process.env;
    const folder = temporaryFolder();
    chmodSync(folder, 0o777);
    const env = { PATH, HOME: "/", TMPDIR: folder };
    const { ready, child, completion } = await spawnSandboxThrough(ARBITRARY_USER, env);
    expect((await fetch(`${ready.url}/_sandbox/ready`)).status).toBe(200);
    child.kill("SIGTERM");
    expect(await completion).toMatchObject(WARNED);
  });

  it("starts if its user cannot read the state folder", { tags: "large" }, async (test) => {
    skipWithoutArbitraryUser(test);
    const { PATH = "" } = process.env;
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const stateFolder = join(folder, "config", "state");
    mkdirSync(stateFolder, { recursive: true });
    chmodSync(stateFolder, 0o700);
    const env = { PATH, CLAIMS_CONFIG_DIR: join(folder, "config") };
    const { child, completion } = await spawnSandboxThrough(ARBITRARY_USER, env);
    child.kill("SIGTERM");
    expect(await completion).toMatchObject(WARNED);
  });
});
