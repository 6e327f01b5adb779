import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CsvReader } from "../../src/domain/entries/csv/csv-reader.ts";
import { quoteDelimitedCell } from "../../src/domain/text.ts";
import { errorOf, fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { environmentOf, SELLER, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

const PLAIN = readFileSync(fixture("bad_entries.csv"), "utf8");
const AS_OF = ["--as-of", "2026-11-20"];
const MAP = ["--map", "Entrada=entry_number", "--map", "País de origen=country_of_origin_code"];
const MAPPED_HEADINGS = { Entrada: "entry_number", "País de origen": "country_of_origin_code" };

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** The file with the headings of a Spanish export. */
const withHeadings = (csv: string) =>
  csv.replace("entry_number", "Entrada").replace("country_of_origin_code", '"País de origen"');

function withDelimiter(csv: string, delimiter: string): string {
  const records: string[] = [];
  const reader = new CsvReader((record) => {
    const cells = record.cellTexts().map((cell) => quoteDelimitedCell(cell, delimiter));
    records.push(`${cells.join(delimiter)}\n`);
  });
  reader.push(Buffer.from(csv));
  reader.end();
  return records.join("");
}

const SPANISH = withHeadings(PLAIN);

function writeFiles(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const startAcceptingService = () =>
  startScriptedService((_, response, count) =>
    sendJson(response, 202, { jobId: `j-${count}`, state: "queued" }),
  );

/** The file part of a multipart body. */
const filePart = (body: string) => /filename="([^"]*)".*?\r\n\r\n(.*)\r\n--/s.exec(body)?.slice(1) ?? [];

describe("other headings", () => {
  it.each([
    ["--map", SPANISH, MAP],
    ["--map in other case and white space", SPANISH, ["--map", "ENTRADA = entry_number", ...MAP.slice(2)]],
    ["--map-file", SPANISH, ["--map-file", "pairs.txt"]],
    ["--delimiter", withDelimiter(PLAIN, ";"), ["--delimiter", ";"]],
    ["--map and --delimiter", withDelimiter(SPANISH, "\t"), [...MAP, "--delimiter", "tab"]],
  ])("give the report of the file with our headings: %s", async (_, text, options) => {
    const cwd = writeFiles({
      "export.csv": text,
      "plain.csv": PLAIN,
      "pairs.txt":
        "\uFEFF# Our brokers\r\n\r\nEntrada=entry_number\r\nEintrag=entry_number\r\nPaís de origen = country_of_origin_code\r\n",
    });
    const check = async (...args: string[]) =>
      JSON.parse((await runCli(["diligence", "check", ...args, ...AS_OF, "--json"], { cwd })).stdout);
    expect(await check("export.csv", ...options)).toEqual(await check("plain.csv"));
  });

  it("are the same in check, submit and batch", async () => {
    const options = [...MAP, "--delimiter", "tab"];
    const cwd = writeFiles({
      "export.csv": withDelimiter(SPANISH, "\t"),
      "manifest.csv": `file,seller\nexport.csv,"${SELLER}"\n`,
    });
    const env = environmentOf(await sandboxForTest());
    const read = async (...args: string[]) => {
      const { code, stdout } = await runCli(args, { env, cwd });
      expect(code).toBe(0);
      return stdout;
    };
    const check = [
      "diligence",
      "check",
      "export.csv",
      "--seller-name",
      SELLER,
      ...AS_OF,
      ...options,
      "--json",
    ];
    const checked = JSON.parse(await read(...check));
    const submitted = JSON.parse(await read(...submitArgs("export.csv", "--wait", "--json", ...options)));
    const batch = ["diligence", "batch", "manifest.csv", "--wait", "-q", "--on-duplicate", "submit"];
    const id = (await read(...batch, ...options)).trim();
    const batched = JSON.parse(await read("diligence", "report", id, "--json"));
    expect(submitted).toMatchObject(checked);
    expect({ ...batched, jobId: submitted.jobId }).toEqual(submitted);
    // No copy stays.
    expect(readdirSync(env.TMPDIR ?? "").filter((name) => name.startsWith("claims-input"))).toEqual([]);
  });

  it("change only the header record of what is sent, and the log keeps both hashes", async () => {
    const { env, requests } = await startAcceptingService();
    const cwd = writeFiles({ "export.csv": SPANISH });
    expect((await runCli([...submitArgs("export.csv", ...MAP), "--no-check"], { env, cwd })).code).toBe(0);
    expect(filePart(requests[0]?.body ?? "")).toEqual(["export.csv", PLAIN]);
    const [record] = JSON.parse((await runCli(["diligence", "history", "--json"], { env })).stdout);
    expect(record).toMatchObject({
      file: "export.csv",
      path: join(cwd, "export.csv"),
      fileSha256: sha256(SPANISH),
      sentSha256: sha256(PLAIN),
      mapping: { headings: MAPPED_HEADINGS, delimiter: "," },
      bytes: Buffer.byteLength(PLAIN),
    });
  });

  it("recognize a duplicate by the file before the mapping", async () => {
    const { env } = await startAcceptingService();
    const cwd = writeFiles({
      "export.csv": SPANISH,
      "manifest.csv": `file,seller\nexport.csv,"${SELLER}"\n`,
    });
    const submit = (...more: string[]) =>
      runCli([...submitArgs("export.csv", ...more), "--no-check", "--json"], { env, cwd });
    expect((await submit()).code).toBe(0);
    const mapped = await submit(...MAP, "--on-duplicate", "fail");
    expect([mapped.code, errorOf(mapped).code]).toEqual([5, "duplicate"]);
    expect(errorOf(mapped).message).toContain("as job j-1, with another mapping");
    expect((await submit(...MAP)).stderr).toContain("warning");
    const again = await submit(...MAP, "--on-duplicate", "skip");
    expect(again.stderr).toContain("as job j-2; using that job");
    const batch = await runCli(["diligence", "batch", "manifest.csv", "--json"], { env, cwd });
    expect([batch.code, errorOf(batch).code]).toEqual([5, "duplicate"]);
  });

  it("are in the manifest of a pull, and in the rejected rows", async () => {
    const env = environmentOf(await sandboxForTest());
    const text = withDelimiter(SPANISH, ";");
    const cwd = writeFiles({ "export.csv": text, "plain.csv": PLAIN });
    const options = [...MAP, "--delimiter", ";"];
    const run = async (...args: string[]) => {
      const { code, stdout } = await runCli(["diligence", ...args], { env, cwd });
      expect(code).toBe(0);
      return stdout;
    };
    await run("check", "export.csv", ...options, ...AS_OF, "--rejected-csv", "checked.csv");
    const [header = "", ...rows] = readFileSync(join(cwd, "checked.csv"), "utf8").trimEnd().split("\r\n");
    expect(header).toBe(`${text.split("\n")[0]};line;codes;reasons`);
    expect(rows[0]?.startsWith(`${text.split("\n")[2]};3;`)).toBe(true);
    expect(rows[0]).toMatch(/;"Entrada: /);
    await run("check", "checked.csv", ...options, ...AS_OF);

    await run(...submitArgs("export.csv", ...options, "--wait").slice(1));
    const manifest = JSON.parse(await run("pull", "--last", "-d", "pulled", "--json"));
    expect(manifest.mapping).toEqual({ headings: MAPPED_HEADINGS, delimiter: ";" });
    await run(...submitArgs("plain.csv", "--wait").slice(1));
    expect(JSON.parse(await run("pull", "--last", "-d", "plain", "--json")).mapping).toBeNull();
  });

  it.each([
    ["a heading that the file lacks", ["--map", "Entrad=entry_number"], 5, "mapping_failed", /"Entrada"\?/],
    [
      "two headings for one column",
      [...MAP, "--map", "importer_name=entry_number"],
      5,
      "mapping_failed",
      /only one/,
    ],
    [
      "a heading for a column that the file has",
      ["--map", "Entrada=importer_name"],
      5,
      "mapping_failed",
      /only one/,
    ],
    ["another delimiter", ["--delimiter", "|"], 5, "mapping_failed", /--delimiter/],
    ["a pair without =", ["--map", "Entrada"], 2, "option_invalid", /HEADING=COLUMN/],
    [
      "one heading for two columns",
      ["--map", "Entrada=entry_number", "--map", "entrada=entry_date"],
      2,
      "option_invalid",
      /once/,
    ],
    ["an unknown delimiter", ["--delimiter", "x"], 2, "option_invalid", /tab/],
  ])("are refused before a request: %s", async (_, options, code, errorCode, hint) => {
    const { env, requests } = await startAcceptingService();
    const cwd = writeFiles({ "export.csv": SPANISH });
    const result = await runCli(submitArgs("export.csv", ...options, "--json"), { env, cwd });
    expect([result.code, errorOf(result).code]).toEqual([code, errorCode]);
    expect(errorOf(result).hint).toMatch(hint);
    expect(requests).toEqual([]);
  });

  it("have no curl command, which would send the file as it is", async () => {
    const { env, requests } = await startAcceptingService();
    const cwd = writeFiles({ "export.csv": SPANISH });
    const curl = await runCli(submitArgs("export.csv", ...MAP, "--print", "curl"), { env, cwd });
    expect([curl.code, curl.stdout]).toEqual([2, ""]);
    expect(curl.stderr).toContain("--dry-run");
    expect((await runCli(submitArgs("export.csv", ...MAP, "--dry-run"), { env, cwd })).code).toBe(0);
    expect(requests).toEqual([]);
  });

  it("fail one file of a batch, not the others", async () => {
    const { env, requests } = await startAcceptingService();
    const cwd = writeFiles({ "a.csv": SPANISH, "b.csv": PLAIN });
    const args = [
      "diligence",
      "batch",
      ".",
      "--seller-name",
      SELLER,
      "--batch-log",
      "log.jsonl",
      "--no-check",
    ];
    const result = await runCli([...args, ...MAP, "--json"], { env, cwd });
    expect(result.code).toBe(5);
    const codes = Object.fromEntries(
      (JSON.parse(result.stdout) as { file: string; error: { code: string } | null }[]).map(
        ({ file, error }) => [file, error?.code],
      ),
    );
    expect(codes).toEqual({ "a.csv": undefined, "b.csv": "mapping_failed" });
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  it("warn about a column that the assumed format lacks, and name the mapping for a column that is missing", async () => {
    const { env } = await startAcceptingService();
    const cwd = writeFiles({ "export.csv": SPANISH, "semicolons.csv": withDelimiter(PLAIN, ";") });
    const typo = await runCli(submitArgs("export.csv", "--map", "Entrada=entry_numbr"), { env, cwd });
    expect(typo.stderr).toContain(
      '"entry_numbr" is not a column of the assumed format; did you mean entry_number?',
    );
    const missing = await runCli(["diligence", "check", "export.csv", "--json"], { cwd });
    expect(errorOf(missing).hint).toContain("--map");
    const semicolons = await runCli(["diligence", "check", "semicolons.csv", "--json"], { cwd });
    expect(errorOf(semicolons).hint).toContain("--delimiter ';'");
  });
});
