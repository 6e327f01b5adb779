import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

const UNKNOWN_JOB = "00000000-0000-4000-8000-000000000000";

describe("the error document", () => {
  it("contains the id of the affected job", async () => {
    const env = environmentOf(await sandboxForTest());
    const run = (...args: string[]) => runCli(["diligence", ...args, "--json"], { env });
    for (const args of [
      ["status", UNKNOWN_JOB],
      ["report", UNKNOWN_JOB],
      ["dataset", UNKNOWN_JOB],
      ["wait", UNKNOWN_JOB],
      ["resume", UNKNOWN_JOB],
      ["pull", UNKNOWN_JOB, "-d", temporaryFolder()],
    ])
      expect(errorOf(await run(...args)), args[0]).toMatchObject({ jobId: UNKNOWN_JOB, exitCode: 3 });
    const partial = await runCli(submitArgs(fixture("scenario_partial.csv"), "--wait", "--json"), { env });
    expect(errorOf(partial).jobId).toBe(JSON.parse(partial.stdout).jobId);
    const bad = submitArgs(fixture("bad_entries.csv"), "--wait", "--fail-on", "declined", "--json");
    const declined = await runCli(bad, { env });
    expect(errorOf(declined).jobId).toBe(JSON.parse(declined.stdout).jobId);
  });

  it("is retryable for a read with 409 and Retry-After only", async () => {
    const { env } = await startScriptedService((_, response, count) =>
      count === 1
        ? sendJson(response, 409, { code: "in_progress" }, { "retry-after": "60" })
        : sendJson(response, 409, { code: "job_not_resumable" }),
    );
    const read = () => runCli(["api", "GET", "/v1/diligence/report/j-1", "--json"], { env });
    expect(errorOf(await read()).retryable).toBe(true);
    expect(errorOf(await read()).retryable).toBe(false);
  });
});

it.each([null, [], "none", 7])("a read of one record exits 5 for a response that is %j", async (body) => {
  const { env } = await startScriptedService((_, response) => sendJson(response, 200, body));
  for (const line of [
    "diligence status j-1",
    "diligence report j-1",
    "diligence wait j-1",
    "diligence pull j-1 --dir pulled",
    "claims status c-1",
    "scans get s-1",
    "scans summary s-1",
    "orgs get o-1",
    "revenue dashboard",
    ...(Array.isArray(body) ? [] : ["diligence dataset j-1"]),
  ]) {
    const result = await runCli([...line.split(" "), "--json"], { env });
    expect([result.code, result.stdout, errorOf(result).code], line).toEqual([5, "", "response_incomplete"]);
    expect(errorOf(result).message, line).toContain(JSON.stringify(body));
  }
});

it("diligence dataset exits 5 in a pipe if an entry is null", async () => {
  const { env } = await startScriptedService((_, response) => sendJson(response, 200, [null]));
  const result = await runCli(["diligence", "dataset", "j-1"], { env });
  expect([result.code, result.stdout]).toEqual([5, ""]);
  expect(result.stderr).toContain("(got null)");
});

it.each([
  ["diligence", "resume", "j-1"],
  ["webhooks", "test", "partner.test"],
])("a write that the service accepted with null says so and exits 0: %s %s", async (...args) => {
  const { env } = await startScriptedService((_, response) => sendJson(response, 202, null));
  const { code, stdout, stderr } = await runCli(args, { env });
  expect([code, stdout]).toEqual([0, ""]);
  expect(stderr).toContain("but its response has no fields");
});

