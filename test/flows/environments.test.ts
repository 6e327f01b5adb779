import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bareEnvironment, errorOf, fixture, runCli } from "../support/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

const SUBMIT = submitArgs(fixture("scenario_partial.csv"), "--json");
const JOB = "7d9c0000-1111-4222-8333-444455556666";

/** Starts a service that responds to everything with a record that names its environment. */
const startNaming = (environment: unknown) =>
  startScriptedService(({ method, url = "" }, response) =>
    sendJson(response, method === "GET" ? 200 : 202, {
      jobId: JOB,
      id: JOB,
      state: "completed",
      environment,
      ...(url.includes("/report") && { rf8Review: { outcome: "clear" } }),
    }),
  );

describe("a key whose prefix names an environment", () => {
  const SANDBOX_KEY = "sk_sandbox_of_another_service";
  const PRODUCTION_KEY = "sk_production_of_another_service";

  it.each([
    ["a sandbox key", SANDBOX_KEY, "production", { CLAIMS_ENVIRONMENT: "production" }, []],
    ["a production key", PRODUCTION_KEY, "sandbox", { CLAIMS_ENVIRONMENT: "sandbox" }, []],
    ["a production key", PRODUCTION_KEY, "sandbox", {}, ["--environment", "sandbox"]],
    ["a production key", PRODUCTION_KEY, "sandbox", {}, ["--profile", "labelled"]],
  ])("is not sent: %s, but the user says otherwise (%#)", async (_, key, environment, variables, more) => {
    const { env, url, requests } = await startNaming("live");
    await runCli(["profiles", "set", "labelled", "--base-url", url, "--environment", environment], { env });
    const result = await runCli([...SUBMIT, "--yes", ...more], {
      env: { ...env, ...variables, CLAIMS_API_KEY: key },
    });
    expect(result).toMatchObject({ code: 4, stdout: "" });
    expect(errorOf(result)).toMatchObject({ code: "credential_mismatch" });
    expect(errorOf(result).message).toMatch(/begins as one for \w+, but .* says \w+; nothing was sent/);
    expect(result.stderr).not.toContain(key);
    expect(requests).toEqual([]);
  });

  it("is not sent by auth login, which stores nothing", async () => {
    const { url, requests } = await startNaming("live");
    const env = bareEnvironment();
    const service = ["--base-url", url, "--environment", "production"];
    const args = ["auth", "login", ...service, "--key-file", "-", "--json"];
    for (const more of [[], ["--no-check"]]) {
      const result = await runCli([...args, ...more], { env, input: SANDBOX_KEY });
      expect(errorOf(result)).toMatchObject({ code: "credential_mismatch", exitCode: 4 });
    }
    expect(requests).toEqual([]);
    expect(() => readFileSync(join(env.CLAIMS_CONFIG_DIR ?? "", "config.json"))).toThrow("ENOENT");
  });
});

describe("a record that names its environment", () => {
  const READS = [
    ["diligence", "status", JOB],
    ["diligence", "wait", JOB],
    ["scans", "get", JOB],
    ["orgs", "get", "north-pier"],
    ["revenue", "dashboard"],
  ];
  const WRITES = [
    SUBMIT,
    [...SUBMIT, "--wait"],
    ["diligence", "resume", JOB, "--wait"],
    ["scans", "create", "--wait"],
    ["orgs", "onboard", "north-pier", "--name", "North Pier", "--country", "US"],
  ];

  it.each(READS)("ends %s %s with exit 4 if it is the other one", async (...args) => {
    const { env } = await startNaming("PRODUCTION");
    const result = await runCli([...args, "--json"], { env });
    expect(result).toMatchObject({ code: 4, stdout: "" });
    expect(errorOf(result)).toMatchObject({ code: "wrong_environment" });
    expect(errorOf(result).message).toContain("is in production, but this command is for sandbox");
  });

  it.each(WRITES)("needs a decision after %s %s if it is the other one", async (...args) => {
    const { env, requests } = await startNaming("Production");
    const result = await runCli([...args, "--json"], { env });
    expect(result.code, result.stderr).toBe(10);
    expect(errorOf(result)).toMatchObject({ code: "accepted_elsewhere", retryable: false });
    expect(result.stdout + result.stderr).toContain(JOB);
    expect(requests).toHaveLength(1);
    const history = await runCli(["history", "--unknown", "--json"], { env });
    expect(JSON.parse(history.stdout)).toMatchObject([{ code: "accepted_elsewhere" }]);
  });

  it.each([...READS, ...WRITES])("does not end %s %s if it is no word of ours", async (...args) => {
    for (const environment of ["live", "Sandbox", { name: "production" }]) {
      const { env } = await startNaming(environment);
      const result = await runCli(args.includes("--json") ? args : [...args, "--json"], { env });
      expect(result.code, result.stderr).toBe(0);
    }
  });

  it.each([
    ["webhooks", "test", "partner.test"],
    ["notifications", "create", "--recipient", "a@b.example", "--subject", "x", "--message", "y"],
    ["clients", "create", "--name", "Acme"],
  ])("is not read from the response of %s %s", async (...args) => {
    const { env } = await startNaming("production");
    const result = await runCli(args, { env });
    expect(result.code, result.stderr).toBe(0);
  });

  it("is shown by auth login, which stores nothing", async () => {
    const sandbox = await sandboxForTest();
    const env = bareEnvironment();
    const login = ["auth", "login", "--base-url", sandbox.url];
    const args = [...login, "--environment", "sandbox", "--key-file", "-", "--json"];
    // A service without prefixes.
    const service = await startNaming("production");
    const result = await runCli(args.with(3, service.url), { env, input: "key_of_production" });
    expect(errorOf(result)).toMatchObject({ code: "wrong_environment", exitCode: 4 });
    expect(errorOf(result).message).toContain("nothing was stored: the revenue dashboard is in production");
    const right = await runCli(args, { env, input: sandbox.credentials.sandbox.apiKey });
    expect(right.code, right.stderr).toBe(0);
  });

  it("is that of the sandbox's production key", async () => {
    const sandbox = await sandboxForTest();
    const env = { ...environmentOf(sandbox), CLAIMS_API_KEY: sandbox.credentials.production.apiKey };
    const production = await runCli([...SUBMIT, "--yes", "--environment", "production"], { env });
    expect(production.code, production.stderr).toBe(0);
    const guessed = await runCli(SUBMIT, { env });
    expect(errorOf(guessed)).toMatchObject({ code: "accepted_elsewhere", exitCode: 10 });
    expect(errorOf(guessed).jobId).toBe(JSON.parse(guessed.stdout).jobId);
  });
});
