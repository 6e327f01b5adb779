import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { FILE_WARNING_MESSAGES } from "../../src/domain/entries/file-warnings.ts";
import { WARNING_MESSAGES } from "../../src/domain/entries/rules/warnings.ts";
import {
  bareEnvironment,
  type CliResult,
  errorOf,
  fixture,
  runCli,
  temporaryFile,
  temporaryFolder,
} from "../support/cli.ts";
import { itEachFirst } from "../support/large.ts";
import { environmentOf, SELLER, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { hasProgram } from "../support/shells.ts";

/** What a person computed for an export by hand, from the model. */
interface Expectation {
  readonly layout?: string;
  readonly accepted?: number;
  readonly rejected?: number;
  readonly ieepaDutyCents?: number;
  readonly enteredValueCents?: number;
  readonly warnings?: object;
  readonly fileWarnings?: readonly { code: string; severity?: string }[];
  /** The accepted entries of each. */
  readonly byClassification?: Readonly<Record<string, number>>;
  readonly errors?: readonly { line: number; column?: string; code: string; says?: string }[];
  /** The code of a file that cannot be read, with words of its error. */
  readonly fault?: string;
  /** That of `check`, if it says more. */
  readonly checkCode?: string;
  readonly line?: number;
  readonly says?: readonly string[];
  /** A program that the hint runs. */
  readonly command?: string;
  /** Words of the hint. */
  readonly hint?: string;
}

interface Report {
  readonly layout: string;
  readonly totals: Readonly<Record<string, number>>;
  readonly warnings: object;
  readonly byClassification: Readonly<Record<string, { entries: number }>>;
  readonly fileWarnings: readonly { severity: string }[];
  readonly rf8Review: { outcome: string; conditions: readonly string[] };
  readonly rejections: readonly {
    line: number;
    errors: { line: number; column: string; code: string; detail: string }[];
  }[];
}

const EXPORTS = JSON.parse(readFileSync(fixture("exports/expected.json"), "utf8")) as Record<
  string,
  Expectation
>;

function expectReport(report: Report, expected: Expectation): void {
  const { accepted, enteredValueCents, errors, fileWarnings, ieepaDutyCents, rejected, warnings } = expected;
  expect(report).toMatchObject({
    layout: expected.layout,
    totals: { entriesAccepted: accepted, entriesRejected: rejected },
  });
  if (ieepaDutyCents !== undefined) expect(report.totals).toMatchObject({ ieepaDutyCents });
  if (enteredValueCents !== undefined) expect(report.totals).toMatchObject({ enteredValueCents });
  if (warnings !== undefined) expect(report.warnings).toEqual(warnings);
  if (fileWarnings !== undefined) {
    expect(report.fileWarnings).toHaveLength(fileWarnings.length);
    expect(report.fileWarnings).toMatchObject(fileWarnings);
  }
  for (const [name, entries] of Object.entries(expected.byClassification ?? {}))
    expect(report.byClassification[name], name).toMatchObject({ entries });
  const isStopped = report.fileWarnings.some(({ severity }) => severity === "stop");
  expect(report.rf8Review.conditions.includes("file_consistent")).toBe(isStopped);
  expect(isStopped && report.rf8Review.outcome === "clear").toBe(false);
  const found = report.rejections.flatMap((rejection) => rejection.errors);
  for (const { says = "", ...error } of errors ?? []) {
    const match = found.find(({ code, line }) => code === error.code && line === error.line);
    expect(match, `${error.code} on line ${error.line}`).toMatchObject(error);
    expect(match?.detail).toMatch(says);
  }
  const lines = new Set((errors ?? []).map(({ line }) => line));
  expect(new Set(found.map(({ line }) => line))).toEqual(lines);
}

const check = (path: string, ...more: string[]): Promise<CliResult> =>
  runCli(["diligence", "check", path, "--as-of", "2026-11-20", "--json", ...more]);

/** The job of a file in a sandbox. */
async function submit(path: string): Promise<CliResult> {
  const env = environmentOf(await sandboxForTest());
  return runCli(submitArgs(path, "--check", "off", "--wait", "--json"), { env });
}

const READABLE = Object.entries(EXPORTS).filter(([, { fault }]) => fault === undefined);
const FAULTY = Object.entries(EXPORTS).filter(([, { fault }]) => fault !== undefined);

describe("an export that can be read", () => {
  it.each(READABLE)("is read as the model says: %s", async (name, expected) => {
    const result = await check(fixture(`exports/${name}`));
    const checked = JSON.parse(result.stdout) as Report;
    expectReport(checked, expected);
    const isStopped = checked.fileWarnings.some(({ severity }) => severity === "stop");
    expect(result.code).toBe(isStopped ? 5 : 0);
  });

  itEachFirst(READABLE)("is read by the sandbox as by check: %s", async (name) => {
    const path = fixture(`exports/${name}`);
    const checked = JSON.parse((await check(path)).stdout) as Report;
    const { fileWarnings, rejections, totals, warnings } = JSON.parse((await submit(path)).stdout);
    expect({ fileWarnings, rejections, totals, warnings }).toEqual({
      fileWarnings: checked.fileWarnings,
      rejections: checked.rejections,
      totals: checked.totals,
      warnings: checked.warnings,
    });
  });
});

describe("an export that cannot be read", () => {
  it.each(FAULTY)("is refused with its cause and what to do: %s", async (name, expected) => {
    const { fault, says = [] } = expected;
    const result = await check(fixture(`exports/${name}`));
    const { code, hint, message } = errorOf(result);
    expect([result.code, result.stdout, code]).toEqual([5, "", expected.checkCode ?? fault]);
    for (const text of says) expect(message?.toLowerCase()).toContain(text.toLowerCase());
    expect(hint).not.toContain("the sandbox would end");
    expect(hint).toMatch(expected.command ?? expected.hint ?? "");
  });

  itEachFirst(FAULTY)("is a failed job of the sandbox, with the same words: %s", async (name, expected) => {
    const { fault } = expected;
    const path = fixture(`exports/${name}`);
    const { message } = errorOf(await check(path));
    const job = await submit(path);
    const { failure } = JSON.parse(job.stdout);
    expect([job.code, failure.code]).toEqual([9, fault]);
    if (expected.checkCode === undefined) expect(message).toContain(failure.detail);
    if (expected.line !== undefined) expect(failure.line).toBe(expected.line);
  });
});

it("the command of a hint makes a file that check reads", async () => {
  const folder = temporaryFolder();
  const env = { ...bareEnvironment(), PATH: process.env.PATH ?? "" };
  const fix = async (path: string) => {
    const { hint } = errorOf(await check(path));
    const command = hint?.slice(hint.indexOf(": ") + 2) ?? "";
    execFileSync("/bin/sh", ["-c", command], { cwd: folder, env });
    return join(folder, command.split("> ")[1] ?? "");
  };
  const names = ["entry_latin1.csv", "entry_cr_only.csv", "es003_title_lines.csv"];
  // A tab between the cells, and a semicolon.
  const others = hasProgram("python3") ? ["entry_tabs.txt", "entry_semicolons.csv"] : [];
  for (const name of [...names, ...others]) {
    const fixed = await check(await fix(fixture(`exports/${name}`)));
    expect([name, fixed.code]).toEqual([name, 0]);
  }
  expect(errorOf(await check(await fix(fixture("exports/entry_utf16.txt")))).code).toBe(
    "DELIMITER_UNSUPPORTED",
  );
});

describe("the warnings of an entry file", () => {
  const COMMANDS: readonly (readonly [string, (name: string) => readonly string[]])[] = [
    ["check", (name) => ["diligence", "check", name]],
    ["submit", (name) => submitArgs(name)],
    ["batch", (name) => ["diligence", "batch", folderOf(name), "--seller-name", SELLER]],
  ];

  function folderOf(name: string): string {
    const folder = temporaryFolder();
    copyFileSync(name, join(folder, basename(name)));
    return folder;
  }

  it.each(COMMANDS)("that may change the claim are on stderr of %s, all with -v", async (_, argsFor) => {
    const sandbox = await sandboxForTest();
    // Each on a machine of its own: what was submitted is not checked again.
    const run = async (name: string, ...more: string[]) =>
      (await runCli([...argsFor(fixture(`exports/${name}`)), ...more], { env: environmentOf(sandbox) }))
        .stderr;
    expect(await run("es003_repeated_rows.csv")).toMatch(
      /warning: .*2 rows mean the same as an earlier row.*lines 10, 11.*\(ROWS_REPEATED\)/,
    );
    expect(await run("es003_protest_state.csv")).toMatch(
      /"Protest State" \(did you mean "Protest Status"\?\)/,
    );
    expect(await run("entry_broker_columns.csv")).not.toContain("COLUMNS_UNRECOGNIZED");
    expect(await run("entry_broker_columns.csv", "-v")).toMatch(/"Broker Memo", "Cost Center".*COLUMNS_UN/);
  });
});

it("submit names the line of the first error, not the first row of its entry", async () => {
  const env = environmentOf(await sandboxForTest());
  const header = readFileSync(fixture("exports/es003_two_bad_cells.csv"), "utf8");
  // Only the cell of line 5 is bad.
  const path = temporaryFile("late.csv", header.replace("2025-13-45", "12/14/2025"));
  const { stderr } = await runCli(submitArgs(path), { env });
  expect(stderr).toContain("1 of 3 entries is rejected, the first on line 5 (AMOUNT_NOT_NUMERIC)");
});

it("the command of a hint names no file that exists, and works in a pipe", async () => {
  const cwd = temporaryFolder();
  const bytes = readFileSync(fixture("exports/entry_utf16.txt"));
  // Without its byte order mark, and with a name that needs quotes.
  writeFileSync(join(cwd, "fixed it's.txt"), bytes.subarray(2));
  const named = await runCli(["diligence", "check", "fixed it's.txt", "--json"], { cwd });
  expect(errorOf(named).hint).toMatch(
    /^in Excel, save it .*; or rewrite it: iconv -f UTF-16LE -t UTF-8 < 'fixed it'\\''s.txt' > 'fixed-fixed it'\\''s.txt'$/,
  );
  const piped = await runCli(["diligence", "check", "-", "--json"], { input: bytes });
  expect(errorOf(piped).hint).toMatch(/; or put this into the pipe: iconv -f UTF-16 -t UTF-8$/);
});

describe("the hint for a file that is not UTF-8", () => {
  const rows = readFileSync(fixture("exports/entry_broker_columns.csv"), "latin1");
  const withName = (bytes: string) => Buffer.from(rows.replace("Harbor", bytes), "latin1");
  const hintOf = async (bytes: Uint8Array) => {
    return errorOf(await check(temporaryFile("other.csv", bytes))).hint ?? "";
  };

  it.each<[string, string, RegExp | null]>([
    ["Windows-1252", "S\xfcd & S\xf6hne", /iconv -f WINDOWS-1252/],
    ["Windows-1252 with an apostrophe and a dash", "Macy\x92s \x96 Caf\xe9", /iconv -f WINDOWS-1252/],
    // The same letters in the code page of DOS and on old Macintosh computers.
    ["code page 850", "S\x81d & S\x94hne", null],
    ["MacRoman", "S\x9fd & S\x9ahne", null],
    ["GBK", "\xd6\xd0\xb9\xfa\xc3\xb3\xd2\xd7", null],
    ["Windows-1251", "\xcf\xf0\xe8\xe2\xe5\xf2", null],
  ])("names the command for %s only if its letters are plausible", async (_, bytes, command) => {
    const hint = await hintOf(withName(bytes));
    expect(hint).toContain("CSV UTF-8");
    if (command === null) expect(hint).not.toContain("iconv");
    else expect(hint).toMatch(command);
  });

  it("says that a file mixes encodings, with the line", async () => {
    const mixed = Buffer.concat([withName("S\xc3\xbcd"), Buffer.from("XPT-0000005-2,S\xfcd\n", "latin1")]);
    const hint = await hintOf(mixed);
    expect(hint).toContain(`the file mixes encodings: line ${rows.trim().split("\n").length + 1} `);
    expect(hint).not.toContain("iconv");
  });

  it("names UTF-32, and that a copy was not finished", async () => {
    const utf32 = Buffer.concat(
      ["\ufeff", ...rows].map((letter) =>
        Buffer.from([letter.charCodeAt(0) & 0xff, letter.charCodeAt(0) >> 8, 0, 0]),
      ),
    );
    expect(await hintOf(utf32)).toContain("iconv -f UTF-32");
    expect(await hintOf(Buffer.concat([Buffer.from(rows), Buffer.alloc(9)]))).toContain(
      "copy or export it again",
    );
  });
});

it.each([
  [
    "<html><head><title>Sign in - ACE</title></head></html>",
    'a web page (HTML) with the title "Sign in - ACE"',
  ],
  [
    '<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">',
    "an Excel XML file",
  ],
  ['[{"entry_number": "ZZ9-0000001-1"}]', "JSON"],
  ["\ufeff\n<table><tr><td>Entry Number</td></tr></table>", "a web page (HTML) with a table"],
  ["PK\u0003\u0004\u0014\0\0", "a ZIP archive or a spreadsheet, not a text table", "FILE_ENCODING"],
])("%j is not sent without --check off, and says what it is", async (text, kind, failure = "NOT_A_TABLE") => {
  const path = temporaryFile("export.xls.csv", text);
  const env = environmentOf(await sandboxForTest());
  for (const args of [["diligence", "check", path], submitArgs(path)]) {
    const { code, stderr } = await runCli(args, { env });
    expect([code, stderr.includes(kind)]).toEqual([5, true]);
  }
  const job = await runCli(submitArgs(path, "--check", "off", "--wait", "--json"), { env });
  expect(JSON.parse(job.stdout).failure).toMatchObject({
    code: failure,
    detail: expect.stringContaining(kind),
  });
});

it.each([
  ["\u001a", "ROW_WIDTH", "Ctrl-Z"],
  ['"XPT-0000005-2,01,12-3456789,x"', "ROW_WIDTH", "The whole line is in quotes"],
])("a last line %j says what it is", async (line, code, words) => {
  const text = readFileSync(fixture("exports/entry_broker_columns.csv"), "utf8").trimEnd();
  const error = errorOf(await check(temporaryFile("last.csv", `${text}\n${line}\n`)));
  expect([error.code, error.message?.includes(words)]).toEqual([code, true]);
});

it("a file whose lines are all in quotes says so", async () => {
  const path = temporaryFile("quoted.csv", '"entry_number,entry_type_code"\n"ZZ9-0000001-1,01"\n');
  expect(errorOf(await check(path))).toMatchObject({
    code: "REQUIRED_COLUMN_MISSING",
    message: expect.stringContaining("The whole line is in quotes"),
  });
});

it("every warning code is explained in the reference and in help entry-files", async () => {
  const reference = readFileSync("docs/reference/entry-files.md", "utf8");
  const help = (await runCli(["help", "entry-files"])).stdout;
  for (const [code, message] of Object.entries({ ...WARNING_MESSAGES, ...FILE_WARNING_MESSAGES })) {
    expect(reference).toContain(code);
    expect(help).toContain(code);
    expect(message).toMatch(/\. \S/);
  }
});
