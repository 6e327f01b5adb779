import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli, temporaryFile } from "../support/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { entriesCsv } from "../support/sandbox-requests.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

const VALID_FILE = fixture("sample_entries.csv");
const INVALID_FILE = fixture("bad_entries.csv");
const PEM = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n-----END OPENSSH PRIVATE KEY-----\n";

const startAcceptingService = () =>
  startScriptedService((_, response, count) =>
    sendJson(response, 202, { jobId: `j-${count}`, state: "queued" }),
  );

/** Little-endian, with a byte order mark. */
const toUtf32 = (text: string): Buffer =>
  Buffer.from(Uint32Array.from(`\ufeff${text}`, (character) => character.codePointAt(0) ?? 0).buffer);

describe("the check of diligence submit", () => {
  it.each([
    ["a spreadsheet", Buffer.from("PK\x03\x04\x14\x00\x06\x00[Content_Types].xml")],
    ["a gzip archive", gzipSync("entry_number\n")],
    ["a certificate", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"],
    ["one NUL byte", "a,b\0,c\n1,2,3\n"],
    [
      "a NUL byte after a megabyte of text",
      Buffer.concat([Buffer.alloc(2 << 20, "a,b\n"), Buffer.from([0])]),
    ],
  ])("refuses %s before a request, except with --check off", async (_, content) => {
    const { env, requests } = await startAcceptingService();
    const path = temporaryFile("entries.csv", content);
    const result = await runCli(submitArgs(path, "--json"), { env });
    expect([result.code, errorOf(result).code]).toEqual([5, "not_a_text_table"]);
    const manifest = join(dirname(path), "manifest.csv");
    writeFileSync(manifest, "file,seller\nentries.csv,Acme\n");
    const batch = await runCli(["diligence", "batch", manifest, "--json"], { env });
    expect([batch.code, errorOf(batch).code]).toEqual([5, "not_a_text_table"]);
    expect(JSON.parse(batch.stdout)[0].error.message).toMatch(/^entries\.csv is /);
    expect(requests).toEqual([]);
    expect((await runCli(submitArgs(path, "--check", "off"), { env })).code).toBe(0);
    expect(requests).toHaveLength(1);
  });

  it("sends a private key in no mode", async () => {
    const { env, requests } = await startAcceptingService();
    const path = temporaryFile("entries.csv", `Bag Attributes\n${PEM}`);
    const manifest = join(dirname(path), "manifest.txt");
    writeFileSync(manifest, "file,seller,check\nentries.csv,Acme,off\n");
    for (const args of [
      submitArgs(path, "--check", "off"),
      ["diligence", "batch", manifest],
      ["diligence", "batch", dirname(path), "--seller-name", "Acme", "--check", "off", "--yes"],
    ]) {
      const { code, stderr } = await runCli(args, { env });
      expect([code, stderr]).toEqual([
        5,
        expect.stringContaining("entries.csv is a private key; it was not sent"),
      ]);
      expect(stderr).not.toContain("--check off");
    }
    expect(requests).toEqual([]);
  });

  it.each([
    ["encoding", Buffer.from(readFileSync(VALID_FILE, "utf8"), "utf16le"), "FILE_ENCODING"],
    ["UTF-32 encoding", toUtf32(readFileSync(VALID_FILE, "utf8")), "UTF-16 or UTF-32"],
    ["delimiter", readFileSync(VALID_FILE, "utf8").replaceAll(",", ";"), "DELIMITER_UNSUPPORTED"],
    ["columns", "entry_number,entered_value\n1,2\n", "REQUIRED_COLUMN_MISSING"],
    ["rows", readFileSync(INVALID_FILE), "of"],
  ])(
    "warns if the assumed format refuses the %s, and exits 5 with --check strict",
    async (_, content, text) => {
      const { env, requests } = await startAcceptingService();
      const path = temporaryFile("entries.csv", content);
      const { code, stderr } = await runCli(submitArgs(path), { env });
      expect(code).toBe(0);
      expect(stderr.match(/^warning: .*/gm)).toEqual([expect.stringContaining(text)]);
      const strict = await runCli(
        submitArgs(path, "--check", "strict", "--on-duplicate", "submit", "--json"),
        { env },
      );
      expect([strict.code, errorOf(strict).code]).toEqual([5, "check_failed"]);
      expect(requests).toHaveLength(1);
      expect(
        (await runCli(submitArgs(path, "--check", "off", "--on-duplicate", "submit"), { env })).stderr,
      ).not.toContain("warning");
    },
  );
});

describe("diligence check", () => {
  const check = (...args: string[]) => runCli(["diligence", "check", ...args]);

  it("refuses a device, because it may never end", async () => {
    const result = await check("/dev/zero", "--json");
    expect([result.code, errorOf(result).code]).toEqual([2, "cannot_read"]);
  });
});

it("check names the check digit that is right for the digits of an entry number", async () => {
  const path = temporaryFile("digit.csv", entriesCsv(["ABC-1234567-4", "ZZ9-1234567-7"]));
  const { stdout } = await runCli(["diligence", "check", path, "--json"]);
  const { rejections } = JSON.parse(stdout) as { rejections: { errors: { detail: string }[] }[] };
  expect(rejections.flatMap(({ errors }) => errors.map(({ detail }) => detail))).toEqual([
    'The check digit of the entry number is wrong. For these digits, 6 is right, not 4. Found: "ABC-1234567-4".',
  ]);
});

it.each([
  ["ZZ9-1234567", "It lacks the check digit: it is ZZ9-1234567-7 if the others are right."],
  ["sp7-1-4", "Between its dashes stand seven digits: it is SP7-0000001-4 if only zeros were lost."],
  ["SP7-1-5", "Write the filer code, seven digits and the check digit, as in SP7-0000001-4."],
])("check says what the entry number %s lacks", async (number, advice) => {
  const path = temporaryFile("numbers.csv", entriesCsv([number]));
  const { stdout } = await runCli(["diligence", "check", path, "--json"]);
  expect(JSON.parse(stdout).rejections[0].errors[0].detail).toContain(` ${advice} Found: "${number}".`);
});

describe("dates with slashes of which none has a day above 12", () => {
  const COLUMNS =
    "entry_number,entry_type_code,importer_number,entry_date,country_of_origin_code,entered_value,ieepa_duty_paid,liquidation_status";
  const toFile = (...dates: string[]) => {
    const numbers = ["ABC-1234567-6", "SP7-0000001-4"];
    const rows = dates.map(
      (date, index) => `${numbers[index]},01,00-4519380AA,${date},TW,500.00,100.00,NOT_LIQUIDATED`,
    );
    return temporaryFile("entries.csv", [COLUMNS, ...rows, ""].join("\n"));
  };
  const WARNING =
    /2 cells of "entry_date", from line 2, can be read with the day or the month first\. The month was read first\..*\(DATE_ORDER_UNPROVEN\)/;

  it("are a warning of check and of submit, which send the file", async () => {
    const sandbox = await sandboxForTest({ frozenAt: "2026-11-20T00:00:00Z" });
    const file = toFile("05/06/2025", "07/06/2025");
    const checked = await runCli(["diligence", "check", file, "--as-of", "2026-11-20"]);
    expect([checked.code, checked.stderr]).toEqual([0, expect.stringMatching(WARNING)]);
    const submitted = await runCli(submitArgs(file), { env: environmentOf(sandbox) });
    expect([submitted.code, submitted.stderr]).toEqual([0, expect.stringMatching(WARNING)]);
  });

  it.each([
    ["a date proves the month first", "05/06/2025", "07/16/2025"],
    ["both numbers are the same", "05/05/2025", "06/06/2025"],
    ["the year is first", "2025-05-06", "2025-07-06"],
  ])("are no warning if %s", async (_, ...dates) => {
    const { code, stderr } = await runCli(["diligence", "check", toFile(...dates), "--as-of", "2026-11-20"]);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("DATE_ORDER")]);
  });
});
