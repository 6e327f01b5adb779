import { copyFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

const ID = /^ *[0-9a-f]{8}-[0-9a-f-]{4,27}…?$/;

/** A machine with three submissions, and a service with a record of each noun. */
async function prepareMachine() {
  const cwd = temporaryFolder();
  const env = environmentOf(await sandboxForTest());
  for (const name of ["sample_es003.csv", "scenario_partial.csv"])
    copyFileSync(fixture(name), join(cwd, name));
  const show = async (columns: number, ...args: string[]) => {
    const terminal = createTerminalContext({ env, cwd });
    Object.assign(terminal.context.stdout, { columns });
    Object.assign(terminal.context.stderr, { columns });
    await terminal.run(...args, "--no-color");
    return terminal.stdout.text.split("\n").filter((line) => line !== "");
  };
  await show(80, ...submitArgs("sample_es003.csv", "--wait"));
  await show(80, ...submitArgs("scenario_partial.csv", "--wait"));
  return { cwd, show };
}

const LISTS: readonly (readonly string[])[] = [
  ["history"],
  ["diligence", "history"],
  ["clients", "list"],
  ["claims", "list"],
  ["webhooks", "list"],
  ["webhooks", "deliveries"],
  ["diligence", "deadlines", "--within", "400d"],
];

describe("a terminal of 40 columns", () => {
  it("shows more than ids in every list", async () => {
    const { show } = await prepareMachine();
    const [client = ""] = await show(80, "clients", "create", "--name", "Acme", "-q");
    const [job = ""] = await show(80, "diligence", "history", "--state", "completed", "-q");
    await show(80, "claims", "create", "--client", client, "--job", job);
    await show(80, "webhooks", "test", "partner.test");
    for (const list of LISTS) {
      const lines = await show(40, ...list);
      const ids = lines.filter((line) => ID.test(line));
      const others = lines.filter((line) => !ID.test(line));
      // A heading, and a line for each row.
      expect(others.length, `${list.join(" ")}\n${lines.join("\n")}`).toBeGreaterThan(
        Math.max(1, ids.length / 2),
      );
      expect(Math.max(...lines.map(({ length }) => length)), lines.join("\n")).toBeLessThanOrEqual(40);
    }
  });
});

describe("a terminal of 80 columns", () => {
  it("shows time, a short key and the file of a write on one line", async () => {
    const { show } = await prepareMachine();
    for (const line of (await show(80, "history")).slice(1))
      expect(line).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d +[0-9a-f]{8}… .*(sample_es003|scenario_partial)\.csv/);
  });

  it("lists below the table why files did not pass, without broken words", async () => {
    const { cwd, show } = await prepareMachine();
    for (const name of ["bad_files/ragged_row.csv", "bad_files/semicolon_delimited.csv"])
      copyFileSync(fixture(name), join(cwd, basename(name)));
    const lines = await show(80, "diligence", "check", ".");
    expect(lines.slice(0, 5).map((line) => line.split(/ {2,}/, 1)[0])).toEqual([
      "file",
      "ragged_row.csv",
      "sample_es003.csv",
      "scenario_partial.csv",
      "semicolon_delimited.csv",
    ]);
    const text = lines.slice(5).join(" ").replaceAll(/ +/g, " ");
    expect(text).toContain("Look there for a missing or unquoted comma. (ROW_WIDTH) → a cell with a comma");
    expect(text).toContain('The columns are separated by ";". Save the file with commas');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });
});

describe("a pipe", () => {
  it("gets each message of check once, and what to do", async () => {
    const folder = temporaryFolder();
    for (const name of ["bad_files/ragged_row.csv", "bad_files/semicolon_delimited.csv"])
      copyFileSync(fixture(name), join(folder, basename(name)));
    const { code, stderr, stdout } = await runCli(["diligence", "check", folder]);
    expect(code).toBe(5);
    const all = stdout + stderr;
    for (const text of ["ROW_WIDTH", "DELIMITER_UNSUPPORTED", "--delimiter ';'"])
      expect(all.split(text)).toHaveLength(2);
    expect(stderr).toMatch(/^error: 2 of 2 files did not pass\n/);
    // The list of -q has no reasons.
    const quiet = await runCli(["diligence", "check", folder, "-q"]);
    expect(quiet.stderr).toMatch(/^error: 2 of 2 files failed: .*\(ROW_WIDTH\); .*DELIMITER_UNSUPPORTED/);
  });
});
