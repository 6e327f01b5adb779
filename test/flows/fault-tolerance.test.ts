import { execFile, spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import {
  BIN,
  bareEnvironment,
  errorOf,
  fixture,
  ROOT,
  runCli,
  startCli,
  temporaryFolder,
} from "../support/cli.ts";
import { listenOnLoopback } from "../support/listen.ts";
import {
  environmentOf,
  oauthEnvironmentOf,
  sandboxForTest,
  spawnSandboxUp,
  submitArgs,
} from "../support/sandbox.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";

const run = promisify(execFile);

const STATUS = ["diligence", "status", "7d9c", "--json"];
const SUBMIT = submitArgs(fixture("scenario_partial.csv"), "--json");

/** A listener that does with each connection as it likes; no HTTP. */
async function rawListener(onConnection: Parameters<typeof createServer>[1]) {
  const server = createServer(onConnection);
  const url = `http://${await listenOnLoopback(server)}`;
  return { ...bareEnvironment(), CLAIMS_BASE_URL: url, CLAIMS_API_KEY: "sk_of_another_service" };
}

describe("a service that goes away", () => {
  it("stops while the command waits for a job: exit 6 with the job id and a hint", async () => {
    const up = await spawnSandboxUp(bareEnvironment(), "--job-speed", "real");
    const env = environmentOf(up.ready);
    const waiting = startCli([...SUBMIT, "--wait", "--timeout", "3s"], { env });
    const [, id = ""] = await waiting.waitForOutput(/^job (\S+)$/m, "stderr");
    up.child.kill("SIGKILL");
    const result = await waiting.completion;
    expect(result).toMatchObject({ code: 6, stdout: "" });
    expect(errorOf(result).hint).toContain(`claims diligence wait ${id}`);
  });

  it("never responds: a request ends after --timeout, and so does a wait", async () => {
    const env = await rawListener(() => {});
    const status = await runCli([...STATUS, "--timeout", "300ms"], { env });
    expect(errorOf(status)).toMatchObject({ exitCode: 6, code: "unreachable" });
    const wait = await runCli(["diligence", "wait", "7d9c", "--timeout", "300ms", "--json"], { env });
    expect(errorOf(wait)).toMatchObject({ exitCode: 6, code: "unreachable" });
  });

  it("stops in the middle of a response", async () => {
    const { env } = await startScriptedService((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" }).write("{");
    });
    const result = await runCli([...STATUS, "--timeout", "300ms"], { env });
    expect(result).toMatchObject({ code: 6, stdout: "" });
    expect(errorOf(result).message).toContain("stopped after 1 bytes");
  });

  it("has a name that does not resolve", async () => {
    const env = {
      ...bareEnvironment(),
      CLAIMS_BASE_URL: "https://partner.invalid",
      CLAIMS_API_KEY: "k_nowhere",
    };
    const read = await runCli(STATUS, { env });
    expect(errorOf(read)).toMatchObject({ exitCode: 6, code: "unreachable" });
    expect(errorOf(read).message).toContain("cannot be resolved");
    // A write that never left is no write of unknown outcome.
    expect(errorOf(await runCli([...SUBMIT, "--yes"], { env }))).toMatchObject({ code: "unreachable" });
  });
});

describe("a connection that is reset", () => {
  it("before the request was read: a read is retried, a write is not", async () => {
    let connections = 0;
    const env = await rawListener((socket) => {
      connections += 1;
      socket.resetAndDestroy();
    });
    expect(errorOf(await runCli(STATUS, { env })).code).toBe("unreachable");
    expect(connections).toBeGreaterThan(1);
    connections = 0;
    // Whether the reset comes before the first byte has left is the kernel's affair.
    expect(["unreachable", "outcome_unknown"]).toContain(errorOf(await runCli(SUBMIT, { env })).code);
    expect(connections).toBe(1);
  });

  it("after the request was read: the outcome of a write is unknown, and a hint says how to find out", async () => {
    const { env, requests } = await startScriptedService((request) => request.socket.resetAndDestroy());
    const result = await runCli(SUBMIT, { env });
    expect(errorOf(result)).toMatchObject({ code: "outcome_unknown", exitCode: 6 });
    expect(requests).toHaveLength(1);
  });
});

describe("a service that is unavailable", () => {
  const soon = () => new Date(Date.now() + 1_000).toUTCString();
  // The server's clock is a day ahead: only what it says of itself makes sense of its date.
  const tomorrow = (ms: number) => new Date(Date.now() + 86_400_000 + ms).toUTCString();

  it.each<[string, number, () => Record<string, string>]>([
    ["429 with seconds", 429, () => ({ "retry-after": "1" })],
    ["429 with a date", 429, () => ({ "retry-after": soon() })],
    ["503 with seconds", 503, () => ({ "retry-after": "1" })],
    ["503 with a date", 503, () => ({ "retry-after": soon() })],
    [
      "a date by a clock that is not ours",
      429,
      () => ({ date: tomorrow(0), "retry-after": tomorrow(1_000) }),
    ],
    ["neither", 429, () => ({})],
  ])("%s: a read is retried", async (_, status, headers) => {
    const { env, requests } = await startScriptedService((_request, response, count) =>
      count === 1
        ? sendJson(response, status, {}, headers())
        : sendJson(response, 200, { state: "completed" }),
    );
    expect((await runCli(STATUS, { env })).code).toBe(0);
    expect(requests).toHaveLength(2);
  });

  it("503 to a write: it may have been carried out, so it is not retried", async () => {
    const { env, requests } = await startScriptedService((_, response) =>
      sendJson(response, 503, {}, { "retry-after": "0" }),
    );
    expect(errorOf(await runCli(SUBMIT, { env }))).toMatchObject({ code: "outcome_unknown", exitCode: 6 });
    expect(requests).toHaveLength(1);
  });
});

describe("an invalid response", () => {
  it.each<[string, Script]>([
    [
      "bytes",
      (_, r) => r.writeHead(200, { "content-type": "application/json" }).end(Buffer.from([0, 255, 254, 10])),
    ],
    ["another protocol", (request) => void request.socket.end("SSH-2.0-OpenSSH_9.2\r\n")],
    ["JSON that is no object", (_, r) => sendJson(r, 200, null)],
    ["nothing", (_, r) => r.writeHead(204).end()],
  ])("%s: is reported by every command", async (name, script) => {
    const { env } = await startScriptedService(script);
    for (const verb of ["status", "report", "dataset"]) {
      const result = await runCli(["diligence", verb, "7d9c", "--json"], { env });
      expect([0, 5, 6], `${verb}: ${name}: ${result.stderr}`).toContain(result.code);
    }
    const submitted = await runCli(SUBMIT, { env });
    expect([5, 6], submitted.stderr).toContain(submitted.code);
  });
});

describe("a refusal of ten megabytes", () => {
  it("is reported in one readable line", async () => {
    const { env } = await startScriptedService((_, r) =>
      sendJson(r, 400, { detail: "x".repeat(10_000_000) }),
    );
    const result = await runCli(["diligence", "status", "7d9c", "--json"], { env });
    expect(errorOf(result).message).toMatch(/^x{1000}… /);
    expect(result.stderr.length).toBeLessThan(2_000);
  });
});

describe("a service that repeats the key in its request id", () => {
  it("keeps it out of the log", async () => {
    const { env } = await startScriptedService((request, r) =>
      sendJson(r, 200, { state: "done" }, { "x-request-id": `for ${request.headers.authorization}` }),
    );
    const { stderr } = await runCli(["diligence", "status", "7d9c", "--verbose"], { env });
    expect(stderr).toContain("→ 200 [redacted]");
  });
});

describe("a stale state file of a sandbox", () => {
  it.each([
    "{}",
    "[]",
    '{"name":"default","pid":1}',
    '{"name":"default","pid":1,"url":"x","credentials":{}}',
  ])("%s: is reported as corrupted, not as a bug", async (text) => {
    const home = temporaryFolder();
    const env = { ...bareEnvironment(home), CLAIMS_API_KEY: "sk_of_another_service" };
    const folder = join(home, "config", "state");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "sandbox-default.json"), text);
    for (const more of [[], ["--base-url", "https://far.example"]]) {
      const result = await runCli(["diligence", "status", "7d9c", "--json", ...more], { env });
      expect(errorOf(result)).toMatchObject({ code: "sandbox_state_invalid", exitCode: 2 });
    }
  });
});

