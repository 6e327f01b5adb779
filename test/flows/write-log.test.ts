import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type CliOptions,
  errorOf,
  fixture,
  runCli,
  spawnCli,
  startCli,
  temporaryFolder,
} from "../support/cli.ts";
import { identityOf, TEST_PROCESS } from "../support/processes.ts";
import { environmentOf, SELLER, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";

const FILE = fixture("scenario_partial.csv");
const ENTRIES = fixture("sample_entries.csv");

const writeLogPath = ({ CLAIMS_CONFIG_DIR = "" }: Record<string, string | undefined>) =>
  join(CLAIMS_CONFIG_DIR, "state", "writes.jsonl");

const recordsIn = (env: Record<string, string>) =>
  readFileSync(writeLogPath(env), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** A person with an environment, and what they type. */
function at(env: Record<string, string>) {
  const claims = (args: readonly string[], more: CliOptions = {}) => runCli(args, { env, ...more });
  const history = async (...more: string[]) =>
    JSON.parse((await claims(["diligence", "history", "--json", ...more])).stdout) as Record<
      string,
      unknown
    >[];
  const submit = (file: string, ...more: string[]) => claims(submitArgs(file, "--json", ...more));
  return { claims, history, submit };
}

async function withSandbox() {
  const sandbox = await sandboxForTest();
  const env = environmentOf(sandbox);
  return { sandbox, env, ...at(env) };
}

async function withScript(script: Script) {
  const service = await startScriptedService(script);
  return {
    ...service,
    ...at(service.env),
    keys: () => service.requests.map(({ headers }) => headers["idempotency-key"]),
  };
}

/** Verbatim, as the service calls it. */
const SUCCESS = expect.stringMatching(/^(complete|succe|done)/);

describe("the write log", () => {
  it("keeps each submission with its key, in a file of mode 0600", async () => {
    const { env, history, submit } = await withSandbox();
    const { jobId } = JSON.parse((await submit(FILE)).stdout);
    expect(statSync(writeLogPath(env)).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(writeLogPath(env))).mode & 0o777).toBe(0o700);
    expect(recordsIn(env)).toMatchObject([
      { type: "intent", operation: "diligence.submit", file: FILE, seller: SELLER, environment: "sandbox" },
      { type: "accepted", jobId, status: 202 },
    ]);
    expect(await history()).toMatchObject([
      { jobId, state: "accepted", key: expect.stringMatching(/^[\w-]{36}$/) },
    ]);
    expect(readFileSync(writeLogPath(env), "utf8")).not.toContain(env.CLAIMS_API_KEY);
  });

  it("contains a write before it is sent", async () => {
    const { env, url, requests } = await withScript(() => {});
    const { child, completion } = spawnCli(submitArgs(FILE), { env });
    await expect.poll(() => requests.length).toBe(1);
    const [intent] = recordsIn(env);
    expect(intent).toMatchObject({
      type: "intent",
      baseUrl: url,
      key: requests[0]?.headers["idempotency-key"],
    });
    const during = await at(env).history();
    expect(during).toMatchObject([{ state: `in flight (pid ${child.pid})` }]);
    child.kill("SIGKILL");
    await completion;
    expect(await at(env).history("--unknown")).toMatchObject([{ state: "unknown", key: intent?.key }]);
  });

  it.runIf(process.platform === "linux").each([
    ["the machine was started", { startTime: "00000000.1" }],
    ["another process got its number", { startTime: TEST_PROCESS.startTime }],
    ["the first versions, which noted a number only", { startTime: undefined, pidNamespace: undefined }],
  ])("shows no write as in flight since %s", async (_, noted) => {
    const { env, requests, submit, history } = await withScript((request, response, count) =>
      count === 1 ? void request.socket.destroy() : sendJson(response, 202, { jobId: "j-1" }),
    );
    await submit(FILE);
    const [intent] = recordsIn(env);
    const stranger = spawn("sleep", ["60"]);
    onTestFinished(() => void stranger.kill());
    const sender = identityOf(stranger.pid ?? 0);
    const left = { ...intent, ...sender, ...noted };
    writeFileSync(writeLogPath(env), `${JSON.stringify(left)}\n`);
    expect(await history()).toMatchObject([{ state: "unknown" }]);
    expect((await submit(FILE)).stderr).toContain("sending it again with key");
    expect(requests[1]?.headers["idempotency-key"]).toBe(intent?.key);

    const fresh = { ...left, ...sender, key: "another" };
    appendFileSync(writeLogPath(env), `${JSON.stringify(fresh)}\n`);
    expect((await history())[0]).toMatchObject({ state: `in flight (pid ${stranger.pid})` });
  });

  it("logs later states of its own jobs only", async () => {
    const { env, claims, history, submit } = await withSandbox();
    const { jobId } = JSON.parse((await submit(FILE)).stdout);
    await claims(["diligence", "wait", jobId]);
    await claims(["diligence", "status", jobId]);
    expect(await history()).toMatchObject([{ jobId, state: "partial" }]);
    await claims(["diligence", "resume", jobId, "--wait"]);
    expect(await history()).toMatchObject([
      { operation: "diligence.resume", jobId, state: SUCCESS },
      { operation: "diligence.submit", jobId, state: SUCCESS },
    ]);
    const states = recordsIn(env).flatMap(({ state }) => state ?? []);
    expect(states).toEqual(["partial", SUCCESS]);

    const other = environmentOf(await sandboxForTest({ seed: 7 }));
    const elsewhere = { ...other, CLAIMS_CONFIG_DIR: env.CLAIMS_CONFIG_DIR ?? "" };
    const { stdout } = await runCli(submitArgs(FILE, "--json"), { env: other });
    await runCli(["diligence", "status", JSON.parse(stdout).jobId], { env: elsewhere });
    expect(recordsIn(env).flatMap(({ state }) => state ?? [])).toHaveLength(2);
  });

  it("distinguishes refused writes from writes that were never sent", async () => {
    const { env, claims, history, submit } = await withSandbox();
    expect((await submit(FILE, "--seller-name", "x".repeat(1000))).code).toBe(5);
    expect(
      (await claims(submitArgs(FILE), { env: { ...env, CLAIMS_BASE_URL: "http://127.0.0.1:9" } })).code,
    ).toBe(6);
    expect(await history()).toMatchObject([
      { state: "not sent", code: "unreachable" },
      { state: "refused", status: 422 },
    ]);
  });

  it("contains nothing from a temporary sandbox", async () => {
    const { claims, history } = await withSandbox();
    expect((await claims([...submitArgs(ENTRIES), "--sandbox"])).code).toBe(0);
    expect(await history()).toEqual([]);
  });

  it("prevents a write that it cannot log", async () => {
    const { env, requests, submit, claims } = await withScript((_, response) =>
      sendJson(response, 202, { id: "j" }),
    );
    mkdirSync(writeLogPath(env), { recursive: true });
    const result = await submit(FILE);
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(errorOf(result)).toMatchObject({
      code: expect.stringMatching(/^write_log_/),
      message: expect.stringContaining(writeLogPath(env)),
    });
    expect((await claims(["api", "POST", "/v1/anything"])).code).toBe(2);
    expect(requests).toHaveLength(0);
  });

  it("skips an incomplete last line and starts a new one", async () => {
    const { env, history, submit } = await withSandbox();
    await submit(FILE);
    appendFileSync(writeLogPath(env), '{"type":"intent","at":"2026-');
    expect(await history()).toHaveLength(1);
    const again = await submit(ENTRIES);
    expect(again.stderr).not.toContain("warning");
    const later = await runCli(["diligence", "history", "--json"], { env });
    expect(JSON.parse(later.stdout)).toHaveLength(2);
    expect(later.stderr).toBe("");
  });

  it("warns once about an invalid line and keeps it", async () => {
    const { env, claims, history, submit } = await withSandbox();
    await submit(FILE);
    appendFileSync(writeLogPath(env), "something else\n");
    await submit(ENTRIES);
    const { stderr } = await claims(["diligence", "history"]);
    expect(stderr.match(/warning: .*writes\.jsonl: line 3 cannot be read/g)).toHaveLength(1);
    expect(await history()).toHaveLength(2);
    expect(readFileSync(writeLogPath(env), "utf8")).toContain("something else\n");
  });

  it("lists ten thousand submissions", async () => {
    const { env, history } = await withSandbox();
    mkdirSync(dirname(writeLogPath(env)), { recursive: true });
    const lines = Array.from({ length: 10_000 }, (_, n) => {
      const intent = {
        type: "intent",
        at: "2026-11-20T00:00:00.000Z",
        key: `k${n}`,
        operation: "diligence.submit",
      };
      const where = {
        baseUrl: "http://x",
        environment: "sandbox",
        content: `c${n}`,
        seller: "s",
        file: "f",
        bytes: 1,
        pid: 1,
      };
      return `${JSON.stringify({ ...intent, ...where })}\n${JSON.stringify({ type: "accepted", at: intent.at, key: intent.key, jobId: `j${n}`, status: 202 })}\n`;
    });
    writeFileSync(writeLogPath(env), lines.join(""));
    const all = await history("--all");
    expect(all).toHaveLength(10_000);
    expect(all[0]).toMatchObject({ jobId: "j9999", state: "accepted" });
    expect(await history()).toHaveLength(20);
    expect(await history("--limit", "3")).toHaveLength(3);
  });
});

describe("idempotency keys", () => {
  it("are reused for a write with an unknown outcome", async () => {
    const { keys, history, submit } = await withScript((request, response, count) =>
      count === 1 ? void request.socket.destroy() : sendJson(response, 202, { jobId: "j-7" }),
    );
    const lost = await submit(FILE);
    expect(errorOf(lost)).toMatchObject({
      code: "outcome_unknown",
      exitCode: 6,
      hint: expect.stringContaining("history --unknown"),
    });
    expect(await history("--unknown")).toHaveLength(1);
    const again = await submit(FILE);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain(`unknown; sending it again with key ${keys()[0]}`);
    expect(keys()[1]).toBe(keys()[0]);
    expect(await history()).toMatchObject([{ jobId: "j-7", state: "accepted" }]);
    expect(await history("--unknown")).toEqual([]);

    const third = await submit(FILE);
    expect(third.stderr).toContain("was already accepted at");
    expect(third.stderr).toContain("as job j-7");
    expect(keys()[2]).not.toBe(keys()[0]);
  });

  it("are reused after a repeat was refused before its execution", async () => {
    const answers = [0, 401, 429, 202];
    const { submit, history, keys } = await withScript((request, response, count) => {
      const status = answers[count - 1] ?? 202;
      if (status === 0) return void request.socket.destroy();
      sendJson(response, status, { jobId: "j-1" }, { "retry-after": "3600" });
    });
    for (const exit of [6, 4, 6]) {
      expect((await submit(FILE)).code).toBe(exit);
      expect(await history("--unknown")).toHaveLength(1);
    }
    expect((await submit(FILE)).code).toBe(0);
    expect(new Set(keys()).size).toBe(1);
    expect(await history()).toMatchObject([{ state: "accepted", jobId: "j-1" }]);
  });

  it("differ for another file, seller, flag or service", async () => {
    const { env, keys, submit, url } = await withScript((request) => void request.socket.destroy());
    await submit(FILE);
    await submit(ENTRIES);
    await submit(FILE, "--protest-docs");
    await submit(FILE, "--seller-name", "Other");
    await runCli(submitArgs(FILE), {
      env: { ...env, CLAIMS_BASE_URL: url.replace("127.0.0.1", "localhost") },
    });
    await runCli(submitArgs(FILE, "--yes"), { env: { ...env, CLAIMS_ENVIRONMENT: "production" } });
    expect(new Set(keys()).size).toBe(6);
  });

  it("come from --idempotency-key if it is given", async () => {
    const { keys, claims, submit } = await withScript((_, response) => sendJson(response, 202, { id: "j" }));
    await submit(FILE, "--idempotency-key", "invoice-7");
    await claims(["diligence", "resume", "j", "--idempotency-key", "again-1"]);
    expect(keys()).toEqual(["invoice-7", "again-1"]);
    const bad = await submit(FILE, "--idempotency-key", "two words");
    expect(errorOf(bad)).toMatchObject({ code: "invalid_idempotency_key", exitCode: 2 });
    expect(keys()).toHaveLength(2);
  });

  it("distinguish two writes in flight with one key", async () => {
    const held: (() => void)[] = [];
    const { env, history, submit, requests } = await withScript((_, response, count) => {
      if (count === 1) held.push(() => sendJson(response, 202, { jobId: "j-1" }));
      else sendJson(response, 422, { detail: "the key is taken" });
    });
    const first = startCli(submitArgs(FILE, "--idempotency-key", "k"), { env });
    await expect.poll(() => requests.length).toBe(1);
    expect((await submit(ENTRIES, "--idempotency-key", "k")).code).toBe(5);
    for (const answer of held) answer();
    expect((await first.completion).code).toBe(0);
    expect(await history()).toMatchObject([
      { file: ENTRIES, state: "refused", jobId: null },
      { file: FILE, state: "accepted", jobId: "j-1" },
    ]);
  });

  it("are logged for a resume and a raw write", async () => {
    const { keys, history, claims } = await withScript((request) => void request.socket.destroy());
    await claims(["diligence", "resume", "j"]);
    await claims(["diligence", "resume", "j"]);
    await claims(["api", "POST", "/v1/clients", "--input", "-"], { input: "{}" });
    await claims(["api", "POST", "/v1/clients", "--input", "-"], { input: "{}" });
    await claims(["api", "POST", "/v1/clients", "--input", "-"], { input: "[]" });
    const [resume, resumed, post, posted, other] = keys();
    expect(resumed).toBe(resume);
    expect(posted).toBe(post);
    expect(new Set([resume, post, other]).size).toBe(3);
    expect((await history("--unknown")).map(({ operation }) => operation)).toEqual([
      "POST /v1/clients",
      "POST /v1/clients",
      "diligence.resume",
    ]);
  });

  it("belong to one run of a sandbox, also on the same port", async () => {
    const folder = temporaryFolder();
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: folder,
      TMPDIR: folder,
      CLAIMS_CONFIG_DIR: join(folder, "config"),
    };
    const up = async (port: string) => {
      const { stop, completion, waitForOutput } = startCli(["sandbox", "up", "--port", port, "--json"], {
        env,
      });
      const [line = ""] = await waitForOutput(/^\{.*\}$/m);
      return {
        url: JSON.parse(line).url as string,
        stop: () => {
          stop("SIGTERM");
          return completion;
        },
      };
    };
    const first = await up("0");
    await at(env).submit(FILE);
    expect((await at(env).submit(FILE)).stderr).toContain("was already accepted");
    await first.stop();
    const second = await up(new URL(first.url).port);
    expect(second.url).toBe(first.url);
    expect((await at(env).submit(FILE)).stderr).not.toContain("warning");
    await second.stop();
  });
});

