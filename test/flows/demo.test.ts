import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bareEnvironment, fixture, runCli } from "../support/cli.ts";
import { show } from "../support/terminal.ts";

describe("demo", () => {
  it("prints every step with the golden report in a pipe, and removes its files", async () => {
    const env = bareEnvironment();
    const { code, stdout, stderr } = await runCli(["demo"], { env });
    expect(code, stderr).toBe(0);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/\$ claims diligence submit sample_es003\.csv/);
    expect(stdout).toMatch(/queued\n[\s\S]*job\.finish[\s\S]* completed\n/);
    expect(stdout).toMatch(/estimated claim +\$2,108,831\.19/);
    expect(stdout).toMatch(/partner\.test +retrying +1 +503 +in 4 s +0 s ago/);
    expect(stdout).toMatch(/partner\.test +delivered +2 +200/);
    expect(stdout).toContain("\u2713 The signature matches");
    expect(stdout).toContain("Cause: the body was read as JSON and printed again");
    expect(readdirSync(env.TMPDIR ?? "")).toEqual([]);
  });

  it("shows at most 24 lines of each part at 80 columns, none broken inside a word or a quoted name", async () => {
    const { code, lines } = await show(bareEnvironment(), "demo");
    expect(code).toBe(0);
    const parts = lines.join("\n").split(/\n(?=\d {2}[A-Z]|Your turn)/);
    expect(parts).toHaveLength(7);
    for (const part of parts) expect(part.trimEnd().split("\n").length, part).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(parts[1]).toContain(
      '  $ claims diligence submit sample_es003.csv \\\n    --seller-name "Harbor & Pine',
    );
  });

  it("prints one document with --json", async () => {
    const { code, stdout } = await runCli(["demo", "--json"]);
    expect(code).toBe(0);
    const result = JSON.parse(stdout);
    const expected = JSON.parse(readFileSync(fixture("sample_es003.expected.json"), "utf8"));
    expect(result.report.totals).toMatchObject(expected.totals);
    expect(result.report.rf8Review).toEqual(expected.rf8Review);
    expect(result.webhook).toMatchObject({
      states: ["retrying", "delivered"],
      verdict: "valid",
      changed: { verdict: "mismatch", causes: ["body.reserialized"] },
    });
  });
});
