import { spawn, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { BIN, fixture, runCli } from "../helpers/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../helpers/sandbox.ts";

/** `script` gives a program a terminal of its own. */
const hasScript = spawnSync("script", ["--version"]).status === 0;

describe.skipIf(!hasScript)("work that takes longer than a second", () => {
  it("shows how far it is on a terminal, and takes the line away in the end", async () => {
    const sandbox = await sandboxForTest({ jobSpeed: "real" });
    const env = environmentOf(sandbox);
    const submit = submitArgs(fixture("sample_es003.csv"), "--json");
    const { jobId } = JSON.parse((await runCli(submit, { env })).stdout);
    const command = [process.execPath, BIN, "diligence", "wait", jobId, "--json"]
      .map((word) => `'${word}'`)
      .join(" ");
    const child = spawn("script", ["-qec", `stty cols 100; ${command} > /dev/null`, "/dev/null"], { env });
    let seen = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      seen += text;
    });
    await expect.poll(() => seen, { timeout: 10_000 }).toContain("queued");
    await sandbox.clock.advance("1s");
    await expect.poll(() => seen, { timeout: 10_000 }).toContain("processing: 511 of 511 rows");
    await sandbox.clock.advance("idle");
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect(code, seen).toBe(0);
    expect(seen.trimEnd().endsWith("\u001b[?25h")).toBe(true);
  });

  it("says nothing in a pipe", async () => {
    const sandbox = await sandboxForTest({ jobSpeed: "real" });
    const env = environmentOf(sandbox);
    const submit = submitArgs(fixture("scenario_partial.csv"), "--json");
    const { jobId } = JSON.parse((await runCli(submit, { env })).stdout);
    const waited = await runCli(["diligence", "wait", jobId, "--timeout", "1500ms", "--json"], { env });
    expect(waited.stderr.split("\n").filter(Boolean)).toHaveLength(1);
  });
});
