import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import type { ServiceForm } from "../../src/contract/service-form/service-form.ts";
import { errorOf, fixture, runCli, startCli, temporaryFolder, useFastClock } from "../support/cli.ts";
import { environmentOf, sandboxForTest } from "../support/sandbox.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";

useFastClock();

const PARTIAL = ["--submit", fixture("scenario_partial.csv"), "--seller-name", "Harbor & Pine Trading, LLC"];

const readService = (file: string): ServiceForm => JSON.parse(readFileSync(file, "utf8"));

const learn = (env: Record<string, string>, ...args: string[]) =>
  runCli(["contract", "learn", ...args], { env });

/** `POST /v1/diligence/submit 202` for each request of the command line. */
const requestsOf = async (sandbox: Sandbox): Promise<string[]> =>
  (await sandbox.requests.list({ limit: 200 }))
    .filter(({ requestHeaders }) => requestHeaders.some(([, value]) => value.startsWith("claims/")))
    .map(({ method, target, status }) => `${method} ${target} ${status}`);

const countMatches = (lines: readonly string[], pattern: RegExp): number =>
  lines.filter((line) => pattern.test(line)).length;

const operationsOf = ({ evidence }: ServiceForm): string[] =>
  (evidence?.responses ?? []).map(({ operation, status }) => `${operation} ${status}`);

