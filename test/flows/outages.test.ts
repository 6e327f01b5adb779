import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli, runProcess, useFastClock } from "../support/cli.ts";
import { itEachFirst } from "../support/large.ts";
import { submitArgs } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

useFastClock();

const ENTRIES = fixture("scenario_partial.csv");
const REPORT = { rf8Review: { outcome: "clear" } };

/** More failures in a row than the retries of one request. */
const OUTAGE_FAILURES = 7;

type Failure = 503 | "reset";

/** Starts a service that accepts work, fails a number of times, and then reports the work as completed. */
function startUnstableService(failure: Failure, { failures = OUTAGE_FAILURES, from = "/status/" } = {}) {
  let failuresLeft = failures;
  return startScriptedService(({ method, url = "", socket }, response) => {
    if (method === "POST") return sendJson(response, 202, { jobId: "j-1", id: "j-1", state: "queued" });
    if (url.includes(from) && failuresLeft-- > 0) {
      if (failure === "reset") socket.destroy();
      else sendJson(response, failure, {}, { "retry-after": "0" });
    } else if (url.includes("/report/")) sendJson(response, 200, REPORT);
    else sendJson(response, 200, { id: "j-1", state: "completed", data: [{ id: "d-1" }] });
  });
}

const SUBMIT = submitArgs(ENTRIES, "--wait");

describe("an outage during a wait", () => {
  it.each<Failure>([503, "reset"])("does not end diligence submit --wait: %s", async (failure) => {
    const { env } = await startUnstableService(failure);
    const { code, stdout, stderr } = await runCli([...SUBMIT, "--json"], { env });
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual(REPORT);
    expect(stderr.match(/waiting for the service/g)).toHaveLength(1);
    expect(stderr.match(/the service responds again/g)).toHaveLength(1);
  });

  it.each([
    ["the report", SUBMIT, "/report/"],
    ["a resumed job", ["diligence", "resume", "j-1", "--wait"], "/status/"],
    ["a scan", ["scans", "create", "--wait"], "/portfolio-scans/"],
  ])("does not end the wait for %s", async (_, args, from) => {
    const { env } = await startUnstableService(503, { from });
    const { code, stderr } = await runCli(args, { env });
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("waiting for the service");
  });

  it("ends the command with exit 6 if the last poll before --timeout failed", async () => {
    const { env } = await startUnstableService(503, { failures: Number.POSITIVE_INFINITY });
    const result = await runCli([...SUBMIT, "--timeout", "10s", "--json"], { env });
    expect(result).toMatchObject({ code: 6, stdout: "" });
    expect(errorOf(result)).toMatchObject({
      code: "http_503",
      hint: expect.stringContaining("claims diligence wait j-1"),
    });
  });

  it("does not prevent --timeout from ending a pause of Retry-After", { tags: "large" }, async () => {
    const { env, requests } = await startScriptedService(({ method }, response) => {
      if (method === "POST") sendJson(response, 202, { jobId: "j-1", state: "queued" });
      else sendJson(response, 503, {}, { "retry-after": "3" });
    });
    const { code, stderr } = await runProcess([...SUBMIT, "--timeout", "1s", "-v"], { env });
    expect(code, stderr).toBe(6);
    expect(requests).toHaveLength(2);
    expect(stderr.trim().split("\n").at(-1)).toMatch(/^hint: /);
  });
});

type Respond = (response: ServerResponse) => unknown;

/** Starts a service whose job is completed after these responses to the reads of its status. */
const startWithPolls = (...polls: readonly (number | "reset" | Record<string, unknown> | Respond)[]) => {
  let count = 0;
  return startScriptedService(({ method, url = "", socket }, response) => {
    if (method === "POST") return sendJson(response, 202, { jobId: "j-1", state: "queued" });
    if (url.includes("/report/")) return sendJson(response, 200, REPORT);
    const next = polls[count++] ?? { state: "completed" };
    if (next === "reset") return socket.destroy();
    if (typeof next === "number") return sendJson(response, next, {}, { "retry-after": "1" });
    if (typeof next === "function") return next(response);
    return sendJson(response, 200, { jobId: "j-1", ...next });
  });
};

const PROCESSING = { state: "processing" };
const times = <Poll>(count: number, poll: Poll): Poll[] => Array.from({ length: count }, () => poll);

const WAIT = ["diligence", "wait", "j-1", "--json"];

