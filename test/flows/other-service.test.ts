import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli } from "../support/cli.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

const FILE = fixture("scenario_partial.csv");
const SUBMIT = ["diligence", "submit", FILE, "--seller-name", "Acme", "--json"];

describe("a service with another implementation of the interface", () => {
  it("can use other names for job id and states, and another report", async () => {
    const report = { outcomeSummary: "fine", rf8Review: { verdict: "ok", note: "anything" } };
    const states = ["ACCEPTED", "running", "Succeeded"];
    const { env } = await startScriptedService((request, response, count) => {
      if (request.method === "POST") return sendJson(response, 202, { job: { id: "job/7" } });
      if (request.url?.startsWith("/v1/diligence/status/job%2F7")) {
        return sendJson(response, 200, { status: states[count - 2] ?? "Succeeded", surprise: [1] });
      }
      return sendJson(response, 200, report);
    });
    const result = await runCli([...SUBMIT, "--wait"], { env });
    expect(result.code, result.stderr).toBe(0);
    expect(result.stderr).toContain('"jobId":"job/7"');
    expect(JSON.parse(result.stdout)).toEqual(report);
    const text = await runCli(["diligence", "report", "job/7"], { env });
    expect(text.stdout).toContain('"verdict": "ok"');
  });

  it("can send the job id in Location, or in a field that --job-id-path names", async () => {
    const id = "5f0c0000-1111-4222-8333-444455556666";
    const { env } = await startScriptedService((request, response) => {
      if (request.method === "POST")
        return sendJson(response, 202, { ok: true, data: { ref: "r-9" } }, { location: `/jobs/${id}` });
      return sendJson(response, 200, { state: "queued" });
    });
    expect((await runCli(SUBMIT, { env })).stderr).toContain(`"jobId":"${id}"`);
    const again = [...SUBMIT, "--on-duplicate", "submit", "--job-id-path"];
    expect((await runCli([...again, "data.ref"], { env })).stderr).toContain('"jobId":"r-9"');
    const missing = await runCli([...again, "data.id"], { env });
    expect(missing.code).toBe(10);
    expect(JSON.parse(missing.stdout)).toEqual({ ok: true, data: { ref: "r-9" } });
    expect(errorOf(missing)).toMatchObject({
      code: "job_id_unknown",
      hint: expect.stringContaining("--job-id-path"),
    });
  });

  it("can use an unknown state, which is printed and waited on", async () => {
    const { env } = await startScriptedService((_, response) =>
      sendJson(response, 200, { state: "under_human_eyes" }),
    );
    const result = await runCli(["diligence", "wait", "x", "--timeout", "300ms", "--json"], { env });
    expect(result.code).toBe(8);
    expect(JSON.parse(result.stdout).state).toBe("under_human_eyes");
    expect(errorOf(result).message).toContain("under_human_eyes");
  });

  it.each([
    ["application/x-ndjson", (row: string) => `${row}\n`],
    ["application/json", (row: string) => `{"rows":[${row}]}`],
  ])("causes exit 6 with a dataset of %s that is nested too deeply", async (type, document) => {
    const row = `{"entryNumber":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    const { env } = await startScriptedService((_, response) => {
      response.writeHead(200, { "content-type": type }).end(document(row));
    });
    const result = await runCli(["diligence", "dataset", "x"], { env });
    expect([result.code, result.stdout]).toEqual([6, ""]);
    expect(result.stderr).toContain("the dataset is nested too deeply");
  });

  it("can send a dataset as JSON only, in another field", async () => {
    const { env } = await startScriptedService((_, response) =>
      sendJson(response, 200, {
        entries: [{ number: "A", tags: ["x", "y"], more: { a: 1 } }, { number: "B\tC" }],
      }),
    );
    const { stdout } = await runCli(["diligence", "dataset", "x"], { env });
    expect(stdout).toBe('A\tx;y\t{"a":1}\nB·C\n');
  });
});

describe("an unexpected response", () => {
  const status = ["diligence", "status", "x", "--json"];

  it("is not followed if it is a redirect, and the hint names the target", async () => {
    const other = await startScriptedService((_, response) => sendJson(response, 200, {}));
    const { env } = await startScriptedService((_, response) =>
      response.writeHead(307, { location: other.url }).end(),
    );
    const result = await runCli(status, { env });
    expect(errorOf(result).hint).toContain(other.url);
    expect(other.requests).toEqual([]);
  });

  it("is printed without the API key that it repeats", async () => {
    const { env } = await startScriptedService((request, response) => {
      const { authorization = "" } = request.headers;
      const body = {
        code: authorization,
        detail: `bad ${authorization}`,
        errors: [{ detail: authorization }],
      };
      sendJson(response, 400, body, { "x-request-id": authorization });
    });
    const result = await runCli(status, { env });
    expect(result.stderr).not.toContain("sk_of_another_service");
    expect(result.stderr).toContain("[redacted]");
  });

  it("is printed without the access token that it repeats", async () => {
    const { env } = await startScriptedService((request, response) => {
      if (request.method === "POST") return sendJson(response, 200, { access_token: "at_very_secret_token" });
      sendJson(response, 400, { detail: `bad ${request.headers.authorization}` });
    });
    const { CLAIMS_API_KEY: _, ...rest } = env;
    const oauth = { ...rest, CLAIMS_CLIENT_ID: "cl_other", CLAIMS_CLIENT_SECRET: "cs_other_secret" };
    const result = await runCli(status, { env: oauth });
    expect(errorOf(result).message).toContain("bad Bearer [redacted]");
    expect(result.stderr).not.toContain("very_secret");
  });

  it("ends the command if Retry-After is hours, which the hint states", async () => {
    const { env, requests } = await startScriptedService((_, r) =>
      sendJson(r, 429, {}, { "retry-after": "7200" }),
    );
    const result = await runCli(status, { env });
    expect(errorOf(result)).toMatchObject({ exitCode: 6, hint: expect.stringContaining("7200") });
    expect(requests).toHaveLength(1);
  });
});
