import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";

describe("--out", () => {
  it("writes the format that the suffix of the file names", async () => {
    const options = { env: environmentOf(await sandboxForTest()), cwd: temporaryFolder() };
    const claims = (...args: string[]) => runCli(["diligence", ...args], options);
    const read = (name: string) => readFileSync(join(options.cwd, name), "utf8");
    await runCli(submitArgs(fixture("sample_entries.csv"), "--wait"), options);

    for (const command of [["history"], ["dataset", "--last"], ["report", "--last"], ["template"]]) {
      for (const format of ["csv", "ndjson"]) {
        const { stdout } = await claims(...command, `--${format}`);
        const written = await claims(...command, "--out", `file.${format}`);
        expect(written).toMatchObject({ code: 0, stdout: "" });
        expect(read(`file.${format}`)).toBe(stdout);
      }
    }
    await claims("history", "--json", "--out", "given.csv");
    expect(JSON.parse(read("given.csv"))).toHaveLength(1);
  });

  it("says what it writes if the suffix names another format", async () => {
    const options = { env: environmentOf(await sandboxForTest()), cwd: temporaryFolder() };
    const { stderr } = await runCli(submitArgs(fixture("sample_entries.csv"), "--out", "job.csv"), options);
    expect(stderr).toContain("wrote job.csv as JSON\n");
    expect(existsSync(join(options.cwd, "job.csv"))).toBe(true);
    const { stderr: other } = await runCli(["diligence", "history", "--out", "history.json"], options);
    expect(other).toBe("");
  });
});

describe("the columns of a list", () => {
  it.each([
    ["history"],
    ["dataset", "--last"],
    ["status", "--last"],
    ["report", "--last"],
    ["check", fixture("sample_entries.csv"), fixture("bad_files/ragged_row.csv")],
    ["deadlines", "--within", "365d"],
  ])("have the names that --fields takes, and are the same in TSV and CSV: %s", async (...args) => {
    const options = { env: environmentOf(await sandboxForTest()) };
    await runCli(submitArgs(fixture("sample_entries.csv"), "--wait"), options);
    const claims = (...more: string[]) => runCli(["diligence", ...args, ...more], options);
    const [header = "", first = ""] = (await claims("--csv")).stdout.split("\r\n");
    const names = header.split(",");
    expect(names).not.toContain("");
    const { stdout } = await claims("--fields", header, "--csv");
    const [selected = "", same = ""] = stdout.split("\r\n");
    expect(selected).toBe(header);
    expect(same).toBe(first);
    // A single job is a card in a pipe.
    if (!["status", "report"].includes(args[0] ?? "")) {
      const [line = ""] = (await claims()).stdout.split("\n");
      expect(line.split("\t")).toHaveLength(names.length);
    }
  });
});
