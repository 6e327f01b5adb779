import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest } from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

const submit = ["diligence", "submit", fixture("scenario_partial.csv"), "--on-duplicate", "submit", "--json"];

describe("a required option that is missing", () => {
  it("is asked for on a terminal: a new value, or the number of an earlier one", async () => {
    const env = environmentOf(await sandboxForTest());
    const answer = async (typed: string, ...args: string[]) => {
      const cwd = temporaryFolder();
      const { run, stdout, stderr } = createTerminalContext({ env, typed, cwd });
      return { code: await run(...args), stdout: stdout.text, stderr: stderr.text, cwd };
    };
    const sellerOf = ({ stdout }: { stdout: string }) => JSON.parse(stdout).sellerName;
    const first = await answer("North Pier\n", ...submit.slice(0, -1));
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining("name of the seller: ")]);
    expect(first.stderr).not.toContain("earlier");
    expect(sellerOf(await answer("Acme\n", ...submit))).toBe("Acme");
    const third = await answer("2\n", ...submit.slice(0, -1));
    expect(third.stderr).toMatch(/ 1 {2}Acme\n +2 {2}North Pier\n.*or the number of an earlier one: /s);
    expect(third.stdout).toContain("North Pier");
    for (const typed of ["\n", ""]) {
      const none = await answer(typed, ...submit);
      expect([none.code, none.stdout]).toEqual([2, ""]);
      expect(none.stderr).toContain("--seller-name <name> is missing");
    }
    const pulled = await answer(
      "results\n",
      "diligence",
      "pull",
      JSON.parse((await answer("3\n", ...submit)).stdout).jobId,
    );
    expect(pulled.stderr).toContain("folder to write to");
    expect(existsSync(join(pulled.cwd, "results"))).toBe(true);
  });

  it.each<[string, Record<string, string>, string[]]>([
    ["in CI", { CI: "true" }, []],
    ["with --no-input", {}, ["--no-input"]],
    ["with --yes", {}, ["--yes"]],
    ["with CLAIMS_NO_INPUT", { CLAIMS_NO_INPUT: "1" }, []],
  ])("is an error %s", async (_, variables, more) => {
    const env = { ...environmentOf(await sandboxForTest()), ...variables };
    const { run, stderr } = createTerminalContext({ env, typed: "Acme\n" });
    expect(await run(...submit, ...more)).toBe(2);
    expect(stderr.text).toContain("--seller-name <name> is missing");
    expect(stderr.text).not.toContain("name of the seller: ");
  });
});