describe("an outage at the start of a wait", () => {
  it.each([
    ["eight 503", times(8, 503)],
    ["eight 429 with Retry-After", times(8, 429)],
    ["eight reset connections", times(8, "reset" as const)],
    ["408, 425, 502 and 504", [408, 425, 502, 504]],
  ])("does not end diligence wait: %s", async (_, failures) => {
    const { env } = await startWithPolls(...failures);
    const { code, stdout, stderr } = await runCli(WAIT, { env });
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual(REPORT);
  });

  it.each([
    ["a refused connection", "http://127.0.0.1:1"],
    ["an unknown host name", "http://no-such-host.invalid"],
  ])("is not assumed for %s", async (_, url) => {
    const { env } = await startWithPolls();
    const args = [...WAIT, "--environment", "sandbox", "--timeout", "1h"];
    const result = await runCli(args, { env: { ...env, CLAIMS_BASE_URL: url } });
    expect(result).toMatchObject({ code: 6, stdout: "" });
    expect(result.stderr).not.toContain("waiting for the service");
  });
});

const oops: Respond = (response) => sendJson(response, 500, { error: "oops" });
const page: Respond = (response) => {
  response.writeHead(200, { "content-type": "text/html" });
  response.end("<title>Maintenance</title>We are back soon");
};

const STRANGE_RESPONSES: readonly (readonly [string, Respond])[] = [
  ["500", oops],
  ["520 of a CDN", (response) => sendJson(response, 520, {})],
  ["a web page", page],
  ["an empty 200", (response) => response.writeHead(200, { "content-type": "application/json" }).end()],
  ["null", (response) => sendJson(response, 200, null)],
  ["a redirect", (response) => response.writeHead(302, { location: "/login" }).end()],
];

const countPolls = (requests: readonly { readonly url: string }[]): number =>
  requests.filter(({ url }) => url.includes("/status/")).length;

describe("a response that is not one of the service, during a wait", () => {
  it.each(STRANGE_RESPONSES)("does not end it up to five times in a row: %s", async (_, respond) => {
    const { env, requests } = await startWithPolls(PROCESSING, ...times(5, respond));
    const { code, stdout, stderr } = await runCli(WAIT, { env });
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual(REPORT);
    expect(stderr.trim().split("\n")).toEqual([expect.stringContaining("; waiting for the service (")]);
    expect(countPolls(requests)).toBe(7);
  });

  itEachFirst(STRANGE_RESPONSES)("ends it with exit 6 the sixth time in a row: %s", async (_, respond) => {
    const { env, requests } = await startWithPolls(PROCESSING, ...times(6, respond));
    const result = await runCli(WAIT, { env });
    expect(result).toMatchObject({ code: 6, stdout: "" });
    expect(errorOf(result)).toMatchObject({
      jobId: "j-1",
      retryable: true,
      hint: expect.stringContaining("claims diligence wait j-1"),
    });
    expect(countPolls(requests)).toBe(7);
  });

  it.each(STRANGE_RESPONSES)("ends it at first contact: %s", async (name, respond) => {
    const { env, requests } = await startWithPolls(...times(9, respond));
    const result = await runCli(WAIT, { env });
    expect(result).toMatchObject({ code: name === "null" ? 5 : 6, stdout: "" });
    expect(requests).toHaveLength(1);
  });

  it("counts from the last good response", async () => {
    const { env, requests } = await startWithPolls(...times(3, [PROCESSING, oops, oops, oops]).flat());
    const { code, stderr } = await runCli(WAIT, { env });
    expect(code, stderr).toBe(0);
    expect(countPolls(requests)).toBe(13);
  });

  it("does not end the first poll of submit --wait, whose submission was accepted", async () => {
    const { env } = await startWithPolls(...times(5, page));
    const { code, stderr } = await runCli(SUBMIT, { env });
    expect(code, stderr).toBe(0);
  });
});

it.each([
  [401, 4],
  [403, 4],
  [404, 3],
  [410, 5],
])("a response during a wait ends it if it is %i, with exit %i", async (status, exit) => {
  const { env, requests } = await startWithPolls(PROCESSING, 503, status);
  const result = await runCli(WAIT, { env });
  expect(result).toMatchObject({ code: exit, stdout: "" });
  expect(errorOf(result)).toMatchObject({ code: `http_${status}`, jobId: "j-1" });
  expect(requests).toHaveLength(3);
});
