import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf, fixture, temporaryFolder } from "../support/cli.ts";
import { startMachine } from "../support/sandbox.ts";

const FILE = fixture("sample_entries.csv");

describe("diligence batch of equal files", () => {
  async function setUp() {
    const { claims } = await startMachine();
    const countJobs = async () =>
      (await claims("history", "--submissions", "--all", "-q")).stdout.split("\n").length - 1;
    const folder = join(temporaryFolder(), "entries");
    mkdirSync(folder);
    for (const name of ["a.csv", "b.csv"]) copyFileSync(FILE, join(folder, name));
    writeFileSync(join(folder, "c.csv"), readFileSync(FILE, "utf8").replace("2025-12-21", "2025-12-22"));
    const batch = async (...more: string[]) => {
      const result = await claims("diligence", "batch", folder, "--seller-name", "Acme", "--json", ...more);
      const items = JSON.parse(result.stdout) as { file: string; state: string; jobId: string | null }[];
      return { ...result, items: items.sort((one, other) => (one.file < other.file ? -1 : 1)) };
    };
    return { batch, countJobs, folder };
  }

  it("submits the first and fails the second, also when the batch runs again", async () => {
    const { batch, countJobs } = await setUp();
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
    const { batch, folder } = await setUp();
    copyFileSync(FILE, join(folder, "a (1).csv"));
    const { items } = await batch();
    expect(items.map(({ file, state }) => [file, state])).toEqual([
      ["a (1).csv", "duplicate"],
      ["a.csv", "accepted"],
      ["b.csv", "duplicate"],
      ["c.csv", "accepted"],
    ]);
  });
});
