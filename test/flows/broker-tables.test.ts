import { copyFileSync } from "node:fs";
import { basename, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { fixture, temporaryFolder } from "../support/cli.ts";
import { environmentOf, GOLDEN_TIME, SELLER, sandboxForTest } from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

const FILES = ["es003_mixed.csv", "scenario_partial.csv", "sample_entries.csv", "bad_files/ragged_row.csv"];

/** A broker's folder with four submitted files: one with rejected rows, one partial, one complete and one failed. */
async function submitFiles() {
  const cwd = temporaryFolder();
  const env = environmentOf(await sandboxForTest());
  const names = FILES.map((file) => basename(file));
  for (const file of FILES) copyFileSync(fixture(file), join(cwd, basename(file)));
  /** What a terminal of that width shows of a command, without what differs from run to run. */
  const show = async (columns: number, args: readonly string[], ...more: string[]) => {
    const terminal = createTerminalContext({ env, cwd, now: () => Date.parse(GOLDEN_TIME) });
    const { context, stdout, stderr } = terminal;
    Object.assign(context.stdout, { columns });
    Object.assign(context.stderr, { columns });
    await terminal.run(...args, ...more);
    // An id, a hash or a path is whole on its line, so that it can be copied.
    const plain = stripVTControlCharacters(stdout.text).split("\n");
    const lines = plain.filter((line) => !/\S{36}/.test(line));
    if (columns === 80) expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    const text = (stdout.text + stderr.text).replaceAll(cwd, "/home");
    const shown = text.replace(/\b[0-9a-f]{64}\b|[0-9a-f]{12}(?=…)/g, (hash) => "0".repeat(hash.length));
    return `$ claims ${args.join(" ")}\n${shown}`;
  };
  const idOf = async (name: string) => {
    const args = ["diligence", "submit", name, "--seller-name", SELLER, "--check", "off", "-q"];
    const [, id = ""] = (await show(80, args)).split("\n");
    // Shows the last state to the history.
    await show(80, ["diligence", "status", id]);
    return id;
  };
  const ids: string[] = [];
  for (const name of names) ids.push(await idOf(name));
  return { show, ids };
}

describe("the tables of a broker's workflow", () => {
  it("fit terminals of 60 and 80 columns", async () => {
    const { show, ids } = await submitFiles();
    const [rejected = "", partial = "", complete = ""] = ids;
    const commands = [
      ["diligence", "check", "es003_mixed.csv"],
      ["diligence", "submit", "sample_entries.csv", "--seller-name", "Acme", "--on-duplicate", "skip"],
      ["history"],
      ["diligence", "status", ...ids],
      ["diligence", "status", partial],
      ["diligence", "report", ...ids],
      ["diligence", "report", rejected],
      ["diligence", "report", rejected, "-v"],
      ["diligence", "dataset", partial, "--fields", "entryNumber,route,deadlines.protest"],
      ["diligence", "dataset", rejected],
      ["diligence", "deadlines", "--within", "30d"],
      ["diligence", "pull", complete, "--dir", "pulled"],
    ];
    const shown: string[] = [];
    for (const command of commands) {
      shown.push(await show(60, command, "--no-color"));
      await show(80, command, "--no-color");
    }
    await expect(shown.join("\n")).toMatchFileSnapshot("broker-tables/60.txt");
  });

  it("colour the states", async () => {
    const { show, ids } = await submitFiles();
    const text = await show(120, ["diligence", "status", ...ids]);
    expect(text).toContain("\u001b[32mcompleted\u001b[39m");
    expect(text).toContain("\u001b[33mpartial\u001b[39m");
    expect(text).toContain("\u001b[31mfailed\u001b[39m");
    expect(await show(80, ["diligence", "report", ids[0] ?? ""])).toContain("\u001b[31mdeclined\u001b[39m");
  });
});
