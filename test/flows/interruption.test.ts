import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli, startCli } from "../helpers/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../helpers/sandbox.ts";

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
      const { child, ended, seen } = startCli(args, { env });
      const [, id = ""] = await seen(/job ([0-9a-f-]{36})\n/, "stderr");
      // Let it get into the wait.
      await expect
        .poll(async () => (await runCli(["diligence", "status", id, "--json"], { env })).code)
        .toBe(0);
      child.kill(signal);
      const result = await ended;
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

describe("a reader that leaves early", () => {
  it("ends the command quietly", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const { stdout } = await runCli(submitArgs(fixture("sample_entries.csv"), "--wait", "--json"), { env });
    const { child, ended, seen } = startCli(["diligence", "dataset", JSON.parse(stdout).jobId, "--json"], {
      env,
    });
    await seen(/./);
    child.stdout.destroy();
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
  });
});
