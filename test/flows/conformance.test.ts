import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ConformanceReport } from "../../src/conformance/report-document.ts";
import { bareEnvironment, runCli, temporaryFolder } from "../support/cli.ts";
import { isRunning } from "../support/processes.ts";

const readReport = (stdout: string) => JSON.parse(stdout) as ConformanceReport;

const ruleOf = (stdout: string, id: string) => readReport(stdout).rules.find((rule) => rule.id === id);

function writeProgram(script: string) {
  const folder = temporaryFolder();
  const file = join(folder, "client.mjs");
  writeFileSync(file, script);
  return { env: bareEnvironment(folder), command: [process.execPath, file] };
}

describe("conformance", () => {
  it("ends a program that hangs, with what it started, and exits 7 when nothing was touched", async () => {
    const folder = temporaryFolder();
    const pids = join(folder, "pids");
    const script = `echo with $CLAIMS_API_KEY; sh -c 'echo $$ >> ${pids}; exec sleep 60' & echo $$ >> ${pids}; wait`;
    const only = ["--only", "submit.continues", "--only", "submit.lost_answer"];
    const line = [...only, "--timeout", "300ms", "-v", "--", "sh", "-c", script];
    const result = await runCli(["conformance", ...line], { env: bareEnvironment(folder) });
    expect(result.code).toBe(7);
    expect(result.stderr).toContain("the program touched no rule");
    expect(result.stderr).toContain("with [redacted]");
    expect(result.stdout).toContain("scenario\tsubmit.ordinary\t0\tout of time\tresults are read\n");
    const started = readFileSync(pids, "utf8").trim().split("\n").map(Number);
    expect(started).toHaveLength(2);
    expect(started.filter(isRunning)).toEqual([]);
  });

  it("judges all traffic of a program with --passive, also before a reset, and names what did not run", async () => {
    const { env, command } = writeProgram(`
      const { CLAIMS_BASE_URL, CLAIMS_API_KEY, CLAIMS_CONTROL_URL, CLAIMS_CONTROL_TOKEN } = process.env;
      const send = (url, authorization, method) => fetch(url, { method, headers: { authorization } });
      await send(CLAIMS_BASE_URL + "/v1/clients", CLAIMS_API_KEY, "GET");
      await send(CLAIMS_CONTROL_URL + "/reset", "Bearer " + CLAIMS_CONTROL_TOKEN, "POST");
      await send(CLAIMS_BASE_URL + "/v1/clients", "Bearer " + CLAIMS_API_KEY, "GET");
      process.exitCode = 3;
    `);
    const result = await runCli(["conformance", "--passive", "--json", "--", ...command], { env });
    expect(result.code).toBe(7);
    expect(ruleOf(result.stdout, "credential.bearer")).toMatchObject({
      verdict: "fail",
      repeat: `claims conformance --passive --only credential.bearer --seed 1 -- ${command.join(" ")}`,
    });
    expect(ruleOf(result.stdout, "submit.lost_answer")?.verdict).toBe("not_run");
    expect(readReport(result.stdout).scenarios).toEqual([
      { id: "all", requests: 2, end: "any", runs: [{ exitCode: 3, endedBy: "itself" }] },
    ]);
  });

  it("reports a program that does not exist", async () => {
    const result = await runCli(["conformance", "--json", "--", "no-such-program"]);
    expect([result.code, JSON.parse(result.stderr).error.code]).toEqual([2, "cannot_run"]);
  });

  it.each([
    [["--only", "submit.lost_anwser", "--", "true"], "did you mean submit.lost_answer?"],
    [["--passive"], "claims conformance -- ./nightly.sh"],
    [["--grease", "weather", "--", "true"], "jobIdField"],
  ])("explains %j", async (line, hint) => {
    const { code, stderr } = await runCli(["conformance", ...line]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(hint)]);
  });
});