describe("a response without a job id", () => {
  it("is printed, saved and logged as accepted", async () => {
    const { env, history, submit } = await withScript((_, response) =>
      sendJson(response, 202, { data: { ref: "r-9" } }),
    );
    const result = await submit(FILE);
    expect(result).toMatchObject({ code: 5, stdout: '{"data":{"ref":"r-9"}}\n' });
    const { message, hint } = errorOf(result);
    expect(hint).toContain("--job-id-path");
    const path = /saved as (\S+)/.exec(message)?.[1] ?? "";
    expect(dirname(path)).toBe(dirname(writeLogPath(env)));
    expect(readFileSync(path, "utf8")).toBe('{"data":{"ref":"r-9"}}');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await history()).toMatchObject([{ state: "accepted, no id", jobId: null }]);
  });
});

describe("--last", () => {
  it("names the last job submitted to this service", async () => {
    const { env, claims, submit } = await withSandbox();
    const elsewhere = environmentOf(await sandboxForTest({ seed: 7 }));
    await submit(FILE);
    const { jobId } = JSON.parse((await submit(ENTRIES)).stdout);
    await runCli(submitArgs(FILE), { env: { ...elsewhere, CLAIMS_CONFIG_DIR: env.CLAIMS_CONFIG_DIR ?? "" } });
    for (const verb of ["status", "wait", "report"]) {
      const { stdout } = await claims(["diligence", verb, "--last", "--json"]);
      expect(JSON.parse(stdout).jobId).toBe(jobId);
    }
    expect((await claims(["diligence", "dataset", "--last", "--ndjson"])).code).toBe(0);
    const folder = join(temporaryFolder(), "pulled");
    expect((await claims(["diligence", "pull", "--last", "-d", folder, "-q"])).stdout).toBe(`${jobId}\n`);
    expect((await claims(["diligence", "status", "--last", "--csv"])).stdout).toContain(jobId);
    await submit(FILE, "--wait");
    expect((await claims(["diligence", "resume", "--last", "--wait"])).code).toBe(0);
  });

  it("explains how to find ids, and excludes other ways to name a job", async () => {
    const { claims } = await withSandbox();
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

describe("history", () => {
  it("prints every list format", async () => {
    const { claims, submit } = await withSandbox();
    const first = JSON.parse((await submit(FILE)).stdout).jobId;
    const second = JSON.parse((await submit(ENTRIES)).stdout).jobId;
    const history = async (...more: string[]) => (await claims(["diligence", "history", ...more])).stdout;
    expect(await history("-q")).toBe(`${second}\n${first}\n`);
    const rows = (await history())
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(rows.map(([, job, state, file, seller]) => [job, state, file, seller])).toEqual([
      [second, "accepted", ENTRIES, SELLER],
      [first, "accepted", FILE, SELLER],
    ]);
    const csv = (await history("--csv")).trimEnd().split("\r\n");
    expect(csv[0]).toBe("at,jobId,state,file,seller,key,operation,bytes,code,environment,baseUrl");
    expect(
      (await history("--ndjson"))
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).jobId),
    ).toEqual([second, first]);
    expect(await history("--fields", "jobId,bytes")).toContain(`${second}\t`);
    const piped = await claims(["diligence", "status", "-", "--ndjson"], { input: await history("-q") });
    expect(piped.stdout.trimEnd().split("\n")).toHaveLength(2);
    expect(await history("--operation", "diligence.resume")).toBe("");
  });
});
