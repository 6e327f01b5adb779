import { spawn } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { BIN, fixture, runCli } from "../helpers/cli.ts";
import { hasScript } from "../helpers/pty.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../helpers/sandbox.ts";

/** `claims diligence wait` on a terminal of that width, for a job that waits on the sandbox's clock. */
async function waitOnTerminal(columns: number, ...more: string[]) {
  const sandbox = await sandboxForTest({ jobSpeed: "real" });
  const env = environmentOf(sandbox);
  const { stdout } = await runCli(submitArgs(fixture("sample_es003.csv"), "--json"), { env });
  const words = [process.execPath, BIN, "diligence", "wait", JSON.parse(stdout).jobId, "--json", ...more];
  const command = `stty cols ${columns}; ${words.map((word) => `'${word}'`).join(" ")} > /dev/null`;
  const child = spawn("script", ["-qec", command, "/dev/null"], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const screen = { text: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen.text += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { sandbox, screen, ended };
}

describe.skipIf(!hasScript)("work that takes longer than a second", () => {
  it("shows how far it is on a terminal, and takes the line away in the end", async () => {
    const { sandbox, screen, ended } = await waitOnTerminal(100);
    await expect.poll(() => screen.text, { timeout: 10_000 }).toContain("queued");
    await sandbox.clock.advance("1s");
    await expect.poll(() => screen.text, { timeout: 10_000 }).toContain("processing: 511 of 511 rows");
    await sandbox.clock.advance("idle");
    expect(await ended, screen.text).toBe(0);
    expect(screen.text.trimEnd().endsWith("\u001b[?25h")).toBe(true);
  });

  it("shows nothing on a terminal without a width", async () => {
    const { screen, ended } = await waitOnTerminal(0, "--timeout", "1500ms");
    expect(await ended).toBe(8);
    expect(screen.text).not.toContain("\u001b[");
  });

  it("says nothing in a pipe", async () => {
    const env = environmentOf(await sandboxForTest({ jobSpeed: "real" }));
    const { stdout } = await runCli(submitArgs(fixture("scenario_partial.csv"), "--json"), { env });
    const args = ["diligence", "wait", JSON.parse(stdout).jobId, "--timeout", "1500ms", "--json"];
    expect((await runCli(args, { env })).stderr.split("\n").filter(Boolean)).toHaveLength(1);
  });
});
