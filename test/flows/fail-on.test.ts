import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf, runCli, temporaryFolder } from "../support/cli.ts";
import { batchArgs, parseItems } from "../support/entry-folder.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { createScenarioFile, forecastOutcome } from "../support/scenario-file.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

const ROWS = 140;
const { rejected: REJECTED } = forecastOutcome("rejected-rows", "entry", ROWS);
const CLEAN = createScenarioFile("clean", 2);

/** Completes with a clear review, and with some entries rejected. */
const WITH_REJECTED = createScenarioFile("rejected-rows", 1, ROWS);

/** Ends partial at first; with rejected entries when it is resumed. */
const PARTIAL_WITH_REJECTED = Buffer.concat([
  WITH_REJECTED,
  createScenarioFile("partial", 3).subarray(createScenarioFile("partial", 3).indexOf("\n") + 1),
]);

async function setUp(files: Readonly<Record<string, Buffer>> = { "rejected.csv": WITH_REJECTED }) {
  const env = environmentOf(await sandboxForTest());
  const folder = join(temporaryFolder(), "entries");
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const claims = (...args: string[]) => runCli(args, { env });
  return { claims, folder, fileOf: (name: string) => join(folder, name) };
}

/** Starts a service with one completed job, and its report. */
const startReporting = (report: object) =>
  startScriptedService(({ method, url = "" }, response) =>
    method === "POST"
      ? sendJson(response, 202, { jobId: "j-1", state: "queued" })
      : sendJson(response, 200, url.includes("/report/") ? report : { jobId: "j-1", state: "completed" }),
  );

it.each([
  ["submit", (folder: string) => submitArgs(join(folder, "rejected.csv"))],
  ["batch", (folder: string) => batchArgs(folder)],
  ["resume", () => ["diligence", "resume", "j-1"]],
])("--fail-on without --wait is refused by %s", async (_, toArgs) => {
  const { claims, folder } = await setUp();
  const { code, stderr } = await claims(...toArgs(folder), "--fail-on", "declined");
  expect([code, stderr]).toEqual([2, expect.stringContaining("--fail-on needs --wait")]);
});

describe("--fail-on rejected", () => {
  it.each(["submit", "check"])("%s exits 5 for rejected entries, and prints the report", async (verb) => {
    const { claims, fileOf } = await setUp({ "rejected.csv": WITH_REJECTED, "clean.csv": CLEAN });
    const argsOf = (name: string, ...more: string[]) =>
      verb === "submit"
        ? submitArgs(fileOf(name), "--wait", "--json", ...more)
        : ["diligence", "check", fileOf(name), "--json", ...more];
    expect((await claims(...argsOf("rejected.csv", "--fail-on", "declined"))).code).toBe(0);
    const more = verb === "submit" ? ["--on-duplicate", "skip"] : [];
    const result = await claims(...argsOf("rejected.csv", "--fail-on", "rejected", ...more));
    expect(result.code).toBe(5);
    expect(JSON.parse(result.stdout).totals.entriesRejected).toBe(REJECTED);
    expect(errorOf(result).code).toBe("entries_rejected");
    expect(errorOf(result).message).toContain(`${REJECTED} of ${ROWS} entries are rejected`);
    expect((await claims(...argsOf("clean.csv", "--fail-on", "rejected"))).code).toBe(0);
  });

  it("wait exits 5, and names the job", async () => {
    const { claims, fileOf } = await setUp();
    const job = (await claims(...submitArgs(fileOf("rejected.csv"), "-q"))).stdout.trim();
    const result = await claims("diligence", "wait", job, "--fail-on", "rejected", "--json");
    expect(result.code).toBe(5);
    expect(errorOf(result)).toMatchObject({ code: "entries_rejected", jobId: job });
  });

  it("resume exits 5; until then, a partial job is 9", async () => {
    const { claims, fileOf } = await setUp({ "partial.csv": PARTIAL_WITH_REJECTED });
    const gate = ["--wait", "--fail-on", "rejected"];
    expect((await claims(...submitArgs(fileOf("partial.csv"), ...gate))).code).toBe(9);
    const resumed = await claims("diligence", "resume", "--last", ...gate, "--json");
    expect(resumed.code).toBe(5);
    expect(errorOf(resumed).code).toBe("entries_rejected");
  });

  it("batch exits 5, and its row says which file", async () => {
    const { claims, folder } = await setUp({ "rejected.csv": WITH_REJECTED, "clean.csv": CLEAN });
    const result = await claims(...batchArgs(folder, "--wait", "--fail-on", "rejected"));
    expect(result.code).toBe(5);
    expect(parseItems(result)).toMatchObject([
      { file: "clean.csv", state: "completed", error: null },
      { file: "rejected.csv", state: "completed", error: { code: "entries_rejected" } },
    ]);
  });

  it.each([
    ["another word", { rf8Review: { outcome: "REFUSED" } }, 5, "outcome_unknown"],
    ["no outcome", { rf8Review: { verdict: "declined" } }, 5, "outcome_unknown"],
    ["another letter case", { rf8Review: { outcome: "Declined" } }, 5, "outcome_declined"],
    ["an envelope", { data: { rf8Review: { outcome: "declined" } } }, 5, "outcome_declined"],
    ["a clear report", { rf8Review: { outcome: "CLEAR" } }, 0, undefined],
  ])("knows an outcome, or fails: %s", async (_, report, exitCode, code) => {
    const { env } = await startReporting(report);
    const result = await runCli(["diligence", "wait", "j-1", "--fail-on", "declined", "--json"], { env });
    expect(result.code).toBe(exitCode);
    if (code !== undefined) expect(errorOf(result).code).toBe(code);
  });

  it("fails for a report that does not say how many entries are rejected", async () => {
    const { fileOf } = await setUp();
    const { env } = await startReporting({ rf8Review: {} });
    const args = submitArgs(fileOf("rejected.csv"), "--wait", "--yes", "--json");
    expect((await runCli(args, { env })).code).toBe(0);
    const result = await runCli([...args, "--on-duplicate", "skip", "--fail-on", "rejected"], { env });
    expect(errorOf(result)).toMatchObject({ code: "rejections_unknown", exitCode: 5 });
  });
});
