import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fixture, runCli } from "../support/cli.ts";
import { environmentOf, SELLER, sandboxForTest, submitArgs } from "../support/sandbox.ts";

interface Expected {
  readonly entries: readonly { readonly warnings: readonly string[] }[];
  readonly rejections: readonly { readonly line: number; readonly codes: readonly string[] }[];
  readonly rf8Review: { readonly conditions: readonly string[] };
  readonly [part: string]: unknown;
}

const GOLDEN = [
  ...readdirSync(fixture(".")).filter((name) => name.endsWith(".expected.json")),
  "bad_files/repairable_warnings.expected.json",
].map((name) => name.replace(".expected.json", ""));

function expectGolden(report: Record<string, unknown>, name: string): Expected {
  const expected = JSON.parse(readFileSync(fixture(`${name}.expected.json`), "utf8")) as Expected;
  const { entries, rejections, state: _, ...expectedReport } = expected;
  expect(report).toMatchObject(expectedReport);
  for (const part of ["byRoute", "byClassification", "byGrade", "rf8Review"])
    expect(report[part]).toEqual(expectedReport[part]);
  const actualRejections = report.rejections as { line: number; errors: { code: string }[] }[];
  expect(
    actualRejections.map(({ line, errors }) => ({ line, codes: errors.map(({ code }) => code) })),
  ).toEqual(rejections);
  return expected;
}

describe.each(GOLDEN)("%s", (name) => {
  const file = fixture(`${name}.csv`);

  it("produces the golden report and the golden entries in the sandbox", async () => {
    const env = environmentOf(await sandboxForTest());
    const options = ["--check", "off", "--protest-docs", "--wait", "--json"];
    const submission = await runCli(submitArgs(file, ...options), { env });
    expect(submission.code, submission.stderr).toBe(0);
    const report = JSON.parse(submission.stdout);
    const { entries } = expectGolden(report, name);
    const dataset = await runCli(["diligence", "dataset", report.jobId, "--json"], { env });
    const { rows } = JSON.parse(dataset.stdout) as { rows: Record<string, unknown>[] };
    expect(rows).toHaveLength(entries.length);
    for (const [index, entry] of entries.entries()) expect(rows[index]).toMatchObject(entry);
  });

  it("produces the golden report with diligence check", async () => {
    const options = ["--as-of", "2026-11-20", "--seller-name", SELLER, "--protest-docs", "--json"];
    const { code, stdout, stderr } = await runCli(["diligence", "check", file, ...options]);
    const { conditions } = expectGolden(JSON.parse(stdout), name).rf8Review;
    // Such a file would not be submitted (diligence-model §1).
    expect(code, stderr).toBe(conditions.includes("file_consistent") ? 5 : 0);
  });
});
