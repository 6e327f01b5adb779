import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { type CliResult, errorOf, fixture, runCli, temporaryFile, useFastClock } from "../support/cli.ts";
import { batchArgs, createEntryFolder, parseItems } from "../support/entry-folder.ts";
import { submitArgs } from "../support/sandbox.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";

useFastClock();

const FILE = fixture("scenario_partial.csv");
const JOB = "7d9c0000-1111-4222-8333-444455556666";
const OTHER = "7d9c0000-1111-4222-8333-777788889999";
const LOG_IN = '<!doctype html><html><head><title>Log in</title></head><body><form action="/login">';

const sendPage: Script = (_, response) =>
  response.writeHead(200, { "content-type": "text/html" }).end(LOG_IN);

/** Starts a service that sends these responses to writes. Its status route knows every job. */
async function setUp(...responses: readonly Script[]) {
  let writes = 0;
  const { env, requests } = await startScriptedService((request, response, count) => {
    if (request.method !== "GET") return responses[writes++]?.(request, response, count);
    if (request.url?.includes("/diligence/status/")) return sendJson(response, 200, { state: "completed" });
    return sendJson(response, 404, {});
  });
  const claims = (...args: string[]) => runCli(args, { env });
  const listUnknown = async () =>
    JSON.parse((await claims("history", "--unknown", "--json")).stdout) as Record<string, unknown>[];
  const countWrites = () => requests.filter(({ method }) => method !== "GET").length;
  return { env, requests, claims, listUnknown, countWrites };
}

const accept: Script = (_, response) => sendJson(response, 202, { jobId: JOB });
const respond =
  (status: number, body: unknown, headers?: Record<string, string>): Script =>
  (_, response) =>
    sendJson(response, status, body, headers);

