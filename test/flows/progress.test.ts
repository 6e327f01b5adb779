import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { startSlowProxy } from "../support/slow-proxy.ts";
import { hasScript, runOnTerminal } from "../support/terminal-process.ts";

/** Runs `claims diligence wait` on a terminal of that width, for a job that ends when the sandbox's clock advances. */
async function waitOnTerminal(columns: number, ...more: string[]) {
  const sandbox = await sandboxForTest({ jobSpeed: "real" });
  const env = environmentOf(sandbox);
  const { stdout } = await runCli(submitArgs(fixture("sample_es003.csv"), "--json"), { env });
  const line = ["diligence", "wait", JSON.parse(stdout).jobId, ...more];
  return { sandbox, ...runOnTerminal(line, env, { columns, stderrOnly: true }) };
}

describe.skipIf(!hasScript)("progress of a command that takes longer than a second", () => {
  it("appears on a terminal and is erased at the end", async () => {
    const { sandbox, screen, completion } = await waitOnTerminal(100);
    await expect.poll(() => screen.text).toContain("queued");
    await sandbox.clock.advance("1s");
    await expect.poll(() => screen.text).toContain("processing: 511 of 511 rows");
    await sandbox.clock.advance("idle");
    expect(await completion, screen.text).toBe(0);
    expect(screen.text.trimEnd().endsWith("\u001b[?25h")).toBe(true);
  });

  it("shows the counts of a batch", { tags: "large" }, async () => {
    const sandbox = await sandboxForTest();
    const env = {
      ...environmentOf(sandbox),
      CLAIMS_BASE_URL: await startSlowProxy(sandbox.url, { beforeMs: 900, afterMs: 0 }),
    };
    const folder = join(temporaryFolder(), "entries");
    mkdirSync(folder);
    for (const name of ["a.csv", "b.csv", "c.csv"])
      copyFileSync(fixture("scenario_partial.csv"), join(folder, name));
    const options = "--on-duplicate submit --seller-name Acme --concurrency 1".split(" ");
    const line = ["diligence", "batch", folder, ...options];
    const { screen, completion } = runOnTerminal(line, env, { columns: 100 });
    expect(await completion, screen.text).toBe(0);
    expect(screen.text).toMatch(/1 of 3: 1 accepted/);
    const table = screen.text.slice(screen.text.lastIndexOf("3 submissions: 3 accepted"));
    expect(table).toMatch(/file +state +job[\s\S]*a\.csv +accepted +[0-9a-f-]{36} +Acme/);
  });
});
