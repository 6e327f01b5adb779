import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ScenarioName } from "../../src/domain/scenarios/scenarios.ts";
import { type CliResult, errorOf, runCli, temporaryFolder } from "../support/cli.ts";
import { parseItems } from "../support/entry-folder.ts";
import { environmentOf, sandboxForTest } from "../support/sandbox.ts";
import { createScenarioFile } from "../support/scenario-file.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
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
        expect.stringMatching(/^\S+Z in\/fails-once\.csv: failed: scenario_failure.* → run .* --resume$/),
        expect.stringMatching(/^\S+Z in\/partial\.csv: partial: the job ended .* → run .* --resume$/),
        expect.stringMatching(/^\S+Z in\/row-width\.csv: failed: ROW_WIDTH, line 2: .* → correct the file/),
      ]);
      for (const line of lines) expect(Date.parse(line.split(" ", 1)[0] ?? "")).not.toBeNaN();
    }
  });

  it("shows the state of each submission with --status, and submits nothing", async () => {
    const { batch, countPosts } = await setUp(FOUR);
    const before = await batch("--status");
    expect(before.code).toBe(8);
    expect(new Set(Object.values(statesOf(before)))).toEqual(new Set(["not sent"]));
    await batch();
    const posts = await countPosts();
    const after = await batch("--status");
    expect(after.code).toBe(9);
    expect(statesOf(after)).toEqual({
      "row-width.csv": "failed",
      "partial.csv": "partial",
      "clean.csv": "completed",
      "fails-once.csv": "failed",
    });
    expect(parseItems(after)[0]?.error).toMatchObject({ code: "ROW_WIDTH", line: 2 });
    expect(await countPosts()).toBe(posts);
    const conflict = await batch("--status", "--resume", "--json");
    expect(errorOf(conflict)).toMatchObject({ code: "option_conflict", exitCode: 2 });
  });

  it("shows a file that the next run does not send either, because it was accepted under another name", async () => {
    const { batch, cwd } = await setUp(["clean", "mixed"]);
    copyFileSync(join(cwd, "in/clean.csv"), join(cwd, "in/mixed.csv"));
    expect((await batch()).code).toBe(5);
    const shown = await batch("--status");
    expect(shown.code).toBe(5);
    expect(statesOf(shown)).toEqual({ "clean.csv": "completed", "mixed.csv": "duplicate" });
    const skipping = await batch("--status", "--on-duplicate", "skip");
    expect(skipping.code).toBe(0);
    expect(statesOf(skipping)).toEqual({ "clean.csv": "completed", "mixed.csv": "completed" });
    expect(statesOf(await batch("--status", "--on-duplicate", "submit"))["mixed.csv"]).toBe("not sent");
  });

  it("pulls the datasets in the format of --format", async () => {
    const { batch, cwd } = await setUp(["clean"]);
    expect((await batch("--pull", "pulled", "--format", "csv")).code).toBe(0);
    expect(readFileSync(join(cwd, "pulled/clean/dataset.csv"), "utf8")).toMatch(/^line,entryNumber,/);
    const conflict = await batch("--format", "csv", "--json");
    expect(errorOf(conflict)).toMatchObject({ code: "option_conflict", exitCode: 2 });
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

  it("limits itself to one outcome with --only", async () => {
    const { batch, countPosts } = await setUp(FOUR);
    await batch();
    const posts = await countPosts();
    expect(statesOf(await batch("--only", "failed", "--status"))).toEqual({
      "row-width.csv": "failed",
      "fails-once.csv": "failed",
    });
    const failed = await batch("--only", "failed");
    expect(parseItems(failed).map(({ error }) => error?.code)).toEqual(["ROW_WIDTH", "scenario_failure"]);
    expect(await countPosts()).toBe(posts);
    const partial = await batch("--only", "partial", "--resume", "--wait");
    expect([partial.code, statesOf(partial)]).toEqual([0, { "partial.csv": "completed" }]);
    expect(await countPosts()).toBe(posts + 1);
    const none = await batch("--only", "unknown");
    expect([none.code, none.stdout]).toEqual([0, ""]);
  });

  it("selects submissions with unknown outcome and refused ones", async () => {
    const cwd = createBatch(["clean", "partial", "fails-once"]);
    const { env, requests } = await startScriptedService((request, response, count) => {
      if (request.method !== "POST") return sendJson(response, 404, { detail: "none" });
      if (count === 1) return void request.socket.destroy();
      // The second request reads the contract.
      if (count === 3) return sendJson(response, 422, { detail: "no" });
      sendJson(response, 202, { jobId: `j-${count}` });
    });
    const batch = (...more: string[]) =>
      runCli(["diligence", "batch", "m.csv", "--concurrency", "1", ...more], { env, cwd });
    expect((await batch()).stderr).toContain("1 accepted, 1 refused, 1 outcome unknown");
    const unknown = await batch("--only", "unknown", "--status");
    expect([unknown.code, statesOf(unknown)]).toEqual([10, { "clean.csv": "unknown" }]);
    expect(parseItems(unknown)[0]?.key).toBe(requests[0]?.headers["idempotency-key"]);
    expect(statesOf(await batch("--only", "failed", "--status"))).toEqual({ "partial.csv": "refused" });
    const resent = await batch("--only", "unknown", "--resend-unknown");
    expect([resent.code, statesOf(resent)]).toEqual([0, { "clean.csv": "accepted" }]);
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(4);
  });

  it("shows --status while another process runs the batch", async () => {
    const { batch, cwd } = await setUp(["clean"]);
    mkdirSync(join(cwd, "m.batch.jsonl.lock"));
    writeFileSync(join(cwd, "m.batch.jsonl.lock", `${process.pid}-abcdef01-0`), "");
    expect(statesOf(await batch("--status"))).toEqual({ "clean.csv": "not sent" });
  });

  it("submits the valid files, and exits 5 for the others", async () => {
    const { batch, countPosts, cwd } = await setUp(["row-width", "clean"]);
    writeFileSync(
      join(cwd, "m.csv"),
      `${readFileSync(join(cwd, "m.csv"), "utf8")}in/none.csv,Acme,R-none\nx\n`,
    );
    const result = await batch("--check", "strict");
    expect(result.code).toBe(5);
    expect(parseItems(result)).toMatchObject([
      { file: "in/row-width.csv", state: "invalid", error: { code: "check_failed" } },
      { file: "in/clean.csv", state: "accepted", error: null },
      { file: "in/none.csv", state: "invalid", error: { code: "cannot_read", line: 4 } },
      { file: "x", state: "invalid", error: { code: "cell_count", line: 5 } },
    ]);
    expect(await countPosts()).toBe(1);
    const shown = await batch("--status");
    expect(shown.code).toBe(5);
    const [, second, ...others] = parseItems(result);
    expect(parseItems(shown).slice(1)).toEqual([{ ...second, state: "completed" }, ...others]);
  });

  it("writes what is not complete to --failed-csv", async () => {
    const { batch, cwd } = await setUp(FOUR);
    const read = () => readFileSync(join(cwd, "failed.csv"), "utf8").split("\r\n");
    await batch("--wait", "--failed-csv", "failed.csv");
    const [header, ...rows] = read();
    expect(header).toBe(
      "file,state,outcome,jobId,seller,client_ref,key,error.code,error.line,error.message,error.hint",
    );
    expect(rows.filter(Boolean).map((row) => row.split(",")[0])).toEqual([
      "in/row-width.csv",
      "in/partial.csv",
      "in/fails-once.csv",
    ]);
    expect(rows[0]).toMatch(
      /^in\/row-width\.csv,failed,,[0-9a-f-]{36},Acme,R-row-width,[0-9a-f-]{36},ROW_WIDTH,2,"Line 2/,
    );
    expect(statSync(join(cwd, "failed.csv")).mode & 0o777).toBe(0o600);
    await batch("--only", "partial", "--resume", "--wait", "--failed-csv", "failed.csv");
    expect(read()).toEqual([header, ""]);
    const conflict = await batch("--failed-csv", "m.csv", "--json");
    expect(errorOf(conflict)).toMatchObject({ code: "option_conflict", exitCode: 2 });
  });
});

describe("the tables of diligence batch", () => {
  it.each([60, 80, 120])("fit a terminal of %i columns", async (columns) => {
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
    await expect(text).toMatchFileSnapshot(`tables/batch-${columns}.txt`);
  });

  it("shows names that are longer than a line completely", async () => {
    const env = environmentOf(await sandboxForTest());
    const cwd = temporaryFolder();
    const names = ["first", "second"].map((end) => `${"entries".repeat(12)}${end}.csv`);
    for (const name of names) writeFileSync(join(cwd, name), createScenarioFile("clean", 1));
    const { context, run, stdout } = createTerminalContext({ env: { ...env, NO_COLOR: "1" }, cwd });
    Object.assign(context.stdout, { columns: 60 });
    expect(await run("diligence", "batch", ".", "--seller-name", "Acme", "--status")).toBe(8);
    const [table = ""] = stdout.text.split("\n\n");
    const fileCells = table.split("\n").map((line) => line.split(/\s/)[0]);
    for (const name of names) expect(fileCells.join("")).toContain(name);
  });
});
