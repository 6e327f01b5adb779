import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli } from "../support/cli.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";

const FILE = fixture("scenario_partial.csv");
const SUBMIT = ["diligence", "submit", FILE, "--seller-name", "Acme", "--json"];

describe("a service that made other choices where the interface is silent", () => {
  it("names the job id otherwise, uses other words for states and has a report of its own", async () => {
    const report = { outcomeSummary: "fine", rf8Review: { verdict: "ok", note: "anything" } };
    const states = ["ACCEPTED", "running", "Succeeded"];
    const { env } = await startScriptedService((request, response, count) => {
      if (request.method === "POST") return sendJson(response, 202, { job: { id: "job/7" } });
      if (request.url?.startsWith("/v1/diligence/status/job%2F7")) {
        return sendJson(response, 200, { status: states[count - 2] ?? "Succeeded", surprise: [1] });
      }
      return sendJson(response, 200, report);
    });
    const waited = await runCli([...SUBMIT, "--wait"], { env });
    expect(waited.code, waited.stderr).toBe(0);
    expect(waited.stderr).toContain("job job/7\n");
    expect(JSON.parse(waited.stdout)).toEqual(report);
    const card = await runCli(["diligence", "report", "job/7"], { env });
    expect(card.stdout).toContain('"verdict": "ok"');
  });

  it("names the job in Location only, or where --job-id-path says", async () => {
    const { env } = await startScriptedService((request, response) => {
      if (request.method === "POST")
        return sendJson(response, 202, { ok: true, data: { ref: "r-9" } }, { location: "/jobs/l-8" });
      return sendJson(response, 200, { state: "queued" });
    });
    expect((await runCli(SUBMIT, { env })).stderr).toContain("job l-8\n");
    expect((await runCli([...SUBMIT, "--job-id-path", "data.ref"], { env })).stderr).toContain("job r-9\n");
    const lost = await runCli([...SUBMIT, "--job-id-path", "data.id"], { env });
    expect(lost.code).toBe(5);
    expect(JSON.parse(lost.stdout)).toEqual({ ok: true, data: { ref: "r-9" } });
    expect(errorOf(lost)).toMatchObject({
      code: "no_job_id",
      hint: expect.stringContaining("--job-id-path"),
    });
  });

  it("shows a state it has never heard of and goes on waiting", async () => {
    const { env } = await startScriptedService((_, response) =>
      sendJson(response, 200, { state: "under_human_eyes" }),
    );
    const waited = await runCli(["diligence", "wait", "x", "--timeout", "300ms", "--json"], { env });
    expect(waited.code).toBe(8);
    expect(JSON.parse(waited.stdout).state).toBe("under_human_eyes");
    expect(errorOf(waited).message).toContain("under_human_eyes");
  });

  it.each([
    ["application/x-ndjson", (row: string) => `${row}\n`],
    ["application/json", (row: string) => `{"rows":[${row}]}`],
  ])("reports a dataset of %s that is nested too deeply", async (type, document) => {
    const row = `{"entryNumber":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    const { env } = await startScriptedService((_, response) => {
      response.writeHead(200, { "content-type": type }).end(document(row));
    });
    const shown = await runCli(["diligence", "dataset", "x"], { env });
    expect([shown.code, shown.stdout]).toEqual([6, ""]);
    expect(shown.stderr).toContain("the dataset is nested too deeply");
  });

  it("has the dataset as JSON only, under another name", async () => {
    const { env } = await startScriptedService((_, response) =>
      sendJson(response, 200, {
        entries: [{ number: "A", tags: ["x", "y"], more: { a: 1 } }, { number: "B\tC" }],
      }),
    );
    const { stdout } = await runCli(["diligence", "dataset", "x"], { env });
    expect(stdout).toBe('A\tx;y\t{"a":1}\nB·C\n');
  });

  it.each([
    ["the rows under their usual name", { notes: [1, 2, 3], rows: [{ number: "A", links: [{ to: 1 }] }] }],
    ["the longest list", { notes: [], entries: [{ number: "A", links: [{ to: 1 }] }], page: [] }],
  ])("finds %s among other lists", async (_, document) => {
    const { env } = await startScriptedService((_, response) => sendJson(response, 200, document));
    const { stdout } = await runCli(["diligence", "dataset", "x"], { env });
    expect(stdout).toBe('A\t{"to":1}\n');
  });
});

describe("answers that are no answers", () => {
  const status = ["diligence", "status", "x", "--json"];

  it.each<[string, Script, string, number]>([
    [
      "a page of HTML",
      (_, r) => r.writeHead(200, { "content-type": "text/html" }).end("<html>"),
      "unexpected_response",
      6,
    ],
    [
      "an error page",
      (_, r) => r.writeHead(404, { "content-type": "text/html" }).end("<html>"),
      "http_404",
      3,
    ],
    [
      "a redirect",
      (_, r) => r.writeHead(302, { location: "https://elsewhere.example/" }).end(),
      "http_302",
      5,
    ],
    [
      "half a body",
      (_, r) => void r.writeHead(200, { "content-length": "100" }).write("{", () => r.destroy()),
      "response_truncated",
      6,
    ],
    ["a 403", (_, r) => sendJson(r, 403, { message: "not yours" }), "http_403", 4],
  ])("%s", async (_, script, code, exit) => {
    const { env, requests } = await startScriptedService(script);
    const result = await runCli(status, { env });
    expect(result).toMatchObject({ code: exit, stdout: "" });
    expect(errorOf(result).code).toBe(code);
    expect(requests).toHaveLength(1);
  });

  it("never follows a redirect with the credential", async () => {
    const other = await startScriptedService((_, response) => sendJson(response, 200, {}));
    const { env } = await startScriptedService((_, response) =>
      response.writeHead(307, { location: other.url }).end(),
    );
    const result = await runCli(status, { env });
    expect(errorOf(result).hint).toContain(other.url);
    expect(other.requests).toEqual([]);
  });

  it("blanks out a secret that the service repeats, wherever it does", async () => {
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

  it("blanks out an access token as well", async () => {
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

  it("does not wait for hours, and says for how long it was asked to", async () => {
    const { env, requests } = await startScriptedService((_, r) =>
      sendJson(r, 429, {}, { "retry-after": "7200" }),
    );
    const result = await runCli(status, { env });
    expect(errorOf(result)).toMatchObject({ exitCode: 6, hint: expect.stringContaining("7200") });
    expect(requests).toHaveLength(1);
  });
});

describe("repeats", () => {
  it("reads again after 503, and obeys Retry-After", async () => {
    const { env, requests } = await startScriptedService((_, response, count) =>
      count < 3
        ? sendJson(response, 503, {}, { "retry-after": "0" })
        : sendJson(response, 200, { state: "completed" }),
    );
    expect((await runCli(["diligence", "status", "x"], { env })).code).toBe(0);
    expect(requests).toHaveLength(3);
  });

  it("sends a submission again after 429 with the same key, and not after a lost connection", async () => {
    const busy = await startScriptedService((_, response, count) =>
      count === 1
        ? sendJson(response, 429, {}, { "retry-after": "0" })
        : sendJson(response, 202, { id: "j" }),
    );
    expect((await runCli(SUBMIT, { env: busy.env })).code).toBe(0);
    const keys = busy.requests.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);

    const lossy = await startScriptedService((request) => void request.socket.destroy());
    const lost = await runCli(SUBMIT, { env: lossy.env });
    expect(lost).toMatchObject({ code: 6, stdout: "" });
    expect(errorOf(lost).code).toBe("outcome_unknown");
    expect(lossy.requests).toHaveLength(1);
  });
});

describe("TLS", () => {
  it("trusts the authority it is given and no other", async () => {
    const { env } = await startScriptedService(
      (_, response) => sendJson(response, 200, { state: "completed" }),
      {
        secure: true,
      },
    );
    const args = ["diligence", "status", "x", "--environment", "sandbox", "--json"];
    const distrusted = await runCli(args, { env });
    expect(distrusted.code).toBe(6);
    expect(errorOf(distrusted)).toMatchObject({
      message: expect.stringContaining("certificate"),
      hint: expect.stringContaining("--ca-file"),
      retryable: false,
    });
    const unsent = await runCli([...SUBMIT, "--environment", "sandbox"], { env });
    expect(errorOf(unsent)).toMatchObject({ code: "unreachable", exitCode: 6 });
    const authority = fileURLToPath(new URL("../support/tls/cert.pem", import.meta.url));
    expect((await runCli([...args, "--ca-file", authority], { env })).code).toBe(0);
  });
});