describe("claims contract learn --submit", () => {
  it("learns from one submission, its states, a resume, its results and a test event", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const file = join(temporaryFolder(), "service.json");
    const endpoint = "http://127.0.0.1:9/hook --label one --event partner.test --scope sandbox".split(" ");
    const secret = ["--secret-file", join(temporaryFolder(), "secret")];
    await runCli(["webhooks", "create", ...endpoint, ...secret], { env });
    const result = await learn(env, ...PARTIAL, "--resume", "--test-event", "--out", file);
    expect(result.code, result.stderr).toBe(0);
    const service = readService(file);
    expect([service.records ?? {}, service.operations ?? {}]).toEqual([{}, {}]);
    expect(operationsOf(service)).toEqual(
      expect.arrayContaining([
        ...["diligence.submit 202", "diligence.resume 202", "diligence.report 200"],
        ...["diligence.dataset 200", "webhooks.test 200"],
      ]),
    );
    // The job has ended both partial and completed; only failed was not seen.
    const open = (service.open ?? []).filter(({ subject }) => subject.startsWith("Job.state"));
    expect(open.map(({ subject }) => subject)).toEqual(["Job.state failed"]);
    expect(service.evidence?.deliveries).toBeGreaterThan(0);
    const requests = await requestsOf(sandbox);
    expect(countMatches(requests, /^POST .*submit 202/)).toBe(1);
    expect(countMatches(requests, /^POST .*resume/)).toBe(1);
    expect(countMatches(requests, /webhooks\/test/)).toBe(1);
    const others = requests.filter(
      (line) => !/\/diligence\/(status|report)\/|webhooks\/endpoints 201/.test(line),
    );
    expect(new Set(others).size).toBe(others.length);

    const again = await learn(env, ...PARTIAL, "--out", file);
    expect(again.stderr).toContain("using that job");
    expect(countMatches(await requestsOf(sandbox), /^POST .*submit/)).toBe(1);
    for (const value of ["Harbor", "Pine", "scenario_partial", sandbox.credentials.sandbox.apiKey])
      expect(readFileSync(file, "utf8")).not.toContain(value);
  });

  it("adds to a run that the service ended, without a second submission", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const file = join(temporaryFolder(), "service.json");
    sandbox.faults.add({ match: { operation: "offers.list" }, then: { reset: true } });
    const args = [...PARTIAL, "--out", file];
    expect((await learn(env, ...args, "--json")).code).toBe(6);
    sandbox.faults.clear();
    const continued = await learn(env, ...args);
    expect(continued.code, continued.stderr).toBe(0);
    expect(operationsOf(readService(file))).toEqual(
      expect.arrayContaining(["offers.list 200", "diligence.report 200"]),
    );
    expect(countMatches(await requestsOf(sandbox), /^POST /)).toBe(1);
  });

  it("keeps what it learned when Ctrl-C ends the wait for a job", async () => {
    const sandbox = await sandboxForTest({ jobSpeed: "real" });
    const env = environmentOf(sandbox);
    const file = join(temporaryFolder(), "service.json");
    const { completion, stop, waitForOutput } = startCli(
      ["contract", "learn", ...PARTIAL, "--out", file, "--json"],
      { env },
    );
    const [, id = ""] = await waitForOutput(/"jobId":"([0-9a-f-]{36})"/, "stderr");
    await expect
      .poll(async () => countMatches(await requestsOf(sandbox), new RegExp(`status/${id}`)))
      .toBeGreaterThan(0);
    stop("SIGINT");
    const result = await completion;
    expect(result.code).toBe(130);
    expect(errorOf(result)).toMatchObject({ code: "interrupted" });
    const service = readService(file);
    expect(operationsOf(service)).toContain("diligence.submit 202");
    await sandbox.clock.advance("idle");
    const continued = await learn(env, ...PARTIAL, "--out", file);
    expect(continued.code, continued.stderr).toBe(0);
    expect(countMatches(await requestsOf(sandbox), /^POST /)).toBe(1);
  });

  it("reads the results of a job that does not end within --timeout", async () => {
    const { env, requests } = await startScriptedService((request, response) => {
      if (request.method === "POST") sendJson(response, 202, { ref: "job-1", jobId: "job-1" });
      else if (request.url?.includes("/status/")) sendJson(response, 200, { state: "finalizing" });
      else sendJson(response, 404, { message: "not yet" });
    });
    const result = await learn(env, ...PARTIAL, "--timeout", "0.2", "--json");
    expect(result.code, result.stderr).toBe(0);
    const service: ServiceForm = JSON.parse(result.stdout);
    expect(operationsOf(service)).toContain("diligence.status 200");
    expect(requests.filter(({ url }) => url.includes("/dataset/"))).toHaveLength(1);
  });

  it("ends with the refusal of a write, after the reads", async () => {
    const { env, requests } = await startScriptedService((request, response) =>
      request.method === "POST"
        ? sendJson(response, 422, { message: "no" })
        : sendJson(response, 200, { items: [] }),
    );
    const result = await learn(env, ...PARTIAL, "--json");
    expect(result.code).toBe(5);
    expect(operationsOf(JSON.parse(result.stdout))).toContain("diligence.submit 422");
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  it("sends the same key again when the outcome is unknown", async () => {
    let posts = 0;
    const script: Script = (request, response) => {
      if (request.method !== "POST") return sendJson(response, 200, { items: [] });
      posts += 1;
      if (posts === 1) response.destroy();
      else sendJson(response, 202, { jobId: "job-1" });
    };
    const { env, requests } = await startScriptedService(script, { keepsKeys: true });
    const first = await learn(env, ...PARTIAL, "--json");
    expect(errorOf(first)).toMatchObject({ code: "outcome_unknown" });
    await learn(env, ...PARTIAL, "--timeout", "0.2", "--json");
    const keys = requests
      .filter(({ method }) => method === "POST")
      .map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it("writes to production only with --yes and an explicit --environment", async () => {
    const { env, requests } = await startScriptedService((_, response) => sendJson(response, 404, {}));
    const production = { ...env, CLAIMS_ENVIRONMENT: "production" };
    for (const args of [
      ["--test-event"],
      ["--test-event", "--yes"],
      [...PARTIAL, "--yes"],
      ["--test-event", "--environment", "production"],
    ]) {
      const refused = await learn(production, ...args, "--json");
      expect(errorOf(refused)).toMatchObject({ code: "production_not_confirmed" });
    }
    expect(requests).toEqual([]);
    await learn(production, "--test-event", "--yes", "--environment", "production", "--json");
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});
