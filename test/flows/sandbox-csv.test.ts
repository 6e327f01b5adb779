import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Layout } from "../../src/domain/entries/entry.ts";
import { SCENARIO_SELLER } from "../../src/domain/scenarios/draft.ts";
import { SCENARIO_NAMES, type ScenarioName } from "../../src/domain/scenarios/scenario-names.ts";
import { getScenario } from "../../src/domain/scenarios/scenarios.ts";
import { errorOf, runCli, spawnCli, temporaryFile, temporaryFolder } from "../support/cli.ts";
import { describeEachFirst } from "../support/large.ts";
import { controlEnvironmentOf, GOLDEN_TIME, sandboxForTest } from "../support/sandbox.ts";
import { forecastOutcome } from "../support/scenario-file.ts";

const AS_OF = GOLDEN_TIME.slice(0, 10);

const runCsv = (...options: string[]) => runCli(["sandbox", "csv", ...options]);

/** One scenario of `sandbox scenarios --json`. */
interface ScenarioInfo {
  readonly name: ScenarioName;
  readonly minRows: Readonly<Record<Layout, number>>;
  readonly state: string;
  readonly failureCode: string | null;
  readonly exitCode: number;
  readonly review: string | null;
  readonly resumed: { readonly state: string; readonly exitCode: number } | null;
  readonly description: string;
}

interface Report {
  readonly layout: string;
  readonly totals: Readonly<Record<string, number>>;
  readonly byClassification: Readonly<Record<string, { readonly entries: number }>>;
  readonly warnings: Readonly<Record<string, number>>;
  readonly rejections: readonly { readonly errors: readonly { readonly code: string }[] }[];
  readonly rf8Review: { readonly outcome: string };
}

/** The report of a job, or the job itself if it has no report. */
type JobResult = Report & { readonly state?: string; readonly failure?: { readonly code: string } };

/** Checks the result of a job against the scenario and the forecast. */
function expectJobResult(
  jobResult: JobResult,
  scenario: ScenarioInfo,
  { entries, rejected, deferred }: ReturnType<typeof forecastOutcome>,
): void {
  if (scenario.state === "failed") {
    expect(jobResult).toMatchObject({ state: "failed", failure: { code: scenario.failureCode } });
    return;
  }
  expect(jobResult.totals).toMatchObject({
    entriesSubmitted: entries,
    entriesAccepted: entries - rejected - deferred,
    entriesRejected: rejected,
    entriesDeferred: deferred,
  });
  if (scenario.review !== null) expect(jobResult.rf8Review.outcome).toBe(scenario.review);
}

/** Creates the file of a scenario, and a sandbox without a submission. */
async function createFile(name: ScenarioName, layout: Layout, rows: number) {
  const sandbox = await sandboxForTest();
  const env = controlEnvironmentOf(sandbox);
  const file = join(temporaryFolder(), `${name}.csv`);
  const options = ["--scenario", name, "--rows", String(rows), "--layout", layout, "--as-of", AS_OF];
  const result = await runCsv(...options, "--out", file);
  expect(result, result.stderr).toMatchObject({ code: 0, stdout: "" });
  const claims = (...words: string[]) => runCli([...words, "--json"], { env });
  const submit = (...more: string[]) =>
    claims("diligence", "submit", file, "--seller-name", SCENARIO_SELLER, ...more);
  return { file, claims, submit, message: result.stderr };
}

describeEachFirst([["entry"], ["es003"]])("the file of a scenario in layout %s", (layout) => {
  it.each(SCENARIO_NAMES)("has the result of sandbox scenarios: %s", async (name) => {
    const list = await runCli(["sandbox", "scenarios", "--json"]);
    const scenarios: readonly ScenarioInfo[] = JSON.parse(list.stdout);
    const scenario = scenarios.find((one) => one.name === name);
    if (!scenario) throw new Error(`${name} is not listed`);
    const rows = Math.max(60, scenario.minRows[layout]);
    const forecast = forecastOutcome(name, layout, rows);
    const { file, claims, submit } = await createFile(name, layout, rows);

    const first = name === "slow" ? await submitSlowly(claims, submit) : await submit("--wait");
    expect(first.code, first.stderr).toBe(scenario.exitCode);
    const jobResult: JobResult = JSON.parse(first.stdout);
    expectJobResult(jobResult, scenario, forecast);

    const resume = await claims("diligence", "resume", "--last", "--wait");
    expect(resume.code, resume.stderr).toBe(scenario.resumed?.exitCode ?? 5);
    const resumed: JobResult | null = scenario.resumed && JSON.parse(resume.stdout);
    if (resumed) expectJobResult(resumed, { ...scenario, ...scenario.resumed }, { ...forecast, deferred: 0 });

    const seller = ["--seller-name", SCENARIO_SELLER];
    const check = await claims("diligence", "check", file, "--as-of", AS_OF, ...seller);
    if (scenario.failureCode !== null && scenario.failureCode !== "scenario_failure") {
      expect(errorOf(check)).toMatchObject({ code: scenario.failureCode, exitCode: 5 });
      return;
    }
    expect(check.code, check.stderr).toBe(0);
    const offlineReport: Report = JSON.parse(check.stdout);
    expectJobResult(offlineReport, { ...scenario, state: "completed" }, { ...forecast, deferred: 0 });
    const last = resumed ?? jobResult;
    if (last.totals) expect(last).toMatchObject(offlineReport);
  });
});

