import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli, temporaryFolder, useFastClock } from "../support/cli.ts";
import { submitArgs } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

useFastClock();

const JOB = "7d9c5a0e-5d0c-4f39-8a39-0c9f3e6a1f10";
const COMPLETED = { jobId: JOB, state: "completed" };
const REPORT = { jobId: JOB, rf8Review: { outcome: "clear" } };
const ROWS = { jobId: JOB, rows: [{ entryNumber: "ZZ900000011" }] };

interface Reply {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

/** A service with a completed job, but for the replies that are given: the last one of a route stays. */
async function startService(replies: Readonly<Record<string, readonly Reply[]>>) {
  const counts = new Map<string, number>();
  const documents: Record<string, unknown> = { status: COMPLETED, report: REPORT, dataset: ROWS };
  const { env } = await startScriptedService(({ url = "" }, response) => {
    const route =
      ["status", "report", "dataset", "submit", "clients"].find((each) => url.includes(each)) ?? "";
    const count = counts.get(route) ?? 0;
    counts.set(route, count + 1);
    const usual = { status: documents[route] ? 200 : 404, body: documents[route] ?? {} };
    const reply: Reply = replies[route]?.[count] ?? replies[route]?.at(-1) ?? usual;
    const { status = 200, body, headers } = reply;
    if (!Buffer.isBuffer(body)) return sendJson(response, status, body, headers);
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  });
  return (...args: string[]) => runCli(args, { env });
}

describe("a report that is not there yet", () => {
  const GENERATING = { jobId: JOB, status: "generating" };

  it.each([
    ["202", [{ status: 202, body: GENERATING }], 8, "still_pending"],
    ["200 without rf8Review", [{ body: GENERATING }], 5, "response_incomplete"],
    ["206", [{ status: 206, body: REPORT }], 5, undefined],
    ["200 with rf8Review null", [{ body: { ...REPORT, rf8Review: null } }], 5, "response_incomplete"],
  ])("is no report: %s", async (_, report, exitCode, code) => {
    const claims = await startService({ report });
    const result = await claims("diligence", "report", JOB, "--json");
    expect([result.code, result.stdout]).toEqual([exitCode, ""]);
    if (code) expect(errorOf(result).code).toBe(code);
  });

  it.each([
    ["202", { status: 202, body: GENERATING }],
    ["409 with Retry-After", { status: 409, body: {}, headers: { "retry-after": "1" } }],
    ["409 not_ready", { status: 409, body: { code: "not_ready" } }],
    ["200 without rf8Review", { body: GENERATING }],
  ])("is waited for: %s", async (_, reply) => {
    const claims = await startService({ report: [reply, reply, { body: REPORT }] });
    const result = await claims("diligence", "wait", JOB, "--json");
    expect([result.code, JSON.parse(result.stdout)]).toEqual([0, REPORT]);
  });
});

it("diligence wait takes a job for partial if its report says that it is not complete", async () => {
  const report = { ...REPORT, complete: false };
  const claims = await startService({ report: [{ body: report }] });
  const result = await claims("diligence", "wait", JOB, "--json");
  expect([result.code, errorOf(result).code, JSON.parse(result.stdout)]).toEqual([9, "job_partial", report]);
});

describe("a new job that the service does not know at once", () => {
  const MISSING = { status: 404, body: { code: "not_found" } };
  const submitted = [{ status: 202, body: { jobId: JOB } }];
  const submit = submitArgs(fixture("sample_es003.csv"), "--wait", "--json");

  it.each([
    ["its state", { status: [MISSING, MISSING, { body: COMPLETED }] }],
    ["its report", { report: [MISSING, { body: REPORT }] }],
  ])("is waited for: %s", async (_, replies) => {
    const claims = await startService({ submit: submitted, ...replies });
    const result = await claims(...submit);
    expect([result.code, JSON.parse(result.stdout || "0")], result.stderr).toEqual([0, REPORT]);
  });

  it("is pending if the time is over, and missing after 30 seconds", async () => {
    const claims = await startService({ submit: submitted, status: [MISSING] });
    const pending = await claims(...submit, "--timeout", "9s");
    expect([pending.code, errorOf(pending)]).toEqual([
      8,
      expect.objectContaining({
        code: "still_pending",
        message: `the service has not known job ${JOB} so far (404), for 9 s`,
        status: 404,
        hint: expect.stringContaining(`claims diligence wait ${JOB}`),
      }),
    ]);
    const missing = await startService({ submit: submitted, status: [MISSING] });
    expect((await missing(...submit, "--timeout", "2m")).code).toBe(3);
    expect((await missing("diligence", "wait", JOB)).code).toBe(3);
  });
});

describe("a dataset that is none", () => {
  const csv = { "content-type": "text/csv" };

  it.each([
    ["202", { status: 202, body: { message: "being prepared" } }, "json", 8],
    ["206", { status: 206, body: ROWS }, "json", 5],
    ["204", { status: 204, body: Buffer.alloc(0) }, "json", 5],
    ["a page as CSV", { body: Buffer.from("<html>Sign in</html>"), headers: csv }, "csv", 6],
    ["an error as CSV", { body: Buffer.from('{"error":"no"}'), headers: csv }, "csv", 6],
    ["nothing as CSV", { body: Buffer.alloc(0), headers: csv }, "csv", 6],
    ["gzip without Content-Encoding", { body: gzipSync(JSON.stringify(ROWS)) }, "json", 6],
  ])("is refused: %s", async (_, reply, format, code) => {
    const claims = await startService({ dataset: [reply] });
    expect((await claims("diligence", "dataset", JOB, `--${format}`)).code).toBe(code);
    const pulled = await claims("diligence", "pull", JOB, "--dir", join(temporaryFolder(), "pulled"));
    expect(pulled.code, pulled.stderr).toBe(code);
  });
});

describe("a write with a status of success", () => {
  it.each([
    ["success: false", { status: 200, body: { success: false, message: "importer exists" } }],
    ["an error", { status: 200, body: { error: { code: "E1", message: "importer exists" } } }],
    ["a list of errors", { status: 200, body: { errors: [{ message: "importer exists" }] } }],
    ["207", { status: 207, body: { results: [{ status: 422 }] } }],
    ["a status of error", { status: 200, body: { status: "error", message: "importer unknown" } }],
    ["a status of failed", { status: 200, body: { status: "failed", message: "importer unknown" } }],
    ["a status code", { status: 200, body: { statusCode: 400, message: "importer unknown" } }],
    ["a status below meta", { status: 200, body: { meta: { status: "ERROR" }, data: null } }],
  ])("needs a person if it says that it failed: %s", async (_, reply) => {
    const claims = await startService({ clients: [reply] });
    const args = ["clients", "create", "--name", "X", "--importer-number", "98-7654321", "--json"];
    const result = await claims(...args);
    expect([result.code, errorOf(result).code]).toEqual([10, "response_unrecognized"]);
  });

  it.each([
    ["success: false", { jobId: JOB, success: false, message: "CSV invalid" }, 10],
    ["a nil UUID", { jobId: "00000000-0000-0000-0000-000000000000", state: "queued" }, 10],
    ["white space around the id", { jobId: ` ${JOB}\n`, state: "queued" }, 0],
    ["errors of rows", { jobId: JOB, state: "queued", errors: [{ line: 2 }], hasErrors: true }, 0],
    ["a failed job", { jobId: JOB, status: "failed", message: "no quota" }, 0],
    ["an offer's words", { jobId: JOB, status: "accepted", errors: [], warnings: ["BOM"] }, 0],
    ["a status code of success", { jobId: JOB, statusCode: 201, message: "created", code: 0 }, 0],
    ["words for no error", { id: JOB, errorCode: "0", errorMessage: "", error: null, isError: "false" }, 0],
    ["an error with an id", { status: "error", code: "QUOTA", message: "quota", id: JOB }, 10],
    ["JSend", { status: "fail", data: { seller_name: "unknown" }, id: JOB }, 10],
    ["a refusal", { status: "rejected", jobId: JOB }, 10],
    ["accepted: false", { accepted: false, id: JOB }, 10],
    ["isSuccess: false", { isSuccess: false, id: JOB }, 10],
    ["success as text", { success: "false", id: JOB }, 10],
    ["errors as texts", { errors: ["seller unknown"], id: JOB }, 10],
    ["hasErrors", { hasErrors: true, id: JOB }, 10],
    ["an error message", { errorMessage: "quota", id: JOB }, 10],
    ["an error code", { error_code: "E1", id: JOB }, 10],
    ["a problem", { type: "about:blank", title: "Bad Request", status: 400, id: JOB }, 10],
    ["a fault", { fault: { code: "x" }, id: JOB }, 10],
    ["an exception", { exception: "java.lang.NullPointerException", id: JOB }, 10],
    ["a result", { result: "error", id: JOB }, 10],
    ["KO", { status: "KO", id: JOB }, 10],
  ])("is a submission: %s", async (_, body, code) => {
    const claims = await startService({ submit: [{ status: 202, body }] });
    const result = await claims(...submitArgs(fixture("sample_es003.csv")), "-q");
    expect(result.code, result.stderr).toBe(code);
    if (code === 0) expect(result.stdout).toBe(`${JOB}\n`);
    else expect(result.stderr).not.toContain(`--job-id ${JOB}`);
  });

  it("has its id in the header that --job-id-path names", async () => {
    const reply = { status: 202, body: { state: "queued" }, headers: { "x-job-id": JOB } };
    const claims = await startService({ submit: [reply] });
    const args = [...submitArgs(fixture("sample_es003.csv")), "--job-id-path", "header:X-Job-Id", "-q"];
    expect(await claims(...args)).toMatchObject({ code: 0, stdout: `${JOB}\n` });
  });
});