describe("the file of --out", () => {
  const answer = '{"state":"completed"}';
  const out = async (...path: string[]) => {
    const { env } = await startScriptedService((_, r) => sendJson(r, 200, { state: "completed" }));
    return runCli(["diligence", "status", "7d9c", "--out", join(...path)], { env });
  };

  it("keeps a link and its permissions", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "real.json"), "before", { mode: 0o600 });
    symlinkSync("real.json", join(folder, "link.json"));
    expect((await out(folder, "link.json")).code).toBe(0);
    expect(lstatSync(join(folder, "link.json")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, "real.json"), "utf8").trim()).toBe(answer);
    expect(statSync(join(folder, "real.json")).mode & 0o777).toBe(0o600);
  });

  it("is written in place when it is not a regular file, because a rename would replace /dev/null", async () => {
    const folder = temporaryFolder();
    const pipe = join(folder, "pipe");
    spawnSync("mkfifo", [pipe]);
    const [{ stdout }, result] = await Promise.all([run("cat", [pipe]), out(pipe)]);
    expect(result.code, result.stderr).toBe(0);
    expect(stdout.trim()).toBe(answer);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect(readdirSync(folder)).toEqual(["pipe"]);
  });
});

describe("a pipe in place of a settings file", () => {
  /** A user whose file of this name, in the configuration folder, is a FIFO without a writer. */
  async function withPipe(name: string, env: Record<string, string>) {
    const path = join(env.CLAIMS_CONFIG_DIR ?? "", name);
    mkdirSync(dirname(path), { recursive: true });
    spawnSync("mkfifo", [path]);
    return { path, claims: (...args: string[]) => runCli(args, { env }) };
  }

  it.each([
    ["state/writes.jsonl", "write_log_unreadable", SUBMIT],
    ["config.json", "config_invalid", ["profiles", "list", "--json"]],
    ["config.json", "config_invalid", ["profiles", "set", "p", "--base-url", "http://127.0.0.1:1", "--json"]],
    ["state/sandbox-default.json", "sandbox_state_invalid", ["sandbox", "status", "--json"]],
  ])("is not read as %s: %s", async (name, code, args) => {
    const { path, claims } = await withPipe(name, environmentOf(await sandboxForTest()));
    const error = errorOf(await claims(...args));
    expect(error).toMatchObject({ code, exitCode: 2 });
    expect(error.message).toContain(path);
    expect(error.message).toContain("it is a pipe or a device, not a file");
  });

  it("does not wait for a pipe as the batch log", async () => {
    const { path, claims } = await withPipe("batch-log", environmentOf(await sandboxForTest()));
    const batch = ["diligence", "batch", join(ROOT, "fixtures"), "--seller-name", "Acme", "--json"];
    const result = await claims(...batch, "--batch-log", path);
    expect(errorOf(result)).toMatchObject({ code: "write_log_unreadable", exitCode: 2 });
  });

  it("prevents caching of tokens, but not the command", async () => {
    const { claims } = await withPipe("state/tokens.json", oauthEnvironmentOf(await sandboxForTest()));
    const result = await claims("api", "GET", "/v1/docs/openapi");
    expect(result.code, result.stderr).toBe(0);
    expect(result.stderr).toContain("cannot cache the access token: it is a pipe or a device, not a file");
  });
});