describe("--fields", () => {
  it("exits 2 for a field that no item has, and lists the fields", async () => {
    const env = environmentOf(await sandboxForTest());
    await runCli(submitArgs(fixture("scenario_partial.csv"), "--wait"), { env });
    const out = join(temporaryFolder(), "out.json");
    for (const args of [
      ["diligence", "report", "--last", "--fields", "rf8Review.outcom,asOf", "--json"],
      ["history", "--submissions", "--fields", "jobIdd", "--json"],
      ["diligence", "dataset", "--last", "--fields", "rout", "--out", out, "--json"],
    ]) {
      const result = await runCli(args, { env });
      const error = errorOf(result);
      expect(error, args[1]).toMatchObject({ code: "unknown_field", exitCode: 2 });
      expect(error.hint).toMatch(/rf8Review|jobId|route/);
    }
    expect(existsSync(out)).toBe(false);
  });

  it.each([
    ["clients", "create", "--name", "Acme", "--fields", "id,nam"],
    ["webhooks", "test", "partner.test", "--fields", "event"],
    ["scans", "create", "--fields", "state.text"],
    submitArgs(fixture("scenario_partial.csv"), "--fields", "jobID"),
  ])("exits 2 before a write for a field that its response cannot have: %s %s", async (...args) => {
    const sandbox = await sandboxForTest();
    const result = await runCli([...args, "--json"], { env: environmentOf(sandbox) });
    expect([result.code, result.stdout, errorOf(result).code]).toEqual([2, "", "unknown_field"]);
    expect(errorOf(result).hint).toContain("the fields are ");
    const requests = await sandbox.requests.list();
    expect(requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  it("accepts any field that the response of a write has by the contract", async () => {
    const env = environmentOf(await sandboxForTest());
    const submit = submitArgs(
      fixture("scenario_partial.csv"),
      "--fields",
      "state,failure.code,progress.rowsTotal",
    );
    expect(await runCli(submit, { env })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^queued\t/),
    });
    const test = ["webhooks", "test", "partner.test", "--fields", "previews.0.url"];
    expect((await runCli(test, { env })).code).toBe(0);
  });

  it("accepts a field whose value is null, and an empty list", async () => {
    const env = environmentOf(await sandboxForTest());
    expect((await runCli(["claims", "list", "--fields", "anything"], { env })).code).toBe(0);
    await runCli(submitArgs(fixture("scenario_partial.csv"), "--wait"), { env });
    for (const field of ["failure", "failure.code"]) {
      const status = await runCli(["diligence", "status", "--last", "--fields", field], { env });
      expect([status.code, status.stdout], field).toEqual([0, "\n"]);
    }
  });
});

it.each([
  ["diligence", "status", "-"],
  ["litigation", "enroll", "-"],
  ["claims", "status", "-"],
  ["scans", "get", "-"],
])("%s %s - exits 2 for an empty stdin", async (...args) => {
  const env = environmentOf(await sandboxForTest());
  const result = await runCli([...args, "--json"], { env, input: "\n" });
  expect([result.code, result.stdout, errorOf(result).code]).toEqual([2, "", "missing_option"]);
});

it("a command that takes one id reads it from stdin, and refuses several", async () => {
  const env = environmentOf(await sandboxForTest());
  const scan = (await runCli(["scans", "create", "-q"], { env })).stdout;
  const get = (input: string) => runCli(["scans", "get", "-", "-q"], { env, input });
  expect(await get(scan)).toMatchObject({ code: 0, stdout: scan });
  expect((await get(scan + scan)).code).toBe(2);
});

describe("stderr", () => {
  it("is NDJSON with --json: notes, warnings and the error", async () => {
    const env = environmentOf(await sandboxForTest());
    const args = ["--wait", "--json", "--on-duplicate", "warn"];
    const submit = () => runCli(submitArgs(fixture("scenario_partial.csv"), ...args), { env });
    const { jobId } = JSON.parse((await submit()).stdout);
    const lines = (await submit()).stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { warning: { message: expect.stringContaining(`was already accepted`) } },
      { note: { message: expect.stringMatching(/^job /), jobId: expect.any(String) } },
      { error: { code: "job_partial" } },
    ]);
    expect(lines[0].warning.message).toContain(jobId);
  });

  it("contains warnings but no notes with -q", async () => {
    const env = environmentOf(await sandboxForTest());
    const args = ["-q", "--on-duplicate", "warn"];
    const submit = () => runCli(submitArgs(fixture("sample_entries.csv"), ...args), { env });
    expect((await submit()).stderr).toBe("");
    expect((await submit()).stderr).toMatch(/^warning: .*\n$/);
  });
});
