import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
import { itEachFirst } from "../support/large.ts";
import { startMuteProxy, startProxy } from "../support/proxy.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { startScriptedService } from "../support/scripted-service.ts";

const waitArgs = submitArgs(fixture("scenario_partial.csv"), "--wait", "--json");

itEachFirst([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "an interrupted diligence submit --wait with %s exits %i, suggests diligence wait, and does not stop the job",
  async (signal, code) => {
    const sandbox = await sandboxForTest({ jobSpeed: "real" });
    const env = environmentOf(sandbox);
    const { child, completion, waitForOutput } = spawnCli(waitArgs, { env });
    const [, id = ""] = await waitForOutput(/"jobId":"([0-9a-f-]{36})"/, "stderr");
    // The job is visible, so the command waits for it.
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
    const finished = await runCli(["diligence", "wait", id, "--json"], { env });
    expect(finished.code).toBe(9);
    expect(JSON.parse(finished.stdout).totals.entriesDeferred).toBe(2);
  },
);

describe("an interrupted submission", () => {
  const submissionArgs = [...submitArgs(fixture("scenario_partial.csv")), "--yes", "--json"];

  it("reports an unknown outcome if the request was sent", async () => {
    const { env, requests } = await startScriptedService(() => {});
    const { stop, completion } = startCli(submissionArgs, { env });
    await expect.poll(() => requests.length).toBe(1);
    stop("SIGINT");
    const result = await completion;
    expect(result).toMatchObject({ code: 130, stdout: "" });
    expect(errorOf(result)).toMatchObject({
      code: "interrupted_unknown",
      hint: expect.stringContaining("run the command again: it uses the same key"),
    });
  });

  it("reports the interruption once, also with --verbose and for a batch", async () => {
    const { env, requests } = await startScriptedService(() => {});
    const verbose = startCli([...submitArgs(fixture("scenario_partial.csv")), "--yes", "-v"], { env });
    await expect.poll(() => requests.length).toBe(1);
    verbose.stop("SIGINT");
    const { stderr } = await verbose.completion;
    expect(stderr.match(/POST|interrupted|unknown error/g)).toEqual(["interrupted", "POST"]);

    const folder = temporaryFolder();
    for (const name of ["a.csv", "b.csv"]) writeFileSync(join(folder, name), `entry_number\n${name}\n`);
    const args = ["diligence", "batch", folder, "--seller-name", "Acme", "--check", "off", "--yes"];
    const batch = startCli(args, { env });
    await expect.poll(() => requests.length).toBe(3);
    batch.stop("SIGINT");
    expect((await batch.completion).stderr).toContain(
      "error: interrupted; 2 of 2 submissions not complete (2 outcome unknown)\n",
    );
  });

  it.runIf(process.platform === "linux")(
    "leaves a copy of stdin after SIGKILL, which the next command removes",
    { tags: "large" },
    async () => {
      const folder = temporaryFolder();
      let resolveArrival = () => {};
      const arrival = new Promise<void>((resolve) => {
        resolveArrival = resolve;
      });
      const { env } = await startScriptedService(() => resolveArrival());
      const copyEnv = { ...env, TMPDIR: folder };
      const copies = () => readdirSync(folder).filter((name) => name.startsWith("claims-input-"));
      const file = readFileSync(fixture("scenario_partial.csv"));
      const { completion, kill, stdin } = spawnCli([...submitArgs("-"), "--yes", "--json"], { env: copyEnv });
      stdin.end(file);
      await arrival;
      kill();
      await completion;
      expect(copies()).toHaveLength(1);
      await runCli(["diligence", "check", "-"], { env: copyEnv, input: file });
      expect(copies()).toEqual([]);
    },
  );

  it.each([
    ["the tunnel", false],
    ["TLS", true],
  ])("reports that nothing was sent if it waits for %s", async (_, opensTunnel) => {
    const { host, targets } = await startMuteProxy(opensTunnel);
    const env = { ...bareEnvironment(), CLAIMS_BASE_URL: "https://service.example", CLAIMS_API_KEY: "sk" };
    const { stop, completion } = startCli(submissionArgs, { env: { ...env, HTTPS_PROXY: host } });
    await expect.poll(() => targets.length).toBe(1);
    stop("SIGINT");
    const result = await completion;
    expect(result.code).toBe(130);
    expect(errorOf(result)).toMatchObject({ code: "interrupted" });
  });

  it("reports an unknown outcome if the request was sent through a tunnel", async () => {
    const { url, env, requests } = await startScriptedService(() => {}, { secure: true });
    const { host } = await startProxy(url);
    const proxyEnv = { ...env, CLAIMS_BASE_URL: "https://service.example", HTTPS_PROXY: host };
    const caFile = fileURLToPath(new URL("../support/tls/cert.pem", import.meta.url));
    const { stop, completion } = startCli([...submissionArgs, "--ca-file", caFile], { env: proxyEnv });
    await expect.poll(() => requests.length).toBe(1);
    stop("SIGTERM");
    const result = await completion;
    expect(result.code).toBe(143);
    expect(errorOf(result)).toMatchObject({ code: "interrupted_unknown" });
  });
});
