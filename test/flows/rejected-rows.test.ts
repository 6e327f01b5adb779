import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CsvReader } from "../../src/domain/entries/csv/csv-reader.ts";
import { errorOf, fixture, runCli, temporaryFile, temporaryFolder } from "../support/cli.ts";

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

const writeFile = (text: string) => temporaryFile("entries.csv", text);

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

  it.each([
    ["stdout", (file: string) => [file, "--rejected-csv", "-"], "option_conflict"],
    ["the file itself", (file: string) => [file, "--rejected-csv", file], "option_conflict"],
  ])("refuses %s", async (_, args, errorCode) => {
    const source = writeFile(readFileSync(fixture("sample_entries.csv"), "utf8"));
    const before = readFileSync(source, "utf8");
    const result = await runCli(["diligence", "check", ...args(source), "--json"]);
    expect([result.code, errorOf(result).code]).toEqual([2, errorCode]);
    expect(readFileSync(source, "utf8")).toBe(before);
  });
});
