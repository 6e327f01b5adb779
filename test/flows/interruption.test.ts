import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  bareEnvironment,
  errorOf,
  fixture,
  runCli,
  spawnCli,
  startCli,
  temporaryFolder,
} from "../support/cli.ts";
import { startMuteProxy, startProxy } from "../support/proxy.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { startScriptedService } from "../support/scripted-service.ts";

const args = submitArgs(fixture("scenario_partial.csv"), "--wait", "--json");

describe("stopping a command that waits", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "%s exits %i, names the command that goes on, and leaves the job alone",
    async (signal, code) => {
      const sandbox = await sandboxForTest({ jobSpeed: "real" });
      const env = environmentOf(sandbox);
      const { child, completion, waitForOutput } = spawnCli(args, { env });
      const [, id = ""] = await waitForOutput(/job ([0-9a-f-]{36})\n/, "stderr");
      // Let it get into the wait.
      await expect
        .poll(async () => (await runCli(["diligence", "status", id, "--json"], { env })).code)
        .toBe(0);
      child.kill(signal);
      const result = await completion;
      expect(result).toMatchObject({ code, stdout: "" });
      expect(errorOf(result)).toMatchObject({
        code: "interrupted",
        exitCode: code,
        hint: `claims diligence wait ${id}`,
      });

      await sandbox.clock.advance("idle");
      const waited = await runCli(["diligence", "wait", id, "--json"], { env });
      expect(waited.code).toBe(9);
      expect(JSON.parse(waited.stdout).totals.entriesDeferred).toBe(2);
    },
  );
});

describe("stopping a submission", () => {
  const submission = [...submitArgs(fixture("scenario_partial.csv")), "--yes", "--json"];

  it("that was sent reports an unknown outcome", async () => {
    const { env, requests } = await startScriptedService(() => {});
    const { stop, completion } = startCli(submission, { env });
    await expect.poll(() => requests.length).toBe(1);
    stop("SIGINT");
    const result = await completion;
    expect(result).toMatchObject({ code: 130, stdout: "" });
    expect(errorOf(result)).toMatchObject({
      code: "interrupted_unknown",
      hint: expect.stringContaining("run the command again: it uses the same key"),
    });
  });

  it.runIf(process.platform === "linux")(
    "with SIGKILL leaves a copy of stdin to the next command",
    async () => {
      const folder = temporaryFolder();
      let arrive = () => {};
      const arrived = new Promise<void>((resolve) => {
        arrive = resolve;
      });
      const { env } = await startScriptedService(() => arrive());
      const here = { ...env, TMPDIR: folder };
      const copies = () => readdirSync(folder).filter((name) => name.startsWith("claims-input-"));
      const file = readFileSync(fixture("scenario_partial.csv"));
      const { completion, kill, stdin } = spawnCli([...submitArgs("-"), "--yes", "--json"], { env: here });
      stdin.end(file);
      await arrived;
      kill();
      await completion;
      expect(copies()).toHaveLength(1);
      await runCli(["diligence", "check", "-"], { env: here, input: file });
      expect(copies()).toEqual([]);
    },
  );

  it("ignores the duplicate signal that npx, npm and timeout send", async () => {
    const { env, requests } = await startScriptedService(() => {});
    const { child, completion } = spawnCli(submission, { env });
    await expect.poll(() => requests.length).toBe(1);
    // Two of one kind could reach the process as one; of two kinds, either may be the first.
    child.kill("SIGINT");
    child.kill("SIGTERM");
    const result = await completion;
    expect([130, 143]).toContain(result.code);
    expect(errorOf(result).code).toBe("interrupted_unknown");
  });

  it.each([
    ["the tunnel", false],
    ["TLS", true],
  ])("that waits for %s reports that nothing was sent", async (_, opensTunnel) => {
    const { host, targets } = await startMuteProxy(opensTunnel);
    const env = { ...bareEnvironment(), CLAIMS_BASE_URL: "https://service.example", CLAIMS_API_KEY: "sk" };
    const { stop, completion } = startCli(submission, { env: { ...env, HTTPS_PROXY: host } });
    await expect.poll(() => targets.length).toBe(1);
    stop("SIGINT");
    const result = await completion;
    expect(result.code).toBe(130);
    expect(errorOf(result)).toMatchObject({ code: "interrupted" });
  });

  it("through a tunnel is reported in the same way", async () => {
    const { url, env, requests } = await startScriptedService(() => {}, { secure: true });
    const { host } = await startProxy(url);
    const through = { ...env, CLAIMS_BASE_URL: "https://service.example", HTTPS_PROXY: host };
    const authority = fileURLToPath(new URL("../support/tls/cert.pem", import.meta.url));
    const { stop, completion } = startCli([...submission, "--ca-file", authority], { env: through });
    await expect.poll(() => requests.length).toBe(1);
    stop("SIGTERM");
    const result = await completion;
    expect(result.code).toBe(143);
    expect(errorOf(result)).toMatchObject({ code: "interrupted_unknown" });
  });
});

describe("a closed stdout", () => {
  it("ends the command without an error", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const { stdout } = await runCli(submitArgs(fixture("sample_entries.csv"), "--wait", "--json"), { env });
    const { child, completion, waitForOutput } = spawnCli(
      ["diligence", "dataset", JSON.parse(stdout).jobId, "--json"],
      {
        env,
      },
    );
    await waitForOutput(/./);
    child.stdout?.destroy();
    expect(await completion).toMatchObject({ code: 0, stderr: "" });
  });
});
