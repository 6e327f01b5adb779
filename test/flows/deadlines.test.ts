import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli, temporaryFile } from "../support/cli.ts";
import { environmentOf, startMachine, submitArgs } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

const ENTRIES = fixture("sample_entries.csv");
const PARTIAL = fixture("scenario_partial.csv");
const AS_OF = ["--as-of", "2026-11-20"];

interface Group {
  readonly deadline: string;
  readonly daysLeft: number;
  readonly urgent: boolean;
  readonly route: string;
  readonly entries: number;
  readonly ieepaDutyCents: number;
  readonly jobId: string;
  readonly file: string | null;
}

interface DatasetRow {
  readonly nextDeadline: string | null;
  readonly route: string;
  readonly ieepaDutyCents: number;
}

async function setUp() {
  const { sandbox, env, claims } = await startMachine();
  const submit = async (file: string, ...more: string[]) =>
    JSON.parse((await claims(...submitArgs(file, "--json", ...more))).stdout).jobId as string;
  const deadlines = (...args: string[]) => claims("diligence", "deadlines", ...AS_OF, ...args);
  const list = async (...args: string[]) =>
    JSON.parse((await deadlines(...args, "--json")).stdout) as Group[];
  return { sandbox, env, claims, submit, deadlines, list };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe("diligence deadlines", () => {
  it("says that a partial job has no deadlines of its deferred entries yet", async () => {
    const { claims, deadlines } = await setUp();
    const { code, stderr } = await claims(...submitArgs(PARTIAL, "--wait"));
    expect([code, stderr]).toEqual([9, expect.stringContaining("partial")]);
    const warning = /^warning: \S*scenario_partial\.csv: its job was partial.*`claims diligence resume /m;
    expect((await deadlines()).stderr).toMatch(warning);
    expect((await claims("diligence", "resume", "--last", "--wait")).code).toBe(0);
    expect((await deadlines()).stderr).not.toMatch(warning);
  });

  it("groups the entries of all jobs by deadline, route and job, the first deadline first", async () => {
    const { claims, submit, list } = await setUp();
    const jobs = [await submit(ENTRIES), await submit(PARTIAL)];
    const groups = await list("--within", "200d");
    expect(groups.map(({ deadline }) => deadline)).toEqual(groups.map(({ deadline }) => deadline).sort());
    for (const [index, jobId] of jobs.entries()) {
      const { rows } = JSON.parse((await claims("diligence", "dataset", jobId, "--json")).stdout) as {
        rows: DatasetRow[];
      };
      const due = rows.filter(({ nextDeadline }) => nextDeadline !== null);
      const own = groups.filter((group) => group.jobId === jobId);
      expect(sum(own.map(({ entries }) => entries))).toBe(due.length);
      expect(own.every(({ file }) => file === [ENTRIES, PARTIAL][index])).toBe(true);
      for (const group of own) {
        const same = due.filter(
          ({ nextDeadline, route }) => nextDeadline === group.deadline && route === group.route,
        );
        expect(group).toMatchObject({
          entries: same.length,
          ieepaDutyCents: sum(same.map(({ ieepaDutyCents }) => ieepaDutyCents)),
          daysLeft: (Date.parse(group.deadline) - Date.parse("2026-11-20")) / 86_400_000,
        });
      }
    }
  });

  it("lists 14 days by default, which are the urgent entries of the report", async () => {
    const { claims, submit, list, deadlines } = await setUp();
    const jobId = await submit(ENTRIES);
    const { rf8Review } = JSON.parse((await claims("diligence", "report", jobId, "--json")).stdout);
    const groups = await list();
    expect(groups.every(({ urgent }) => urgent)).toBe(true);
    expect(sum(groups.map(({ entries }) => entries))).toBe(rf8Review.urgentEntryCount);
    expect(groups[0]?.deadline).toBe(rf8Review.nearestDeadline);
    expect((await deadlines("-q")).stdout).toBe(`${jobId}\n`);
  });

  it("warns about deadlines that have passed, and does not list them", async () => {
    const { submit, deadlines, list } = await setUp();
    await submit(ENTRIES);
    const all = await list("--within", "400d");
    const [first] = all;
    const next = new Date(Date.parse(first?.deadline ?? "") + 86_400_000).toISOString().slice(0, 10);
    const passed = sum(all.flatMap(({ deadline, entries }) => (deadline < next ? entries : [])));
    const { stdout, stderr } = await deadlines("--as-of", next, "--within", "400d", "--json");
    expect((JSON.parse(stdout) as Group[]).every(({ deadline }) => deadline >= next)).toBe(true);
    expect(stderr).toMatch(new RegExp(`${passed} (entry has|entries have) a deadline that has passed`));
  });

  it("counts an entry of two jobs once, with the job that was submitted last, and says how many are left out", async () => {
    const { submit, deadlines } = await setUp();
    const rows = readFileSync(ENTRIES, "utf8").split("\n");
    const path = temporaryFile("part.csv", [...rows.slice(0, 101), ""].join("\n"));
    const whole = await submit(ENTRIES);
    const all = JSON.parse((await deadlines("--within", "200d", "--json")).stdout) as Group[];
    const part = await submit(path);
    const { stdout, stderr } = await deadlines("--within", "200d", "--json", "-v");
    const groups = JSON.parse(stdout) as Group[];
    const count = (found: readonly Group[]) => sum(found.map(({ entries }) => entries));
    expect(count(groups)).toBe(count(all));
    expect(new Set(groups.map(({ jobId }) => jobId))).toEqual(new Set([whole, part]));
    expect(stderr).toContain("100 entries are left out: a job that was submitted later has them, too");
    // The order of the command line does not matter.
    const named = JSON.parse((await deadlines(whole, part, "--within", "200d", "--json")).stdout) as Group[];
    expect(named).toEqual(groups);
  });

  it("leaves out jobs without a dataset with a warning, and fails for one that the command line names", async () => {
    const { claims, submit, deadlines } = await setUp();
    const lines = readFileSync(ENTRIES, "utf8").split("\n");
    const file = temporaryFile("failed.csv", [lines[0], `${lines[1]},one,cell,more`].join("\n"));
    const failed = await submit(file);
    const completed = await submit(ENTRIES);
    const { code, stdout, stderr } = await deadlines();
    expect(code).toBe(0);
    expect(stdout).toContain(completed);
    expect(stderr).toContain("its deadlines are not listed");
    const named = await deadlines(failed, completed, "--json");
    expect(named.code).toBe(9);
    expect(errorOf(named).code).toBe("job_failed");
    expect(JSON.parse(named.stdout)[0].jobId).toBe(completed);
    // A job that is known to have failed needs no warning.
    await claims("diligence", "wait", failed);
    expect((await deadlines()).stderr).not.toContain("not listed");
  });

  it("reads job ids from stdin, also of jobs that another machine submitted", async () => {
    const { env, sandbox, submit } = await setUp();
    const jobId = await submit(ENTRIES);
    const other = { ...environmentOf(sandbox), CLAIMS_BASE_URL: env.CLAIMS_BASE_URL ?? "" };
    const { stdout } = await runCli(["diligence", "deadlines", "-", ...AS_OF, "--json"], {
      env: other,
      input: `${jobId}\n`,
    });
    expect((JSON.parse(stdout) as Group[])[0]).toMatchObject({ jobId, file: null });
    const none = await runCli(["diligence", "deadlines", "--json"], { env: other });
    expect(none).toMatchObject({ code: 0, stdout: "[]\n" });
  });

  it("says that deadlines are unknown, and fails if they are unreadable", async () => {
    const rows = [{ entryNumber: "1", due: "2026-11-21" }];
    const service = await startScriptedService((_, response) => sendJson(response, 200, { rows }));
    const run = () => runCli(["diligence", "deadlines", "j-1", ...AS_OF, "--json"], service);
    // The name of the field is assumed.
    expect(await run()).toMatchObject({
      code: 0,
      stdout: "[]\n",
      stderr: expect.stringContaining(
        "job j-1: its deadlines are unknown: the dataset has no field nextDeadline",
      ),
    });
    rows[0] = { entryNumber: "1", nextDeadline: "soon" } as never;
    expect(errorOf(await run())).toMatchObject({ code: "unexpected_response" });
    rows[0] = { entryNumber: "1", nextDeadline: "2026-11-25T00:00:00Z" } as never;
    expect(JSON.parse((await run()).stdout)).toMatchObject([
      { deadline: "2026-11-25", ieepaDutyCents: null },
    ]);
  });
});