describe("the report of conformance", () => {
  /** A program whose request has no Bearer. */
  async function setUp() {
    const { env, command } = writeProgram(`
      const { CLAIMS_BASE_URL, CLAIMS_API_KEY } = process.env;
      const headers = { authorization: CLAIMS_API_KEY, "idempotency-key": "a|b<c" };
      await fetch(CLAIMS_BASE_URL + "/v1/clients?limit=1", { headers });
    `);
    const folder = temporaryFolder();
    const run = (line: readonly string[]) =>
      runCli(["conformance", "--passive", ...line, "--", ...command], { env, cwd: folder });
    return { folder, run, command };
  }

  it("shows each failure with its requests, the statement, the fix and the command that repeats it", async () => {
    const { run, command } = await setUp();
    const result = await run(["--json"]);
    expect([result.code, JSON.parse(result.stderr).error.code]).toEqual([7, "conformance_failed"]);
    expect(readReport(result.stdout)).toMatchObject({
      verdict: "fails",
      disclaimer: expect.stringContaining("not a certificate"),
      subject: { mode: "passive", command, seed: 1 },
    });
    expect(ruleOf(result.stdout, "credential.bearer")).toMatchObject({
      basis: "documented",
      statement: "§5.1: Most routes accept the managed credential as Authorization: Bearer.",
      verdict: "fail",
      findings: [
        {
          evidence: expect.stringContaining("GET /v1/clients"),
          requests: [{ number: 1, target: "/v1/clients?limit=1", status: 401, idempotencyKey: "key 1" }],
        },
      ],
      fix: expect.stringContaining("Bearer"),
      repeat: `claims conformance --passive --only credential.bearer --seed 1 -- ${command.join(" ")}`,
    });
  });

  it("names the lines of --expected whose rules do not exist", async () => {
    const { folder, run } = await setUp();
    writeFileSync(join(folder, "expected.txt"), "# none\ncredential.bearer\n\ncredential.baerer # typo\n");
    const { code, stderr } = await run(["--expected", "expected.txt"]);
    expect(code).toBe(2);
    expect(stderr).toContain('line 4: unknown rule "credential.baerer"');
  });
});

const READ_CONTRACT = `const { CLAIMS_BASE_URL, CLAIMS_API_KEY } = process.env;
fetch(CLAIMS_BASE_URL + "/v1/docs/openapi", { headers: { authorization: "Bearer " + CLAIMS_API_KEY } });`;

describe("the gate of conformance", () => {
  it("fails for what --require names and nothing touched, unless the file of --expected has it", async () => {
    const { env, command } = writeProgram(`
      const { CLAIMS_BASE_URL, CLAIMS_API_KEY } = process.env;
      await fetch(CLAIMS_BASE_URL + "/v1/clients", { headers: { authorization: "Bearer " + CLAIMS_API_KEY } });
    `);
    writeFileSync(join(env.HOME ?? "", "expected.txt"), "webhooks.scope\n");
    const only = ["--passive", "--only", "credential.bearer", "--only", "webhooks.scope"];
    const run = (...more: string[]) =>
      runCli(["conformance", ...only, ...more, "--json", "--", ...command], { env, cwd: env.HOME ?? "." });
    const missing = await run("--require", "credential", "--require", "webhooks");
    expect(missing.code).toBe(7);
    expect(missing.stderr).toContain("required, but untouched: webhooks");
    expect(readReport(missing.stdout)).toMatchObject({ missing: ["webhooks"] });
    const required = ["--require", "credential", "--require", "webhooks.scope"];
    const expected = await run(...required, "--expected", "expected.txt");
    expect(expected.code, expected.stderr).toBe(0);
  });

  it("exits 7 for a program that only reads the contract", async () => {
    const only = ["--only", "credential", "--only", "job", "--only", "list"];
    const command = [process.execPath, "-e", READ_CONTRACT];
    const result = await runCli(["conformance", ...only, "--", ...command]);
    expect(result.code).toBe(7);
    expect(result.stderr).toContain("the program touched no rule");
  });
});

it("conformance list has the rules, each documented one with its statement", async () => {
  const { stdout } = await runCli(["conformance", "list", "--json"]);
  const { rules } = JSON.parse(stdout) as { rules: { basis: string; statement: string | null }[] };
  expect(rules.length).toBeGreaterThan(30);
  expect(rules.filter(({ basis, statement }) => basis === "documented" && statement === null)).toEqual([]);
});