type Run = (...words: string[]) => ReturnType<typeof runCli>;

/** Submits with a wait that times out, advances the sandbox's clock, and reads the report. */
async function submitSlowly(claims: Run, submit: Run) {
  const submission = await submit("--wait", "--timeout", "1s");
  expect(submission.code, submission.stderr).toBe(8);
  expect((await claims("sandbox", "clock", "advance", "29s")).code).toBe(0);
  expect(JSON.parse((await claims("diligence", "status", "--last")).stdout).state).toBe("processing");
  expect((await claims("sandbox", "clock", "advance", "1s")).code).toBe(0);
  return claims("diligence", "report", "--last");
}

describe("sandbox csv", () => {
  it("writes 100 rows in layout entry by default", async () => {
    const { stdout, code } = await runCsv("--scenario", "clean");
    expect(code).toBe(0);
    expect(stdout.split("\n")).toHaveLength(102);
    expect(stdout).toMatch(/^entry_number,entry_type_code,/);
    const file = temporaryFile("clean.csv", stdout);
    const check = await runCli(["diligence", "check", file, "--seller-name", SCENARIO_SELLER, "--json"]);
    expect(JSON.parse(check.stdout).byGrade.A.entries).toBe(100);
  });

  it("describes the scenario of a file that it saves", async () => {
    const { file, message } = await createFile("partial", "entry", 100);
    expect(message).toContain("100 rows, 100 entries as of 2026-11-20: ");
    expect(message).toContain(getScenario("partial").description);
    expect(readFileSync(file, "utf8").match(/^SBX-1/gm)).toHaveLength(
      forecastOutcome("partial", "entry", 100).deferred,
    );
  });

  it("exits 0 if its reader closes the pipe early", { tags: "large" }, async () => {
    const words = "sandbox csv --scenario mixed --rows 1000000".split(" ");
    const { child, completion, waitForOutput } = spawnCli(words);
    await waitForOutput(/\n/);
    child.stdout?.destroy();
    expect(await completion).toMatchObject({ code: 0, stderr: "" });
  });

  it.each([
    [["--scenario", "clena"], "option_invalid", "fails-once"],
    [["--scenario", "clean", "--layout", "es004"], "option_invalid", "entry, es003"],
    [["--scenario", "mixed", "--rows", "10"], "option_invalid", "from 17 to 1,000,000"],
    [["--scenario", "clean", "--rows", "0"], "option_invalid", "1"],
    [["--scenario", "clean", "--rows", "ten"], "option_invalid", "whole number"],
    [["--scenario", "clean", "--as-of", "2026-02-30"], "option_invalid", "YYYY-MM-DD"],
    [["--scenario", "clean", "--as-of", "2026-02-23"], "option_invalid", "2026-02-24"],
    [["--scenario", "clean", "--json"], "option_conflict", "sandbox scenarios --json"],
  ])("refuses %j: %s", async (options, code, words) => {
    const result = await runCsv(...options, ...(options.includes("--json") ? [] : ["--json"]));
    expect(result).toMatchObject({ code: 2, stdout: "" });
    const error = errorOf(result);
    expect(error).toMatchObject({ code, exitCode: 2 });
    expect(`${error.message} ${error.hint}`).toContain(words);
  });
});

describe("sandbox scenarios", () => {
  it("prints one row per scenario in a pipe", async () => {
    const { stdout } = await runCli(["sandbox", "scenarios"]);
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(rows.map(([name]) => name)).toEqual(SCENARIO_NAMES);
  });

  it("provides the completions of --scenario", async () => {
    const { stdout } = await runCli(["__complete", "--", "sandbox", "csv", "--scenario", "fails"]);
    expect(stdout).toBe("fails-once\t\nfails-always\t\n");
  });
});
