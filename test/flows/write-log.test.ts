import { mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type CliOptions,
  errorOf,
  fixture,
  runCli,
  spawnCli,
  temporaryFolder,
  useFastClock,
} from "../support/cli.ts";
import { environmentOf, SELLER, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";

useFastClock();

const FILE = fixture("scenario_partial.csv");
const ENTRIES = fixture("sample_entries.csv");

const writeLogPath = ({ CLAIMS_CONFIG_DIR = "" }: Record<string, string | undefined>) =>
  join(CLAIMS_CONFIG_DIR, "state", "writes.jsonl");

const readRecords = (env: Record<string, string>) =>
  readFileSync(writeLogPath(env), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Returns functions that run commands in this environment. */
function bindCommands(env: Record<string, string>) {
  const claims = (args: readonly string[], more: CliOptions = {}) => runCli(args, { env, ...more });
  const history = async (...more: string[]) =>
    JSON.parse((await claims(["history", "--json", ...more])).stdout) as Record<string, unknown>[];
  const submit = (file: string, ...more: string[]) => claims(submitArgs(file, "--json", ...more));
  return { claims, history, submit };
}

async function setUpSandbox() {
  const sandbox = await sandboxForTest();
  const env = environmentOf(sandbox);
  return { sandbox, env, ...bindCommands(env) };
}

async function setUpScript(script: Script) {
  const service = await startScriptedService(script, { keepsKeys: true });
  return {
    ...service,
    ...bindCommands(service.env),
    listKeys: () => service.requests.map(({ headers }) => headers["idempotency-key"]),
  };
}

/** The service's own word for completed. */
const SUCCESS = expect.stringMatching(/^(complete|succe|done)/);

describe("the write log", () => {
  it("records each submission with its key, in a file of mode 0600", async () => {
    const { env, history, submit } = await setUpSandbox();
    const { jobId } = JSON.parse((await submit(FILE)).stdout);
    expect(statSync(writeLogPath(env)).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(writeLogPath(env))).mode & 0o777).toBe(0o700);
    expect(readRecords(env)).toMatchObject([
      { type: "intent", operation: "diligence.submit", file: FILE, seller: SELLER, environment: "sandbox" },
      { type: "accepted", jobId, status: 202 },
    ]);
    expect(await history()).toMatchObject([
      { jobId, outcome: "accepted", key: expect.stringMatching(/^[\w-]{36}$/) },
    ]);
    expect(readFileSync(writeLogPath(env), "utf8")).not.toContain(env.CLAIMS_API_KEY);
  });

  it("records a write before it is sent", async () => {
    const { env, url, requests } = await setUpScript(() => {});
    const { child, completion } = spawnCli(submitArgs(FILE), { env });
    await expect.poll(() => requests.length).toBe(1);
    const [intent] = readRecords(env);
    expect(intent).toMatchObject({
      type: "intent",
      baseUrl: url,
      key: requests[0]?.headers["idempotency-key"],
    });
    const inFlight = await bindCommands(env).history();
    expect(inFlight).toMatchObject([{ outcome: `in flight (pid ${child.pid})` }]);
    child.kill("SIGKILL");
    await completion;
    expect(await bindCommands(env).history("--unknown")).toMatchObject([
      { outcome: "unknown", key: intent?.key },
    ]);
  });

  it("records later states only of jobs that it contains", async () => {
    const { env, claims, history, submit } = await setUpSandbox();
    const { jobId } = JSON.parse((await submit(FILE)).stdout);
    await claims(["diligence", "wait", jobId]);
    await claims(["diligence", "status", jobId]);
    expect(await history()).toMatchObject([{ jobId, state: "partial" }]);
    await claims(["diligence", "resume", jobId, "--wait"]);
    expect(await history()).toMatchObject([
      { operation: "diligence.resume", jobId, state: SUCCESS },
      { operation: "diligence.submit", jobId, state: SUCCESS },
    ]);
    const states = readRecords(env).flatMap(({ state }) => state ?? []);
    expect(states).toEqual(["partial", SUCCESS]);

    const other = environmentOf(await sandboxForTest({ seed: 7 }));
    const otherService = { ...other, CLAIMS_CONFIG_DIR: env.CLAIMS_CONFIG_DIR ?? "" };
    const { stdout } = await runCli(submitArgs(FILE, "--json"), { env: other });
    await runCli(["diligence", "status", JSON.parse(stdout).jobId], { env: otherService });
    expect(readRecords(env).flatMap(({ state }) => state ?? [])).toHaveLength(2);
  });

  it("prevents a write that it cannot log", async () => {
    const { env, requests, submit, claims } = await setUpScript((_, response) =>
      sendJson(response, 202, { id: "j" }),
    );
    mkdirSync(writeLogPath(env), { recursive: true });
    const result = await submit(FILE);
    expect(result).toMatchObject({ code: 6, stdout: "" });
    expect(errorOf(result)).toMatchObject({
      code: expect.stringMatching(/^write_log_/),
      message: expect.stringContaining(writeLogPath(env)),
    });
    expect((await claims(["api", "POST", "/v1/anything"])).code).toBe(6);
    expect(requests).toHaveLength(0);
  });
});

describe("idempotency keys", () => {
  it("are reused after a retry was refused with 401 or 429", async () => {
    const statuses = [0, 401, 429, 202];
    const { submit, history, listKeys } = await setUpScript((request, response, count) => {
      const status = statuses[count - 1] ?? 202;
      if (status === 0) return void request.socket.destroy();
      sendJson(response, status, { jobId: "j-1" }, { "retry-after": "3600" });
    });
    for (const exit of [6, 4, 6]) {
      expect((await submit(FILE)).code).toBe(exit);
      expect(await history("--unknown")).toHaveLength(1);
    }
    expect((await submit(FILE)).code).toBe(0);
    expect(new Set(listKeys()).size).toBe(1);
    expect(await history()).toMatchObject([{ outcome: "accepted", jobId: "j-1" }]);
  });

  it("are set by --idempotency-key", async () => {
    const { listKeys, claims, submit } = await setUpScript((_, response) =>
      sendJson(response, 202, { id: "j" }),
    );
    await submit(FILE, "--idempotency-key", "invoice-7");
    await claims(["diligence", "resume", "j", "--idempotency-key", "again-1"]);
    expect(listKeys()).toEqual(["invoice-7", "again-1"]);
    const invalid = await submit(FILE, "--idempotency-key", "two words");
    expect(errorOf(invalid)).toMatchObject({ code: "option_invalid", exitCode: 2 });
    expect(listKeys()).toHaveLength(2);
  });

  it("are logged for resume and api POST", async () => {
    const { listKeys, history, claims } = await setUpScript((request) => void request.socket.destroy());
    await claims(["diligence", "resume", "j"]);
    await claims(["diligence", "resume", "j"]);
    await claims(["api", "POST", "/v1/clients", "--input", "-"], { input: "{}" });
    await claims(["api", "POST", "/v1/clients", "--input", "-"], { input: "{}" });
    await claims(["api", "POST", "/v1/clients", "--input", "-"], { input: "[]" });
    const [resume, repeatedResume, post, repeatedPost, other] = listKeys();
    expect(repeatedResume).toBe(resume);
    expect(repeatedPost).toBe(post);
    expect(new Set([resume, post, other]).size).toBe(3);
    expect((await history("--unknown")).map(({ operation }) => operation)).toEqual([
      "POST /v1/clients",
      "POST /v1/clients",
      "diligence.resume",
    ]);
  });
});

describe("diligence --last", () => {
  it("names the last job submitted to this service", async () => {
    const { env, claims, submit } = await setUpSandbox();
    const otherService = environmentOf(await sandboxForTest({ seed: 7 }));
    await submit(FILE);
    const { jobId } = JSON.parse((await submit(ENTRIES)).stdout);
    await runCli(submitArgs(FILE), {
      env: { ...otherService, CLAIMS_CONFIG_DIR: env.CLAIMS_CONFIG_DIR ?? "" },
    });
    for (const verb of ["status", "wait", "report"]) {
      const { stdout } = await claims(["diligence", verb, "--last", "--json"]);
      expect(JSON.parse(stdout).jobId).toBe(jobId);
    }
    expect((await claims(["diligence", "dataset", "--last", "--ndjson"])).code).toBe(0);
    const folder = join(temporaryFolder(), "pulled");
    expect((await claims(["diligence", "pull", "--last", "-d", folder, "-q"])).stdout).toBe(`${jobId}\n`);
    expect((await claims(["diligence", "status", "--last", "--csv"])).stdout).toContain(jobId);
    await submit(FILE, "--wait", "--on-duplicate", "warn");
    expect((await claims(["diligence", "resume", "--last", "--wait"])).code).toBe(0);
  });

  it("exits 3 without a job, and excludes a job id", async () => {
    const { claims } = await setUpSandbox();
    const none = await claims(["diligence", "status", "--last", "--json"]);
    expect(errorOf(none)).toMatchObject({
      exitCode: 3,
      code: "no_last_job",
      hint: expect.stringContaining("history"),
    });
    const both = await claims(["diligence", "wait", "x", "--last", "--json"]);
    expect(errorOf(both)).toMatchObject({ exitCode: 2, hint: expect.stringContaining("--last") });
    for (const verb of ["status", "dataset"]) {
      const neither = await claims(["diligence", verb, "--json"]);
      expect(errorOf(neither)).toMatchObject({ exitCode: 2, hint: expect.stringContaining("--last") });
    }
  });
});
