import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CliResult, errorOf, fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";

const FILE = fixture("sample_entries.csv");

async function setUp() {
  const sandbox = await sandboxForTest();
  const env = environmentOf(sandbox);
  const claims = (...args: string[]) => runCli(args, { env });
  const submit = (...more: string[]) => claims(...submitArgs(FILE, "--json", ...more));
  const countJobs = async () =>
    (await claims("history", "--submissions", "--all", "-q")).stdout.split("\n").length - 1;
  return { claims, submit, countJobs, sandbox };
}

const jobOf = ({ stdout }: CliResult) => JSON.parse(stdout).jobId as string;

describe("diligence submit of a file that was accepted before", () => {
  it("fails without a terminal, warns with --on-duplicate warn, and is silent with --on-duplicate submit", async () => {
    const { submit, countJobs } = await setUp();
    const first = jobOf(await submit());
    const second = await submit();
    expect(second.code).toBe(5);
    expect(errorOf(second)).toMatchObject({ code: "duplicate", jobId: first });
    const third = await submit("--on-duplicate", "warn");
    expect(third.code).toBe(0);
    expect(third.stderr).toContain(`as job ${first}; submitting it again`);
    expect((await submit("--on-duplicate", "submit")).stderr).not.toContain("accepted");
    expect(await countJobs()).toBe(3);
  });

  it("is recognized under another name; another seller or protest flag is another submission", async () => {
    const { claims, submit } = await setUp();
    await submit();
    const copy = join(temporaryFolder(), "a (1).csv");
    copyFileSync(FILE, copy);
    const renamed = await claims(...submitArgs(copy, "--on-duplicate", "fail"));
    expect([renamed.code, renamed.stderr]).toEqual([5, expect.stringContaining(`, from ${FILE}`)]);
    const other = ["diligence", "submit", FILE, "--seller-name", "Harbor & Pine Tradign, LLC"];
    const ofOther = await claims(...other, "--on-duplicate", "fail");
    expect([ofOther.code, ofOther.stderr]).toEqual([0, expect.not.stringContaining("already")]);
    expect((await submit("--on-duplicate", "fail", "--protest-docs")).code).toBe(0);
    expect((await claims(...other, "--on-duplicate", "skip")).stderr).toContain("using that job");
  });

  it("does not count a job that failed", async () => {
    const { claims } = await setUp();
    const file = join(temporaryFolder(), "failing.csv");
    writeFileSync(file, "entry_number\n1\n");
    const args = submitArgs(file, "--wait", "--on-duplicate", "fail");
    for (const _ of [1, 2]) expect((await claims(...args)).code).toBe(9);
  });
});

describe("diligence batch of equal files", () => {
  async function setUpFolder() {
    const { claims, ...rest } = await setUp();
    const folder = join(temporaryFolder(), "entries");
    mkdirSync(folder);
    for (const name of ["a.csv", "b.csv"]) copyFileSync(FILE, join(folder, name));
    writeFileSync(join(folder, "c.csv"), `${readFileSync(FILE, "utf8")}\n`);
    const batch = async (...more: string[]) => {
      const result = await claims("diligence", "batch", folder, "--seller-name", "Acme", "--json", ...more);
      const items = JSON.parse(result.stdout) as { file: string; state: string; jobId: string | null }[];
      return { ...result, items: items.sort((one, other) => (one.file < other.file ? -1 : 1)) };
    };
    return { ...rest, batch, folder };
  }

  it("submits the first and fails the second, also when the batch runs again", async () => {
    const { batch, countJobs } = await setUpFolder();
    const first = await batch();
    expect(first.code).toBe(5);
    expect(first.items).toMatchObject([
      { file: "a.csv", state: "accepted" },
      { file: "b.csv", state: "duplicate", jobId: null, error: { code: "duplicate" } },
      { file: "c.csv", state: "accepted" },
    ]);
    expect(errorOf(first)).toMatchObject({ jobId: first.items[0]?.jobId });
    expect(first.stderr).toContain("2 accepted, 1 duplicate");
    const second = await batch();
    expect([second.code, second.items.map(({ state }) => state)]).toEqual([
      5,
      ["accepted", "duplicate", "accepted"],
    ]);
    expect(await countJobs()).toBe(2);
  });

  it("takes the file with the shorter name for the original", async () => {
    const { batch, folder } = await setUpFolder();
    copyFileSync(FILE, join(folder, "a (1).csv"));
    const { items } = await batch();
    expect(items.map(({ file, state }) => [file, state])).toEqual([
      ["a (1).csv", "duplicate"],
      ["a.csv", "accepted"],
      ["b.csv", "duplicate"],
      ["c.csv", "accepted"],
    ]);
  });

  it("recognizes its files without its batch log", async () => {
    const { batch, countJobs, folder } = await setUpFolder();
    rmSync(join(folder, "b.csv"));
    const { items } = await batch();
    rmSync(`${folder}.batch.jsonl`);
    const rerun = await batch();
    expect(rerun.code).toBe(5);
    expect(rerun.items.map(({ state }) => state)).toEqual(["duplicate", "duplicate"]);
    const skipped = await batch("--on-duplicate", "skip");
    expect(skipped.items.map(({ jobId }) => jobId)).toEqual(items.map(({ jobId }) => jobId));
    expect(await countJobs()).toBe(2);
  });
});
