import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatTime } from "../../src/domain/times.ts";
import { bareEnvironment, runCli, temporaryFolder } from "../support/cli.ts";
import { spawnSandboxUp, startSandboxUp } from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

const readStatus = async (env: Record<string, string>) =>
  JSON.parse((await runCli(["sandbox", "status", "--json"], { env })).stdout);

const createClient = (env: Record<string, string>, name: string) =>
  runCli(["clients", "create", "--name", name, "--importer-number", "98-7654321"], { env });

describe("sandbox up --state", () => {
  it("saves a change while the sandbox runs, so that kill -9 loses only what came later", {
    tags: "large",
  }, async () => {
    const env = bareEnvironment();
    const file = join(temporaryFolder(), "sandbox.state");
    const killed = await spawnSandboxUp(env, "--state", file);
    expect(await readStatus(env)).toMatchObject({ saved: null });
    expect(existsSync(file)).toBe(false);
    expect((await createClient(env, "Blue Anchor Tools, Inc.")).code).toBe(0);
    await expect.poll(() => readStatus(env)).toMatchObject({ saved: { durationMs: expect.any(Number) } });
    killed.kill();
    await killed.completion;

    const next = await startSandboxUp(env, "--state", file);
    expect((await readStatus(env)).clients).toBe(3);
    next.stop("SIGTERM");
    expect((await next.completion).code).toBe(0);
  });

  it("saves the clock too, and nothing when nothing changed", async () => {
    const env = bareEnvironment();
    const file = join(temporaryFolder(), "sandbox.state");
    await startSandboxUp(env, "--state", file, "--frozen", "--at", "2026-11-20T00:00:00Z");
    expect((await runCli(["sandbox", "clock", "advance", "3d"], { env })).code).toBe(0);
    await expect.poll(() => readStatus(env)).toMatchObject({ saved: { at: expect.any(String) } });
    const { saved } = await readStatus(env);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect((await readStatus(env)).saved).toEqual(saved);
  });

  it("leaves the file alone after another sandbox took it over", async () => {
    const env = bareEnvironment();
    const file = join(temporaryFolder(), "sandbox.state");
    const { waitForOutput } = await startSandboxUp(env, "--state", file);
    // As another container does, when this one was suspended.
    rmSync(`${file}.lock`, { recursive: true });
    await createClient(env, "Blue Anchor Tools, Inc.");
    await waitForOutput(/the state is not saved: .* was taken over by another command/, "stderr");
    expect(existsSync(file)).toBe(false);
  });

  it("does not overwrite a file that another program changed, and saves once it is moved away", async () => {
    const env = bareEnvironment();
    const file = join(temporaryFolder(), "sandbox.state");
    const { waitForOutput } = await startSandboxUp(env, "--state", file);
    writeFileSync(file, "of another program");
    await createClient(env, "Blue Anchor Tools, Inc.");
    await waitForOutput(/the state is not saved: another program changed .*; move that file away/, "stderr");
    expect(readFileSync(file, "utf8")).toBe("of another program");
    renameSync(file, `${file}.away`);
    await expect.poll(() => existsSync(file)).toBe(true);
  });

  it("says since when saves fail, until one succeeds", { tags: "large" }, async () => {
    const env = bareEnvironment();
    const folder = join(temporaryFolder(), "state");
    mkdirSync(folder);
    const file = join(folder, "sandbox.state");
    await startSandboxUp(env, "--state", file);
    expect(await readStatus(env)).toMatchObject({ saved: null, saveFailure: null });
    renameSync(folder, `${folder}.away`);
    await createClient(env, "Blue Anchor Tools, Inc.");
    await expect.poll(() => readStatus(env)).toMatchObject({ saveFailure: { since: expect.any(String) } });
    const { saved, saveFailure } = await readStatus(env);
    expect([saved, saveFailure.message]).toEqual([null, expect.stringContaining("sandbox.state")]);
    const terminal = createTerminalContext({ env });
    expect(await terminal.run("sandbox", "status", "--no-color")).toBe(0);
    expect(terminal.stdout.text).toContain(`not saved since ${formatTime(saveFailure.since)}: cannot`);
    renameSync(`${folder}.away`, folder);
    await expect.poll(() => readStatus(env)).toMatchObject({ saved: expect.anything(), saveFailure: null });
  });
});
