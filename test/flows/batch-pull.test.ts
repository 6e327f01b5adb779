import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture, runCli } from "../support/cli.ts";
import { batchArgs, createFiles, parseSortedItems, runFolder } from "../support/entry-folder.ts";
import { environmentOf, sandboxForTest } from "../support/sandbox.ts";
import { countJobs } from "../support/sandbox-requests.ts";

const ENTRIES = fixture("scenario_partial.csv");

describe("diligence batch --wait and --pull", () => {
  it("pulls each job once, and exits with the code of the worst failure", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const { folder, home } = createFiles(2);
    copyFileSync(fixture("sample_entries.csv"), join(folder, "good.csv"));
    const pulled = join(home, "pulled");
    const first = await runFolder(env, folder, "--pull", pulled);
    expect(first.code).toBe(9);
    expect(parseSortedItems(first)).toMatchObject([
      { file: "file-00.csv", state: "partial", error: { code: "job_partial" } },
      { file: "file-01.csv", state: "partial" },
      { file: "good.csv", state: "completed", outcome: expect.any(String), error: null },
    ]);
    expect(readdirSync(pulled).sort()).toEqual(["file-00", "file-01", "good"]);
    const manifest = join(pulled, "good", "manifest.json");
    const before = readFileSync(manifest, "utf8");
    expect(JSON.parse(before).jobId).toBe(parseSortedItems(first)[2]?.jobId);

    writeFileSync(join(pulled, "file-00", "manifest.json"), "{");
    const second = await runFolder(env, folder, "--pull", pulled);
    expect(second.stderr).toContain("0 of them sent by this run");
    expect(readFileSync(manifest, "utf8")).toBe(before);
    expect(JSON.parse(readFileSync(join(pulled, "file-00", "manifest.json"), "utf8")).jobId).toBe(
      parseSortedItems(second)[0]?.jobId,
    );
    expect(await countJobs(sandbox)).toBe(3);
  });

  it("pulls only into the given folder, whatever the files are named", async () => {
    const env = environmentOf(await sandboxForTest());
    const { folder, home } = createFiles(0);
    for (const name of ["...csv", ".csv"]) copyFileSync(ENTRIES, join(folder, name));
    const path = join(home, "manifest.csv");
    writeFileSync(path, "file,seller\nentries/...csv,A\nentries/.csv,B\n");
    const pulled = join(home, "pulled");
    const done = await runCli(["diligence", "batch", path, "--pull", pulled, "--on-duplicate", "submit"], {
      env,
    });
    expect(done.stderr).toContain("2 of them sent by this run");
    expect(readdirSync(home).sort()).toEqual(["entries", "manifest.batch.jsonl", "manifest.csv", "pulled"]);
    expect(readdirSync(pulled).sort()).toEqual(["_", "_.."]);
  });

  it("submits a changed file again, with a warning", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const { folder, home } = createFiles(2);
    const pulled = join(home, "pulled");
    await runFolder(env, folder, "--pull", pulled);
    copyFileSync(fixture("sample_entries.csv"), join(folder, "file-01.csv"));
    const rerun = await runFolder(env, folder, "--pull", pulled, "--timeout", "1m");
    const [, { jobId } = {}] = parseSortedItems(rerun);
    expect(JSON.parse(readFileSync(join(pulled, "file-01", "manifest.json"), "utf8")).jobId).toBe(jobId);
    expect(rerun.stderr).toContain("file-01.csv or its metadata changed since job");
    expect(rerun.stderr).toContain("1 of them sent by this run");
    expect(await countJobs(sandbox)).toBe(3);
  });

  it("writes no batch log with --sandbox", async () => {
    const { folder, home } = createFiles(2);
    const result = await runCli(batchArgs(folder, "--sandbox"));
    expect(result.code).toBe(9);
    expect(parseSortedItems(result).map(({ state }) => state)).toEqual(["partial", "partial"]);
    expect(readdirSync(home)).toEqual(["entries"]);
  });
});
