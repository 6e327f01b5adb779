import { appendFileSync, copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CsvReader } from "../../src/domain/entries/csv/csv-reader.ts";
import { bareEnvironment, errorOf, fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

const AS_OF = ["--as-of", "2026-11-20"];

/** The records of a CSV file. */
function readRecords(csv: string | Uint8Array): string[][] {
  const records: string[][] = [];
  const reader = new CsvReader((record) => records.push(record.cellTexts()));
  reader.push(Buffer.from(csv));
  reader.end();
  return records;
}

/** Each rejected line with its codes. */
const codesByLine = (csv: string | Uint8Array) =>
  readRecords(csv)
    .slice(1)
    .map((cells): [number, string[]] => [Number(cells.at(-3)), (cells.at(-2) ?? "").split(";")]);

async function checkRejected(file: string, ...more: string[]) {
  const folder = temporaryFolder();
  const path = join(folder, "rejected.csv");
  const result = await runCli(["diligence", "check", file, ...AS_OF, "--rejected-csv", path, ...more]);
  return { ...result, path, csv: () => readFileSync(path, "utf8") };
}

function writeFile(text: string): string {
  const path = join(temporaryFolder(), "entries.csv");
  writeFileSync(path, text);
  return path;
}

describe("diligence check --rejected-csv", () => {
  it("writes the original cells of each rejected row with the codes of the report", async () => {
    const source = fixture("bad_entries.csv");
    const { code, csv, path, stdout, stderr } = await checkRejected(source, "--json");
    expect(code).toBe(0);
    const { rejections } = JSON.parse(stdout) as {
      rejections: { line: number; errors: { code: string; detail: string }[] }[];
    };
    expect(rejections.length).toBeGreaterThan(5);
    expect(codesByLine(csv())).toEqual(
      rejections.map(({ line, errors }) => [line, errors.map((error) => error.code)]),
    );
    const original = readRecords(readFileSync(source));
    const [header, ...rows] = readRecords(csv());
    expect(header).toEqual([...(original[0] ?? []), "line", "codes", "reasons"]);
    for (const [index, row] of rows.entries()) {
      const cells = row.slice(0, -3).map((cell) => cell.replace(/^'/, ""));
      expect(cells).toEqual(original[(rejections[index]?.line ?? 0) - 1]);
      for (const { detail } of rejections[index]?.errors ?? []) expect(row.at(-1)).toContain(detail);
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(stderr).note).toEqual({
      message: `wrote ${rows.length} rows of rejected entries to ${path}`,
      path,
    });
  });

  it("writes all rows of a rejected es003 entry, with the codes of each row", async () => {
    const { csv, stdout } = await checkRejected(fixture("es003_mixed.csv"), "--json");
    const { rejections } = JSON.parse(stdout) as {
      rejections: { line: number; entryNumber: string | null; errors: { code: string }[] }[];
    };
    const records = readRecords(csv());
    const numberAt = records[0]?.indexOf("Entry Summary Number") ?? -1;
    expect(numberAt).toBeGreaterThanOrEqual(0);
    const rows = records.slice(1).map((cells) => ({
      entry: (cells[numberAt] ?? "").replaceAll(/[- ]/g, ""),
      line: Number(cells.at(-3)),
      codes: (cells.at(-2) ?? "").split(";").filter(Boolean),
      reason: cells.at(-1),
    }));
    for (const { line, entryNumber, errors } of rejections) {
      const own = rows.filter((row) =>
        entryNumber === null ? row.line === line : row.entry === entryNumber,
      );
      expect(own[0]?.line).toBe(line);
      expect([...new Set(own.flatMap(({ codes }) => codes))].sort()).toEqual(errors.map(({ code }) => code));
    }
    const others = rows.filter(({ codes }) => codes.length === 0);
    expect(others.length).toBeGreaterThan(0);
    for (const { reason } of others) expect(reason).toMatch(/another row/);
    expect(rows.map(({ line }) => line)).toEqual(rows.map(({ line }) => line).sort((a, b) => a - b));
  });

  it("marks cells that a spreadsheet would run, and names the importer's headings in the reasons", async () => {
    const source = writeFile(
      'Entry No,Entry Type,IOR Number,entry_date,COO,entered_value,IEEPA Duty,Liquidation Status,"line","Note, own"\n' +
        '="ABC12345676",01,12-3456789,2025-03-01,CN,-5.00,1.00,OPEN,+49 30,"=1+1, ""x"""\n',
    );
    const { code, csv } = await checkRejected(source);
    expect(code).toBe(0);
    const [header, row] = readRecords(csv());
    expect(header).toEqual([...(readRecords(readFileSync(source))[0] ?? []), "line (2)", "codes", "reasons"]);
    expect(row).toEqual([
      '="ABC12345676"',
      "01",
      "12-3456789",
      "2025-03-01",
      "CN",
      "-5.00",
      "1.00",
      "OPEN",
      "'+49 30",
      `'=1+1, "x"`,
      "2",
      "AMOUNT_NEGATIVE",
      expect.stringMatching(/^entered_value: An amount must not be negative\./),
    ]);
    const formula = writeFile(readFileSync(source, "utf8").replace("2025-03-01", "=NOW()"));
    const [, escaped] = readRecords((await checkRejected(formula)).csv());
    expect([escaped?.[3], escaped?.at(-2)]).toEqual(["'=NOW()", "AMOUNT_NEGATIVE;FORMULA_INJECTION"]);
  });

  it("writes only the header if nothing is rejected, and nothing for a file that cannot be read", async () => {
    const valid = await checkRejected(fixture("sample_entries.csv"));
    expect(readRecords(valid.csv())).toHaveLength(1);
    expect(valid.stderr).toContain("wrote 0 rows");
    const broken = await checkRejected(fixture("bad_files/ragged_row.csv"), "--json");
    expect([broken.code, errorOf(broken).code]).toEqual([5, "ROW_WIDTH"]);
    expect(() => broken.csv()).toThrow("ENOENT");
  });

  it("writes an entry file, which can be corrected and checked again", async () => {
    const { path, csv } = await checkRejected(fixture("bad_entries.csv"));
    const again = await checkRejected(path);
    expect(again.code).toBe(0);
    // Without the first row of its number, a row is no duplicate, and a marked cell is no formula.
    const remaining = csv().replaceAll(/ENTRY_NUMBER_DUPLICATE|FORMULA_INJECTION/g, "");
    const codes = (text: string) =>
      codesByLine(text)
        .flatMap(([, list]) => list)
        .filter(Boolean);
    expect(codes(again.csv())).toEqual(codes(remaining));
  });

  it.each([
    ["two files", (file: string) => [file, fixture("bad_entries.csv")], "option_conflict"],
    ["stdout", (file: string) => [file, "--rejected-csv", "-"], "option_conflict"],
    ["the file itself", (file: string) => [file, "--rejected-csv", file], "duplicate_file"],
  ])("refuses %s", async (_, args, errorCode) => {
    const source = writeFile(readFileSync(fixture("sample_entries.csv"), "utf8"));
    const before = readFileSync(source, "utf8");
    const target = join(temporaryFolder(), "rejected.csv");
    const given = args(source);
    const option = given.includes("--rejected-csv") ? [] : ["--rejected-csv", target];
    const result = await runCli(["diligence", "check", ...given, ...option, "--json"]);
    expect([result.code, errorOf(result).code]).toEqual([2, errorCode]);
    expect(readFileSync(source, "utf8")).toBe(before);
  });
});

describe("diligence report --rejected-csv", () => {
  /** Submits a copy of a fixture or a scenario, and waits for its job. */
  async function submitCopy(copy: (path: string) => unknown) {
    const env = environmentOf(await sandboxForTest());
    const folder = temporaryFolder();
    const source = join(folder, "entries.csv");
    await copy(source);
    const submitted = await runCli([...submitArgs(source), "--wait", "-q"], { env });
    expect(submitted.code).toBe(0);
    const path = join(folder, "rejected.csv");
    const report = (...more: string[]) =>
      runCli(["diligence", "report", submitted.stdout.trim(), "--rejected-csv", path, ...more], { env });
    return { env, folder, path, report, source };
  }

  const fromScenario = (scenario: string, rows: number) => (path: string) =>
    runCli([
      ...["sandbox", "csv", "--scenario", scenario, "--rows", String(rows)],
      ...[...AS_OF, "--out", path],
    ]);

  it.each([
    ["listed", "bad_entries.csv", /^wrote \d+ rows of rejected entries to \S+\n$/],
    [
      "es003",
      "es003_mixed.csv",
      /^the report lists entries, not rows; classifying the rows of \S+ again, as of 2026-11-20\nwrote /,
    ],
  ])("writes what check writes: %s rejections", async (_, name, messages) => {
    const { path, report, source } = await submitCopy((copy) => copyFileSync(fixture(name), copy));
    const result = await report();
    expect([result.code, result.stderr]).toEqual([0, expect.stringMatching(messages)]);
    expect(result.stdout).toContain("rejections\t");
    expect(readFileSync(path, "utf8")).toBe((await checkRejected(source)).csv());
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("classifies the rows again with the report's asOf where the report is truncated, and says so", async () => {
    const { path, report, source } = await submitCopy(fromScenario("too-many-rejected", 3_030));
    const { code, stderr } = await report("--json");
    expect(code).toBe(0);
    expect(JSON.parse(stderr.split("\n")[0] ?? "").note.message).toBe(
      `the report lists the first 1,000 of 1,010 rejected entries; classifying the rows of ${source} again, as of 2026-11-20`,
    );
    expect(readRecords(readFileSync(path))).toHaveLength(1_011);
    expect(readFileSync(path, "utf8")).toBe((await checkRejected(source)).csv());
  });

  it("finds the file by its hash, and exits 5 without it", async () => {
    const { env, folder, path, report, source } = await submitCopy((copy) =>
      copyFileSync(fixture("bad_entries.csv"), copy),
    );
    const moved = join(folder, "moved.csv");
    copyFileSync(source, moved);
    appendFileSync(source, "\n");
    const changed = await report("--json");
    expect([changed.code, errorOf(changed).code]).toEqual([5, "source_not_found"]);
    expect(errorOf(changed).message).toContain(source);
    expect(() => readFileSync(path)).toThrow("ENOENT");
    const wrong = await report("--source", source, "--json");
    expect([wrong.code, errorOf(wrong).code]).toEqual([5, "source_not_found"]);
    expect((await report("--source", moved)).code).toBe(0);

    // Another submission of the same bytes: its path is in the log, too.
    rmSync(source);
    const again = await runCli([...submitArgs(moved), "--on-duplicate", "submit", "-q"], { env });
    expect(again.code).toBe(0);
    expect((await report()).code).toBe(0);
    expect(readFileSync(path, "utf8")).toBe((await checkRejected(moved)).csv());
    const itself = await report("--rejected-csv", moved, "--json");
    expect([itself.code, errorOf(itself).code]).toEqual([2, "duplicate_file"]);

    copyFileSync(moved, source);
    for (const more of [[], ["--source", source]]) {
      const other = await report("--rejected-csv", moved, ...more, "--json");
      expect(errorOf(other)).toMatchObject({
        code: "duplicate_file",
        message: `--rejected-csv would replace ${moved}`,
      });
    }
    expect(readFileSync(moved)).toEqual(readFileSync(source));
  });

  it("takes a --source that the write log does not know, if its lines fit the report", async () => {
    const { env, report, source } = await submitCopy((copy) =>
      copyFileSync(fixture("bad_entries.csv"), copy),
    );
    const elsewhere = { ...env, CLAIMS_CONFIG_DIR: bareEnvironment().CLAIMS_CONFIG_DIR };
    const id = JSON.parse((await report("--json")).stdout).jobId;
    const path = join(temporaryFolder(), "rejected.csv");
    const args = ["diligence", "report", id, "--rejected-csv", path, "--json"];
    const unknown = await runCli(args, { env: elsewhere });
    expect([unknown.code, errorOf(unknown).code]).toEqual([5, "source_not_found"]);
    const short = join(temporaryFolder(), "short.csv");
    writeFileSync(short, readFileSync(source, "utf8").split("\n").slice(0, 5).join("\n"));
    const wrong = await runCli([...args, "--source", short], { env: elsewhere });
    expect([wrong.code, errorOf(wrong).code]).toEqual([5, "source_not_found"]);
    expect((await runCli([...args, "--source", source], { env: elsewhere })).code).toBe(0);
    expect(readFileSync(path, "utf8")).toBe((await checkRejected(source)).csv());
  });

  it("depends on no assumed field of the report", async () => {
    const reports: Record<string, unknown>[] = [
      { rf8Review: {} },
      { rf8Review: {}, rejections: [{ row: 3 }] },
      { rf8Review: {}, rejections: [{ line: 3 }], totals: { entriesRejected: 2 } },
      { rf8Review: {}, rejections: [{ line: 3, errors: [{ reason: "x" }, { code: "-X", detail: "Bad." }] }] },
    ];
    const { env } = await startScriptedService((_, response, count) =>
      sendJson(response, 200, reports[count - 1] ?? {}),
    );
    const path = join(temporaryFolder(), "rejected.csv");
    const source = writeFile("a,b\n1,2\n3,4\n");
    const args = ["diligence", "report", "j-1", "--rejected-csv", path, "--source", source, "--json"];
    for (const _ of reports.slice(1)) {
      const result = await runCli(args, { env });
      expect([result.code, errorOf(result).code]).toEqual([5, "source_not_found"]);
    }
    expect((await runCli(args, { env })).code).toBe(0);
    expect(readFileSync(path, "utf8")).toBe("a,b,line,codes,reasons\r\n3,4,3,;-X, Bad.\r\n");
  });

  it.each([
    [["j-1", "j-2", "--rejected-csv", "r.csv"], "option_conflict"],
    [["j-1", "--source", "entries.csv"], "missing_option"],
    [["-", "--rejected-csv", "r.csv", "--source", "-"], "option_conflict"],
  ])("refuses %s", async (args, errorCode) => {
    const { env } = await startScriptedService((_, response) => sendJson(response, 200, {}));
    const result = await runCli(["diligence", "report", ...args, "--json"], { env, cwd: temporaryFolder() });
    expect([result.code, errorOf(result).code]).toEqual([2, errorCode]);
  });
});
