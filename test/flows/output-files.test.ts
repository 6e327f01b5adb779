import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

describe("--out", () => {
  it("writes the format that the suffix of the file names", async () => {
    const options = { env: environmentOf(await sandboxForTest()), cwd: temporaryFolder() };
    const claims = (...args: string[]) => runCli(args, options);
    const read = (name: string) => readFileSync(join(options.cwd, name), "utf8");
    await runCli(submitArgs(fixture("sample_entries.csv"), "--wait"), options);

    for (const command of [
      ["history"],
      ["diligence", "dataset", "--last"],
      ["diligence", "report", "--last"],
      ["diligence", "template"],
    ]) {
      for (const format of ["csv", "ndjson"]) {
        const { stdout } = await claims(...command, `--${format}`);
        const written = await claims(...command, "--out", `file.${format}`);
        expect(written).toMatchObject({ code: 0, stdout: "" });
        expect(read(`file.${format}`)).toBe(stdout);
      }
    }
    await claims("history", "--json", "--out", "given.csv");
    expect(JSON.parse(read("given.csv"))).toHaveLength(1);
  });

  it("says what it writes if the suffix names another format", async () => {
    const options = { env: environmentOf(await sandboxForTest()), cwd: temporaryFolder() };
    const { stderr } = await runCli(submitArgs(fixture("sample_entries.csv"), "--out", "job.csv"), options);
    expect(stderr).toContain("wrote job.csv as JSON\n");
    expect(existsSync(join(options.cwd, "job.csv"))).toBe(true);
    const { stderr: other } = await runCli(["history", "--submissions", "--out", "history.json"], options);
    expect(other).toBe("");
  });
});

describe("an output file", () => {
  const SUBMIT = ["diligence", "submit"];
  const SELLER = ["--seller-name", "Acme"];
  const VERIFY = ["webhooks", "verify", "--body", "b.json", "--headers", "h.txt", "--secret-file", "s.txt"];
  const TRIAGE = ["webhooks", "triage", "app.log", "--secret-file", "s.txt"];

  function writeInputs(): string {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, "folder"));
    for (const name of ["may.csv", "folder/a.csv", "folder/b.csv"])
      copyFileSync(fixture("sample_entries.csv"), join(cwd, name));
    for (const name of ["b.json", "h.txt", "s.txt", "old.txt", "app.log", "log.md"])
      writeFileSync(join(cwd, name), "content of an input", { mode: 0o600 });
    writeFileSync(join(cwd, "m.csv"), "file,seller\nmay.csv,Acme\n");
    linkSync(join(cwd, "may.csv"), join(cwd, "hard.csv"));
    symlinkSync("may.csv", join(cwd, "soft.csv"));
    return cwd;
  }

  it.each([
    ["--case-file", "s.txt", VERIFY],
    ["--case-file", "old.txt", [...VERIFY, "--candidate", "older=old.txt"]],
    ["--out", "app.log", TRIAGE],
    ["--report", "log.md", [...TRIAGE.with(2, "log.md")]],
    ["--out", "may.csv", ["diligence", "check", "may.csv"]],
    ["--out", "may.csv", [...SUBMIT, "may.csv", ...SELLER]],
    ["--out", "may.csv", [...SUBMIT, "./folder/../may.csv", ...SELLER], "./folder/../may.csv"],
    ["--out", "hard.csv", [...SUBMIT, "may.csv", ...SELLER], "may.csv"],
    ["--out", "soft.csv", [...SUBMIT, "may.csv", ...SELLER], "may.csv"],
    ["--out", "folder/a.csv", ["diligence", "batch", "folder", ...SELLER]],
    ["--out", "m.csv", ["diligence", "batch", "m.csv"]],
    ["--out", "b.json", ["api", "POST", "/v1/x", "--input", "b.json"]],
  ])("%s %s is not an input: %j", async (option, path, args, input = path) => {
    const cwd = writeInputs();
    const { requests, env } = await startScriptedService((_, response) => sendJson(response, 200, {}));
    const before = readFileSync(join(cwd, path));
    const result = await runCli([...args, option, path, "--json"], { cwd, env });
    expect(errorOf(result)).toMatchObject({
      code: "option_conflict",
      message: `${option} would replace ${input}`,
      exitCode: 2,
    });
    expect(readFileSync(join(cwd, path))).toEqual(before);
    expect(requests).toEqual([]);
  });
});

it.each([
  ["history"],
  ["diligence", "dataset", "--last"],
  ["diligence", "status", "--last"],
  ["diligence", "report", "--last"],
  ["diligence", "deadlines", "--within", "365d"],
])(
  "the columns of a list have the names that --fields takes, and are the same in TSV and CSV: %s",
  async (...args) => {
    const options = { env: environmentOf(await sandboxForTest()) };
    await runCli(submitArgs(fixture("sample_entries.csv"), "--wait"), options);
    const claims = (...more: string[]) => runCli([...args, ...more], options);
    const [header = "", first = ""] = (await claims("--csv")).stdout.split("\r\n");
    const names = header.split(",");
    expect(names).not.toContain("");
    const { stdout } = await claims("--fields", header, "--csv");
    const [selected = "", same = ""] = stdout.split("\r\n");
    expect(selected).toBe(header);
    expect(same).toBe(first);
    // A single job is a card in a pipe.
    if (!["status", "report"].includes(args[1] ?? "")) {
      const [line = ""] = (await claims()).stdout.split("\n");
      expect(line.split("\t")).toHaveLength(names.length);
    }
  },
);

it.each([".xlsx", ".XLS", ".ods"])(
  "--out refuses the suffix %s of a spreadsheet, and names .csv",
  async (suffix) => {
    const cwd = temporaryFolder();
    const result = await runCli(["diligence", "dataset", "--last", "--out", `d${suffix}`, "--json"], { cwd });
    expect([result.code, errorOf(result)]).toMatchObject([
      2,
      { code: "option_invalid", hint: expect.stringContaining(".csv") },
    ]);
    expect(readdirSync(cwd)).toEqual([]);
  },
);

it("--out of a body that is written as it is may be a spreadsheet", async () => {
  const cwd = temporaryFolder();
  const { env } = await startScriptedService((_, response) => sendJson(response, 200, { data: [] }));
  const result = await runCli(["api", "GET", "/v1/clients", "--out", "d.xlsx"], { cwd, env });
  expect([result.code, readdirSync(cwd)]).toEqual([0, ["d.xlsx"]]);
});
