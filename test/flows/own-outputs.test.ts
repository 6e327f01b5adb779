import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { batchArgs, createEntryFolder, parseItems } from "../support/entry-folder.ts";
import { environmentOf, SELLER, sandboxForTest } from "../support/sandbox.ts";
import { countJobs } from "../support/sandbox-requests.ts";

const AS_OF = { frozenAt: "2026-11-20T00:00:00Z" };

/** A folder with one entry file, which was submitted, and the command line for this sandbox. */
async function setUp() {
  const sandbox = await sandboxForTest(AS_OF);
  const folder = createEntryFolder(0);
  copyFileSync(fixture("sample_entries.csv"), join(folder, "may.csv"));
  const cwd = temporaryFolder();
  const env = environmentOf(sandbox);
  const run = (...args: string[]) => runCli(args, { cwd, env });
  await run(...batchArgs(folder, "--wait", "--csv", "--out", "results.csv"));
  return { sandbox, folder, cwd, run };
}

type Setting = Awaited<ReturnType<typeof setUp>>;

const OUTPUTS: Record<string, (setting: Setting, path: string) => Promise<unknown>> = {
  "results of a batch": async ({ cwd }, path) => copyFileSync(join(cwd, "results.csv"), path),
  "some columns of them": ({ folder, run }, path) =>
    run(...batchArgs(folder, "--fields", "state,jobId,file", "--csv", "--out", path)),
  history: ({ run }, path) => run("history", "--csv", "--out", path),
  deadlines: ({ run }, path) => run("diligence", "deadlines", "--within", "99d", "--csv", "--out", path),
  "a dataset": ({ run }, path) => run("diligence", "dataset", "--last", "--csv", "--out", path),
  "a report": ({ run }, path) => run("diligence", "report", "--last", "--json", "--out", path),
  "a manifest": async (_, path) => writeFileSync(path, `file,seller\nmay.csv,"${SELLER}"\n`),
  "rejected rows": ({ run }, path) =>
    run("diligence", "check", fixture("bad_entries.csv"), "--rejected-csv", path),
};

describe("a file that the tool wrote, in a folder of entry files", () => {
  it.each(Object.entries(OUTPUTS))("is not sent: %s", async (_, write) => {
    const setting = await setUp();
    const { folder, run, sandbox } = setting;
    const path = join(temporaryFolder(), "output.csv");
    await write(setting, path);
    expect(existsSync(path)).toBe(true);
    copyFileSync(path, join(folder, "june.csv"));
    const result = await run(...batchArgs(folder, "--on-duplicate", "skip"));
    expect(parseItems(result).map(({ file, state }) => [file, state])).toEqual([
      ["june.csv", "invalid"],
      ["may.csv", "accepted"],
    ]);
    expect(result.stderr).toMatch(/june\.csv: invalid: june\.csv (is|holds) .*it was not sent → .*/);
    expect(result.code).toBe(5);
    expect(await countJobs(sandbox)).toBe(1);
    rmSync(join(folder, "june.csv"));
    expect((await run(...batchArgs(folder, "--on-duplicate", "skip"))).code).toBe(0);
  });
});

it("rejected rows that were corrected are sent with the columns that the tool added", async () => {
  const { folder, run, sandbox } = await setUp();
  const [header = "", row = ""] = readFileSync(fixture("sample_entries.csv"), "utf8").split(/\r?\n/);
  const corrected = row.replace("2025-12-14", "2025-12-15");
  writeFileSync(join(folder, "corrected.csv"), `${header},line,codes,reasons\n${corrected},2,,\n`);
  expect((await run(...batchArgs(folder, "--on-duplicate", "skip"))).code).toBe(0);
  expect(await countJobs(sandbox)).toBe(2);
});
