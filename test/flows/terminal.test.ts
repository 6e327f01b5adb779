import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isRecord } from "../../src/domain/json.ts";
import { fixture, runCli, temporaryFile, temporaryFolder } from "../support/cli.ts";
import {
  controlEnvironmentOf,
  environmentOf,
  SELLER,
  sandboxForTest,
  submitArgs,
} from "../support/sandbox.ts";
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
    expect(stdout.text).toMatch(/outcome +clear with conditions\n/);
    expect(stdout.text).toMatch(/score +78 of 100\n/);
    expect(stdout.text).toMatch(/conditions +importer matches seller, protest documentation\n/);
    expect(stdout.text).toMatch(/nearest deadline +2026-11-23/);
    expect(stdout.text).toMatch(/claims diligence dataset [0-9a-f-]{36} --out rows\.csv\n/);
    expect(stdout.text).not.toContain("\u001b");
    expect(stdout.text).not.toContain("Grades");
    expect(await run("diligence", "report", "--last", "-v", "--no-color")).toBe(0);
    expect(stdout.text).toMatch(/ A +73 +\$784,818\.41 +40 % +█{6}\n/);
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
  ["history", "--submissions"],
  ["clients", "list"],
  ["claims", "list"],
  ["webhooks", "list"],
  ["webhooks", "deliveries"],
  ["diligence", "deadlines", "--within", "400d"],
];

it("a terminal of 40 columns shows more than ids in every list", async () => {
  const { show } = await prepareMachine();
  const [client = ""] = await show(80, "clients", "create", "--name", "Acme", "-q");
  const [job = ""] = await show(80, "history", "--submissions", "--state", "completed", "-q");
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

/** The field at that path; undefined if there is none. */
const readPath = (json: unknown, path: string): unknown =>
  path.split(".").reduce((value, name) => (isRecord(value) ? value[name] : undefined), json);

it("a card in a pipe has the field names of --json", async () => {
  const sandbox = await sandboxForTest();
  const options = { env: controlEnvironmentOf(sandbox), cwd: temporaryFolder() };
  await runCli(submitArgs(fixture("sample_entries.csv"), "--wait"), options);
  for (const args of [
    ["contract", "hash"],
    ["contract", "check"],
    ["contract", "pin"],
    ["auth", "status"],
    ["sandbox", "status"],
    ["sandbox", "clock", "show"],
    ["diligence", "pull", "--last", "--dir", "pulled"],
    ["webhooks", "test", "partner.test"],
  ]) {
    const { code, stdout, stderr } = await runCli(args, options);
    expect(code, stderr).toBe(0);
    const json = JSON.parse((await runCli([...args, "--json"], options)).stdout);
    const lines = stdout.split("\n").map((line) => line.split("\t"));
    const [section] = lines[0] ?? [];
    const names = lines.flatMap(([first, name = ""]) => (first === section ? [name] : []));
    expect(names).not.toEqual([]);
    for (const name of names) expect(readPath(json, name), name).toBeDefined();
    expect(stdout).toMatch(/^([^\t\n]+\t[^\t\n]+\t.*\n)+$/);
  }
});

it("what a person asks about one object, at 80 columns fits 24 lines, with times of one form", async () => {
  const env = controlEnvironmentOf(await sandboxForTest());
  await runCli(submitArgs(fixture("sample_entries.csv"), "--wait"), { env });
  for (const args of [
    ["diligence", "status", "--last"],
    ["diligence", "report", "--last"],
    ["diligence", "check", fixture("sample_es003.csv")],
    ["webhooks", "create", "http://127.0.0.1:9/hook", "--event", "partner.test", "--secret-file", "s"],
    ["webhooks", "test", "partner.test"],
    ["sandbox", "status"],
  ]) {
    const { context, run, stdout } = createTerminalContext({ env });
    Object.assign(context.stdout, { columns: 80 });
    expect(await run(...args, "--no-color")).toBe(0);
    const lines = stdout.text.trimEnd().split("\n");
    expect(lines.length, stdout.text).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => /^ {2}\w.*\d{4}-\d\d-\d\dT/.test(line))).toEqual([]);
    // The bytes of a body stay as they are.
    expect(lines.filter((line) => line.length > 80 && !line.startsWith("{"))).toEqual([]);
  }
});

/** A file of 20 entries, of which all but two have another cell in place of the right one. */
function toBadFile(cell: string, ...bad: readonly string[]): string {
  const numbers = Array.from({ length: 20 }, (_, at) => ordinaryEntryNumber(at));
  const [head = "", ...rows] = entriesCsv(numbers).split("\n");
  const wrong = rows.map((row, at) => (at < 2 ? row : row.replace(cell, bad[at % bad.length] ?? "")));
  return temporaryFile("bad.csv", [head, ...wrong].join("\n"));
}

it("many rejected rows fit 24 lines at 80 columns, with each reason once and the totals", async () => {
  const env = environmentOf(await sandboxForTest());
  const { context, run, stderr, stdout } = createTerminalContext({ env });
  Object.assign(context.stdout, { columns: 80 });
  const show = async (...args: string[]) => {
    stdout.text = "";
    stderr.text = "";
    await run(...args, "--no-color");
    return stdout.text.trimEnd();
  };
  const dates = toBadFile("2025-06-01", "21/06/2025", "22/06/2025");
  const statuses = toBadFile("NOT_LIQUIDATED", "N/A", "-", "WAHR");
  const rest = "CN,1000.00,100.00,NOT_LIQUIDATED";
  const many = toBadFile(rest, "CN,1000.00,100.00,?", "CN,1.5,USD 3,OPEN", "??,,,", "CN,-1,2,OPEN");
  for (const file of [dates, statuses, many])
    for (const args of [["diligence", "check", file], submitArgs(file, "--wait", "--check", "off")]) {
      const text = await show(...args);
      expect(text.split("\n").length, text).toBeLessThanOrEqual(24);
      expect(text).toMatch(/entries +20 submitted, 2 accepted, 18 rejected\n/);
      expect(text).toMatch(/outcome +declined\n/);
    }
  expect((await show("diligence", "check", dates)).replace(/\s+/g, " ")).toMatch(
    /Rejected entries 18 rows DATE_AMBIGUOUS_DAY_FIRST: [^:]* Found: "21\/06\/2025"\. In entry_date: lines 4 \(ZZ9\d{8}\), 5 \(ZZ9\d{8}\), and 16 more -v/,
  );
  expect(await show("diligence", "check", many)).toMatch(/… +2 more reasons with -v/);
  expect((await show("diligence", "check", dates, "-v")).match(/DATE_AMBIGUOUS_DAY_FIRST/g)).toHaveLength(18);
});

it("a terminal shows a file warning once, in the card", async () => {
  const { run, stderr, stdout } = createTerminalContext();
  const [head, row] = entriesCsv().split("\n");
  const path = temporaryFile("twice.csv", `${head},COO,Entry Type\n${row},DE,03\n`);
  for (const more of [[], ["-v"]]) {
    await run("diligence", "check", path, ...more);
    expect(stdout.text.match(/\(COLUMN_TWICE\)/g)).toHaveLength(2);
    expect(stderr.text).toBe("");
    stdout.text = "";
  }
});
