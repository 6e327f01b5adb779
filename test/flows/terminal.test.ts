import { describe, expect, it } from "vitest";
import { fixture, temporaryFile } from "../support/cli.ts";
import { environmentOf, SELLER, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { entriesCsv, ordinaryEntryNumber } from "../support/sandbox-requests.ts";
import { createTerminalContext } from "../support/terminal.ts";

describe("output on a terminal", () => {
  it("prints a report with totals, routes, outcome, deadline and next step", async () => {
    const env = environmentOf(await sandboxForTest());
    const { run, stdout } = createTerminalContext({ env });
    expect(
      await run(...submitArgs(fixture("sample_es003.csv"), "--protest-docs", "--wait", "--no-color")),
    ).toBe(0);
    expect(stdout.text).toMatch(/Report of job [0-9a-f-]{36}/);
    expect(stdout.text).toMatch(/entries +200 submitted, 200 accepted, 0 rejected/);
    expect(stdout.text).toMatch(/estimated claim +\$2,108,831\.19/);
    expect(stdout.text).toMatch(/CAPE refund +73 +\$784,818\.41 +40 % +█{6}\n/);
    expect(stdout.text).toMatch(/ A +73 +\$784,818\.41 +40 % +█{6}\n/);
    expect(stdout.text).toMatch(/outcome +clear with conditions\n/);
    expect(stdout.text).toMatch(/score +78 of 100\n/);
    expect(stdout.text).toMatch(/conditions +importer matches seller, protest documentation\n/);
    expect(stdout.text).toMatch(/nearest deadline +2026-11-23/);
    expect(stdout.text).toMatch(/claims diligence dataset [0-9a-f-]{36} --out rows\.csv\n/);
    expect(stdout.text).not.toContain("\u001b");
  });

  it("says how much of a claim has no way to a refund", async () => {
    const env = environmentOf(await sandboxForTest());
    const { run, stdout } = createTerminalContext({ env });
    // The second entry is from before the first day on which the duty was due.
    const [first = "", second = ""] = [1, 2].map(ordinaryEntryNumber);
    const source = entriesCsv([first, second]).replace(
      new RegExp(`(${second}.*),2025-06-01,`),
      "$1,2024-06-01,",
    );
    const path = temporaryFile("old.csv", source);
    await run(...submitArgs(path, "--wait", "--no-color"));
    expect(stdout.text).toContain("of it has no way to a refund");
  });

  it("has colour unless a setting disables it", async () => {
    const env = environmentOf(await sandboxForTest());
    const coloured = createTerminalContext({ env });
    await coloured.run(...submitArgs(fixture("scenario_partial.csv")));
    expect(coloured.stdout.text).toContain("\u001b[");
    const plain = createTerminalContext({ env: { ...env, NO_COLOR: "1" } });
    await plain.run(...submitArgs(fixture("scenario_partial.csv"), "--on-duplicate", "submit"));
    expect(plain.stdout.text).not.toContain("\u001b");
  });

  it("asks for confirmation before a write to production", async () => {
    const sandbox = await sandboxForTest();
    const env = {
      ...environmentOf(sandbox),
      CLAIMS_API_KEY: sandbox.credentials.production.apiKey,
      CLAIMS_ENVIRONMENT: "production",
    };
    const declined = createTerminalContext({ env, typed: "n\n" });
    expect(await declined.run(...submitArgs(fixture("scenario_partial.csv")))).toBe(4);
    const question = `submit ${fixture("scenario_partial.csv")} (seller ${SELLER}, 6 entries) to PRODUCTION ${sandbox.url} ? [y/N] `;
    expect(declined.stderr.text).toContain(question);
    const confirmed = createTerminalContext({ env, typed: "yes\n" });
    expect(await confirmed.run(...submitArgs(fixture("scenario_partial.csv"), "--json"))).toBe(0);
    expect(JSON.parse(confirmed.stdout.text).environment).toBe("production");
    const withoutInput = createTerminalContext({ env, typed: "y\n" });
    expect(await withoutInput.run(...submitArgs(fixture("sample_entries.csv"), "--no-input"))).toBe(4);
  });
});
