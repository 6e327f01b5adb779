import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ScenarioName } from "../../src/domain/scenarios/scenario-names.ts";
import { type CliResult, runCli, temporaryFolder } from "../support/cli.ts";
import { parseItems } from "../support/entry-folder.ts";
import { environmentOf, sandboxForTest } from "../support/sandbox.ts";
import { createScenarioFile } from "../support/scenario-file.ts";
import { createTerminalContext } from "../support/terminal.ts";

/** A folder with a manifest of files that are named after their scenarios. */
function createBatch(scenarios: readonly ScenarioName[]) {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "in"));
  for (const [index, scenario] of scenarios.entries())
    writeFileSync(join(cwd, "in", `${scenario}.csv`), createScenarioFile(scenario, index + 1, 10 + index));
  const rows = scenarios.map((scenario) => `in/${scenario}.csv,Acme,R-${scenario}\n`);
  writeFileSync(join(cwd, "m.csv"), `file,seller,client_ref\n${rows.join("")}`);
  return cwd;
}

const statesOf = (result: CliResult) =>
  Object.fromEntries(parseItems(result).map(({ file, state }) => [file.replace("in/", ""), state]));

async function setUp(scenarios: readonly ScenarioName[]) {
  const sandbox = await sandboxForTest();
  const env = environmentOf(sandbox);
  const cwd = createBatch(scenarios);
  const batch = (...more: string[]) => runCli(["diligence", "batch", "m.csv", ...more], { env, cwd });
  const countPosts = async () =>
    (await sandbox.requests.list()).filter(({ method }) => method === "POST").length;
  return { env, cwd, batch, countPosts };
}

const FOUR = ["row-width", "partial", "clean", "fails-once"] as const;

describe("diligence batch with jobs that did not complete", () => {
  it("lists the files in the order of the manifest, each with its reason and what to do", async () => {
    const { batch } = await setUp(FOUR);
    const result = await batch("--wait");
    expect(result.code).toBe(9);
    const items = parseItems(result);
    expect(items).toMatchObject([
      {
        file: "in/row-width.csv",
        state: "failed",
        error: {
          ...{ code: "ROW_WIDTH", line: 2, message: expect.stringContaining("has 28 cells") },
          hint: "correct the file and run the batch again",
        },
      },
      {
        file: "in/partial.csv",
        state: "partial",
        error: { code: "job_partial", line: null, hint: "run the batch again with --resume" },
      },
      { file: "in/clean.csv", state: "completed", error: null },
      { file: "in/fails-once.csv", state: "failed", error: { code: "scenario_failure" } },
    ]);
    for (const { key } of items) expect(key).toMatch(/^[0-9a-f-]{36}$/);
    expect(result.stderr).toContain(
      "4 submissions: 1 completed, 1 partial, 2 failed; 4 of them sent by this run",
    );
    expect(result.stderr).toContain("error: 3 of 4 submissions not complete (1 partial, 2 failed)\n");
  });

  it("logs each file that is not complete once, with the time and what to do", async () => {
    const { batch } = await setUp(FOUR);
    for (const more of [[], ["-q"]]) {
      const { stderr } = await batch("--wait", ...more);
      const lines = stderr.split("\n").filter((line) => line.includes(" → "));
      expect(lines.sort((a, b) => (a.slice(25) < b.slice(25) ? -1 : 1))).toEqual([
        expect.stringMatching(/^\S+Z in\/fails-once\.csv: failed: line 8: The entry .* → run .* --resume$/),
        expect.stringMatching(/^\S+Z in\/partial\.csv: partial: the job ended .* → run .* --resume$/),
        expect.stringMatching(/^\S+Z in\/row-width\.csv: failed: line 2: .* → correct the file/),
      ]);
      for (const line of lines) expect(Date.parse(line.split(" ", 1)[0] ?? "")).not.toBeNaN();
    }
  });

  it("resumes what a resume can complete, once", async () => {
    const { batch, countPosts } = await setUp(FOUR);
    await batch();
    const posts = await countPosts();
    const resumed = await batch("--resume", "--wait");
    expect(resumed.code).toBe(9);
    expect(statesOf(resumed)).toEqual({
      "row-width.csv": "failed",
      "partial.csv": "completed",
      "clean.csv": "completed",
      "fails-once.csv": "completed",
    });
    expect(await countPosts()).toBe(posts + 2);
    await batch("--resume");
    expect(await countPosts()).toBe(posts + 2);
  });

  it("proposes no other resume for a job that was resumed in vain", async () => {
    const { batch } = await setUp(["fails-always"]);
    const hint = async (...more: string[]) => parseItems(await batch("--wait", ...more))[0]?.error?.hint;
    expect(await hint()).toContain("--resume");
    expect(await hint("--resume")).toBe("it was resumed in vain: correct the file, or ask the service");
  });
});

it.each([60, 80])("the tables of diligence batch fit a terminal of %i columns", async (columns) => {
  const env = environmentOf(await sandboxForTest());
  const cwd = createBatch(FOUR);
  writeFileSync(join(cwd, "copy.csv"), readFileSync(join(cwd, "in", "clean.csv")));
  writeFileSync(
    join(cwd, "m.csv"),
    `${readFileSync(join(cwd, "m.csv"), "utf8")}in/../copy.csv,Acme,R-copy\n`,
  );
  const { context, run, stdout } = createTerminalContext({ env: { ...env, NO_COLOR: "1" }, cwd });
  Object.assign(context.stdout, { columns });
  expect(await run("diligence", "batch", "m.csv", "--wait", "--concurrency", "1")).toBe(5);
  const longest = Math.max(...stdout.text.split("\n").map(({ length }) => length));
  expect(longest).toBeLessThanOrEqual(columns);
  const text = stdout.text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "7d9c1f20-0000-4000-8000-000000000000");
  if (columns === 80) await expect(text).toMatchFileSnapshot("tables/batch-80.txt");
});