describe("a full disk", () => {
  const canMount = spawnSync("unshare", ["-rm", "true"]).status === 0;

  it.skipIf(!canMount)(
    "leaves nothing half-written of --out, and the file that was there as it was",
    async () => {
      const { env } = await startScriptedService((_, response) =>
        sendJson(response, 200, { text: "x".repeat(300_000) }),
      );
      const folder = join(temporaryFolder(), "small");
      mkdirSync(folder);
      const script = `mount -t tmpfs -o size=64k none ${folder} && cd ${folder} && echo before > answer.json
      '${process.execPath}' '${BIN}' diligence status 7d9c --out answer.json; echo "exit $?"; ls -A; cat answer.json`;
      const { stdout, stderr } = await run("unshare", ["-rm", "bash", "-c", script], { env });
      expect(stderr).toContain("the disk is full; nothing was left behind");
      expect(stdout).toBe("exit 2\nanswer.json\nbefore\n");
    },
  );

  const hasFull = readdirSync("/dev").includes("full");

  it.skipIf(!hasFull).each(["api GET /v1/docs/openapi", "--version"])(
    "is stdout: reports incomplete output with its exit code: %s",
    async (words) => {
      const env = environmentOf(await sandboxForTest());
      const line = `'${process.execPath}' '${BIN}' ${words} > /dev/full`;
      const { code, stderr } = await run("bash", ["-c", line], { env }).catch((error) => error);
      expect(stderr).toMatch(/^error: cannot write to stdout: the disk is full\n/);
      expect(code).toBe(2);
    },
  );

  it.skipIf(!hasFull)(
    "is stderr: a message that is lost does not lose the job, nor the exit code",
    async () => {
      const env = environmentOf(await sandboxForTest());
      const deaf = (words: readonly string[]) =>
        run("bash", ["-c", `'${process.execPath}' '${BIN}' "$@" 2> /dev/full`, "bash", ...words], { env });
      const { stdout } = await deaf([...SUBMIT, "--wait"]).catch((error) => error);
      expect(JSON.parse(stdout)).toHaveProperty("jobId");
      await expect(deaf(["profiles", "use", "nobody"])).rejects.toMatchObject({ code: 3 });
    },
  );
});