describe("a submission that something else than the service answers", () => {
  it("has an unknown outcome, and its response is saved", async () => {
    const { claims, listUnknown } = await setUp(sendPage);
    const result = await claims(...submitArgs(FILE, "--json"));
    expect(result).toMatchObject({ code: 10, stdout: "" });
    const { code, message, hint, retryable } = errorOf(result);
    expect({ code, retryable }).toEqual({ code: "response_unrecognized", retryable: false });
    expect(message).toContain(
      'a web page with the title "Log in" came, not a response of the claims service',
    );
    const [record, ...others] = await listUnknown();
    expect(others).toEqual([]);
    expect(record).toMatchObject({ outcome: "unknown", code, jobId: null });
    expect(hint).toContain(`claims history resolve ${record?.key}`);
    const path = String(record?.responseFile);
    expect(message).toContain(`saved as ${path}`);
    expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it("is not sent again, also under another key and with --on-duplicate submit", async () => {
    const { claims, countWrites } = await setUp(sendPage, accept);
    await claims(...submitArgs(FILE));
    for (const more of [[], ["--idempotency-key", "of-the-script"], ["--on-duplicate", "submit"]]) {
      const again = await claims(...submitArgs(FILE, "--json", ...more));
      expect(errorOf(again)).toMatchObject({ code: "response_unrecognized", exitCode: 10 });
    }
    expect(countWrites()).toBe(1);
  });
});

describe("a submission that is accepted without a readable job id", () => {
  it("needs a decision, and its response is printed and saved", async () => {
    const { claims, listUnknown } = await setUp(respond(202, { note: "thanks" }));
    const result = await claims(...submitArgs(FILE, "--json"));
    expect(result).toMatchObject({ code: 10, stdout: '{"note":"thanks"}\n' });
    expect(errorOf(result)).toMatchObject({
      code: "job_id_unknown",
      hint: expect.stringContaining("--job-id-path"),
    });
    const [record] = await listUnknown();
    expect(record).toMatchObject({ outcome: "accepted, no id", code: "job_id_unknown" });
    expect(readFileSync(String(record?.responseFile), "utf8")).toBe('{"note":"thanks"}');
  });

  it("has the id in the field that --job-id-path names, and in no other", async () => {
    const response = respond(202, { id: OTHER, data: { ref: "r-9" } }, { location: `/jobs/${JOB}` });
    const { claims } = await setUp(response, response);
    const submitWith = (path: string) =>
      claims(...submitArgs(FILE, "--json", "--on-duplicate", "submit", "--job-id-path", path));
    expect((await submitWith("data.ref")).stderr).toContain('"jobId":"r-9"');
    expect(errorOf(await submitWith("data.id"))).toMatchObject({ code: "job_id_unknown", exitCode: 10 });
  });

  const echoJob = respond(202, { submission: JOB });
  const echoKey: Script = ({ headers }, response) =>
    sendJson(response, 202, { submission: String(headers["idempotency-key"]).toUpperCase() });

  it.each([
    ["the idempotency key", echoKey],
    ["a header", respond(202, { submission: JOB }, { "x-request-id": JOB.toUpperCase() })],
    ["the seller", echoJob],
    ["the file", echoJob],
  ])("because its only UUID is that of %s", async (name, script) => {
    const { claims } = await setUp(script);
    const text = readFileSync(FILE, "utf8");
    const file = temporaryFile("entries.csv", name === "the file" ? text.replace(/\n$/, `,${JOB}\n`) : text);
    const seller = name === "the seller" ? `Acme ${JOB}` : "Acme";
    const result = await claims("diligence", "submit", file, "--seller-name", seller, "--json");
    expect(errorOf(result)).toMatchObject({ code: "job_id_unknown", exitCode: 10, jobId: null });
  });

  it.each<[string, object, Record<string, string>, string]>([
    ["two names", { batch: OTHER, parts: [{ task: JOB }] }, {}, "parts.0.task"],
    ["the id of an event and its jobId", { id: OTHER, data: { jobId: JOB } }, {}, "data.jobId"],
    [
      "an id and a status route",
      { id: OTHER },
      { location: `/v1/diligence/status/${JOB}` },
      "header:Location",
    ],
  ])("because two UUIDs may be the id, which the error names: %s", async (_, body, headers, place) => {
    const { claims, requests } = await setUp(respond(202, body, headers));
    const result = await claims(...submitArgs(FILE, "--json"));
    expect(errorOf(result)).toMatchObject({ code: "job_id_unknown", exitCode: 10 });
    expect(errorOf(result).message).toContain(`(${OTHER}); it may be at ${place} (${JOB})`);
    expect(requests).toHaveLength(1);
  });
});

it("the job id is not the idempotency key, which JSON-RPC repeats as its id", async () => {
  const { claims } = await setUp(
    ({ headers }, response) =>
      sendJson(response, 202, { jsonrpc: "2.0", id: headers["idempotency-key"], result: { jobId: JOB } }),
    respond(200, { jobId: JOB, state: "queued" }),
  );
  expect(await claims(...submitArgs(FILE, "-q"))).toMatchObject({ code: 0, stdout: `${JOB}\n` });
});

describe("diligence batch", () => {
  const args = (folder: string, ...more: string[]) =>
    batchArgs(folder, "--concurrency", "1", "--check", "off", "--yes", ...more);
  const statesOf = (result: CliResult) => parseItems(result).map(({ state }) => state);

  it("needs a decision about files that get the job of another one", async () => {
    const { claims, listUnknown } = await setUp(accept, accept, accept);
    const result = await claims(...batchArgs(createEntryFolder(3), "--check", "off", "--yes", "--json"));
    expect(result.code).toBe(10);
    const errors = JSON.parse(result.stdout).flatMap(({ error }: { error: { code: string } | null }) =>
      error === null ? [] : error.code,
    );
    expect(errors).toEqual(["job_id_reused", "job_id_reused"]);
    const [record] = await listUnknown();
    expect((await claims("history", "resolve", String(record?.key), "--job-id", OTHER)).code).toBe(0);
    expect(await listUnknown()).toHaveLength(1);
  });

  it("says that a file was accepted without an id, as history does", async () => {
    const { claims } = await setUp(respond(202, { ok: true }), accept);
    const folder = createEntryFolder(2);
    for (const counts of ["1 accepted, 1 accepted, no id", "1 accepted, no id, 1 already accepted"]) {
      const result = await claims(...args(folder));
      expect([result.code, statesOf(result)[0]]).toEqual([10, "accepted, no id"]);
      expect(result.stderr).toContain(`2 submissions: ${counts}\n`);
      expect(result.stderr).toContain("1 of 2 submissions not complete (1 accepted, no id)");
    }
  });

  it("sends nothing more after a job in another environment", async () => {
    const { claims, countWrites } = await setUp(
      respond(202, { jobId: JOB, environment: "Production" }),
      accept,
    );
    const result = await claims(...args(createEntryFolder(3)));
    expect(result.code).toBe(10);
    expect(statesOf(result)).toEqual(["accepted", "not sent", "not sent"]);
    expect(result.stdout).toContain(JOB);
    expect(countWrites()).toBe(1);
  });
});

describe("another write", () => {
  const COMMANDS = [
    ["diligence", "resume", JOB],
    ["clients", "create", "--name", "Acme"],
    ["scans", "create"],
    ["webhooks", "test", "partner.test"],
    ["api", "POST", "/v1/clients", "-f", "name=Acme"],
  ];

  it.each(COMMANDS)("%s %s has an unknown outcome if a web page comes", async (...args) => {
    const { claims, countWrites, listUnknown } = await setUp(sendPage, accept);
    for (const _ of ["first", "again"]) {
      const result = await claims(...args, "--json");
      expect(result).toMatchObject({ code: 10, stdout: "" });
      expect(errorOf(result).code).toBe("response_unrecognized");
    }
    expect([countWrites(), (await listUnknown()).length]).toEqual([1, 1]);
  });
});
