import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  errorOf,
  fixture,
  runCli,
  runProcess,
  startCli,
  temporaryFolder,
  useFastClock,
} from "../support/cli.ts";
import { submitArgs } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

useFastClock();

const ENTRIES = fixture("scenario_partial.csv");
const REPORT = { rf8Review: { outcome: "clear" } };

/** More failures in a row than the retries of one request. */
const OUTAGE_FAILURES = 7;

type Failure = 429 | 503 | 504 | "reset";

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
  it.each<Failure>([429, 503, 504, "reset"])("does not end diligence submit --wait: %s", async (failure) => {
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

  it("does not end a batch", async () => {
    const folder = join(temporaryFolder(), "entries");
    mkdirSync(folder);
    copyFileSync(ENTRIES, join(folder, "a.csv"));
    const { env } = await startUnstableService(503, { failures: 10 });
    const args = ["diligence", "batch", folder, "--seller-name", "Acme", "--wait"];
    const { code, stdout, stderr } = await runCli(args, { env });
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ state: "completed", outcome: "clear" });
  });

  it("does not end webhooks deliveries --watch", async () => {
    let requests = 0;
    const { env } = await startScriptedService((_, response) => {
      requests += 1;
      if (requests > 1 && requests <= 1 + OUTAGE_FAILURES)
        sendJson(response, 503, {}, { "retry-after": "0" });
      else sendJson(response, 200, { data: [{ id: requests === 1 ? "d-before" : "d-after" }] });
    });
    const watch = startCli(["webhooks", "deliveries", "--watch", "--ndjson"], { env });
    await watch.waitForOutput(/d-before/);
    await watch.waitForOutput(/d-after/);
    watch.stop("SIGINT");
    expect((await watch.completion).code).toBe(130);
  });

  it("ends the command with exit 6 if the last poll before --timeout failed", async () => {
    const { env } = await startUnstableService(503, { failures: Number.POSITIVE_INFINITY });
    const result = await runCli([...SUBMIT, "--timeout", "3s", "--json"], { env });
    expect(result).toMatchObject({ code: 6, stdout: "" });
    expect(errorOf(result)).toMatchObject({
      code: "http_503",
      hint: expect.stringContaining("claims diligence wait j-1"),
    });
  });

  it("does not prevent --timeout from ending a pause of Retry-After", async () => {
    const { env, requests } = await startScriptedService(({ method }, response) => {
      if (method === "POST") sendJson(response, 202, { jobId: "j-1", state: "queued" });
      else sendJson(response, 503, {}, { "retry-after": "3" });
    });
    const { code, stderr } = await runProcess([...SUBMIT, "--timeout", "1s", "-v"], { env });
    expect(code, stderr).toBe(6);
    expect(requests).toHaveLength(2);
    expect(stderr.trim().split("\n").at(-1)).toMatch(/^hint: /);
  });

  it("ends the command with exit 6 if --timeout ends while the last poll is repeated", async () => {
    let polls = 0;
    const { env } = await startScriptedService(({ method }, response) => {
      if (method === "POST") return sendJson(response, 202, { jobId: "j-1", state: "queued" });
      polls += 1;
      if (polls === 1) return sendJson(response, 200, { id: "j-1", state: "processing" });
      return sendJson(response, 503, {}, { "retry-after": "20" });
    });
    const result = await runCli([...SUBMIT, "--timeout", "1s", "--json"], { env });
    expect(result).toMatchObject({ code: 6, stdout: "" });
    expect(errorOf(result)).toMatchObject({ code: "http_503", retryable: true });
  });

  it("ends the command with exit 6 if there was no response before", async () => {
    const { env, requests } = await startUnstableService(503, { failures: Number.POSITIVE_INFINITY });
    const result = await runCli(["diligence", "wait", "j-1"], { env });
    expect(result.code).toBe(6);
    expect(requests).toHaveLength(4);
    expect(result.stderr).not.toContain("waiting for the service");
  });
});
