import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bareEnvironment, runCli, runProcess, temporaryFolder } from "../support/cli.ts";

/** Submits the file of the scenario once, with the parts of a program that keeps every rule. */
const SUBMIT = `
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
const { CLAIMS_BASE_URL, CLAIMS_API_KEY, CLAIMS_CONFORMANCE_FILE: file } = process.env;
const headers = { authorization: "Bearer " + CLAIMS_API_KEY, "idempotency-key": "nightly-1" };
const body = new FormData();
body.set("seller_name", readFileSync(join(dirname(file), "seller.txt"), "utf8").trim());
body.set("requires_protest_documentation", "false");
body.set("file", new Blob([readFileSync(file)], { type: "text/csv" }), "entries.csv");
const submit = () => fetch(CLAIMS_BASE_URL + "/v1/diligence/submit", { method: "POST", headers, body });
const response = await submit().catch(submit);
console.log(await response.text());
`;

function writeProgram(script: string) {
  const folder = temporaryFolder();
  const file = join(folder, "client.mjs");
  writeFileSync(file, script);
  return { folder, env: bareEnvironment(folder), command: [process.execPath, file] };
}

const ruleOf = (stdout: string, id: string) =>
  JSON.parse(stdout).rules.find((rule: { id: string }) => rule.id === id);

describe("conformance", () => {
  it("runs a program in the scenario of a rule and passes it", async () => {
    const { env, command } = writeProgram(SUBMIT);
    const only = ["--only", "submit.lost_answer"];
    const result = await runProcess(["conformance", ...only, "--json", "--", ...command], { env });
    expect(result.code, result.stderr).toBe(0);
    expect(ruleOf(result.stdout, "submit.lost_answer")).toMatchObject({ verdict: "pass", findings: [] });
    expect(JSON.parse(result.stdout).scenarios).toEqual([
      { id: "submit.lost_answer", requests: 2, runs: [{ exitCode: 0, endedBy: "itself" }] },
    ]);
  });

  it("exits 7 when nothing was touched", async () => {
    const { env } = writeProgram("");
    const only = ["--only", "submit.lost_answer"];
    const result = await runProcess(["conformance", ...only, "--", "sh", "-c", "exit 3"], { env });
    expect(result.code).toBe(7);
    expect(result.stderr).toContain("the program touched no rule");
    expect(result.stdout).toContain("scenario\tsubmit.lost_answer\t0\t3");
  });

  it("names an unknown rule, and a missing program", async () => {
    const unknown = await runCli(["conformance", "--only", "submit.lost_anwser", "--", "true"]);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("submit.lost_answer?")]);
    const missing = await runCli(["conformance", "--passive"]);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("no program is given")]);
  });
});
