import { describe, expect, it } from "vitest";
import { complete } from "../../../../src/cli/completion/complete.ts";
import { TREE } from "../../../support/command-tree.ts";
import { createTerminalContext } from "../../../support/terminal.ts";

/** Runs `claims __complete` and returns its output lines. */
async function completeWords(
  words: readonly string[],
  terminal = createTerminalContext(),
): Promise<string[]> {
  expect(await terminal.run("__complete", "--", ...words)).toBe(0);
  expect(terminal.stderr.text).toBe("");
  return terminal.stdout.text.split("\n").filter(Boolean);
}

const valuesOf = (lines: readonly string[]): string[] => lines.map((line) => line.split("\t")[0] ?? "");

describe("claims __complete", () => {
  it("omits flags that are already given, in any form, unless they can repeat", async () => {
    const flags = valuesOf(
      await completeWords(["api", "-i", "GET", "/x", "--paginate", "-H", "A: b", "--timeout=3s", "--"]),
    );
    expect(flags).toEqual(expect.arrayContaining(["--header", "--typed-field", "--json", "--help"]));
    for (const given of ["--include", "--paginate", "--timeout"]) expect(flags).not.toContain(given);
  });

  it("offers files after --, and nothing after an unknown command or after the last argument", async () => {
    expect(await completeWords(["sandbox", "exec", "--", "npm", "te"])).toEqual([":files"]);
    expect(await completeWords(["nonsense", "x", ""])).toEqual([]);
    expect(await completeWords(["diligence", "report", "id", "more"])).toEqual([]);
    expect(await completeWords(["diligence", "check", "--", "--js"])).toEqual([":files"]);
  });

  it("offers the singular of a noun once the user types it, and the verbs of a group with its flags", () => {
    const offered = (...words: string[]) => complete(words, TREE).candidates.map(({ value }) => value);
    expect(offered("")).not.toContain("webhook");
    expect(offered("webhook")).toEqual(expect.arrayContaining(["webhooks", "webhook"]));
    expect(offered("webhook", "deliveries", "")).toEqual(expect.arrayContaining(["show", "--status"]));
    expect(offered("help", "sandbox", "clock", "ad")).toEqual(["advance"]);
    expect(offered("help", "sandbox", "clock", "advance", "")).toEqual([]);
  });
});
