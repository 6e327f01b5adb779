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
  bareEnvironment,
  errorOf,
  fixture,
  runCli,
  SHELL_COMMAND,
  spawnCli,
  temporaryFolder,
  useFastClock,
} from "../support/cli.ts";
import { itEachFirst } from "../support/large.ts";
import { listenOnLoopback } from "../support/listen.ts";
import { environmentOf, oauthEnvironmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

useFastClock();

const run = promisify(execFile);

const STATUS = ["diligence", "status", "7d9c", "--json"];
const SUBMIT = submitArgs(fixture("scenario_partial.csv"), "--json");

/** Starts a TCP server that does not speak HTTP, and returns the environment of a command that uses it. */
async function startRawListener(onConnection: Parameters<typeof createServer>[1]) {
  const server = createServer(onConnection);
  const url = `http://${await listenOnLoopback(server)}`;
  return { ...bareEnvironment(), CLAIMS_BASE_URL: url, CLAIMS_API_KEY: "sk_of_another_service" };
}

describe("a command whose service fails", () => {
  it("names a proxy that sends 100 Continue without being asked, and what helps", async () => {
    const contract = readFileSync(fixture("openapi.json"));
    const keys: string[] = [];
    let isHarmful = true;
    const env = await startRawListener((socket) => {
      let request = "";
      const respond = (status: number, body: string | Uint8Array) => {
        socket.write(`HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\n`);
        socket.write(`content-length: ${body.length}\r\n\r\n`);
        socket.write(body);
      };
      socket.on("error", () => {}).setEncoding("latin1");
      socket.on("data", (text) => {
        request += text;
        const isWhole = request.startsWith("GET") ? request.endsWith("\r\n\r\n") : /--\r\n$/.test(request);
        if (!isWhole) return;
        const head = request.slice(0, request.indexOf("\r\n\r\n"));
        request = "";
        if (head.includes("/v1/docs/openapi")) return respond(200, contract);
        if (head.startsWith("POST")) keys.push(/^idempotency-key: (.*)$/im.exec(head)?.[1]?.trim() ?? "");
        if (isHarmful) socket.write("HTTP/1.1 100 Continue\r\n\r\n");
        respond(head.startsWith("POST") ? 202 : 200, '{"jobId":"j-1","state":"queued"}');
      });
    });
    const write = await runCli(SUBMIT, { env });
    expect([write.code, errorOf(write).code]).toEqual([6, "outcome_unknown"]);
    expect(errorOf(write).message).toContain('a proxy in between, or the service, sent "100 Continue"');
    expect(errorOf(write).hint).toContain("it uses the same key");
    const read = await runCli(STATUS, { env });
    expect(read.code).toBe(6);
    expect(errorOf(read).message).toContain('sent "100 Continue"');
    expect(errorOf(read).hint).toContain("the operator of the proxy");

    isHarmful = false;
    expect((await runCli(SUBMIT, { env })).code).toBe(0);
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
  });

  it("exits 6 if the host name does not resolve, also for a write", async () => {
    const env = {
      ...bareEnvironment(),
      CLAIMS_BASE_URL: "https://partner.invalid",
      CLAIMS_API_KEY: "k_nowhere",
    };
    const read = await runCli(STATUS, { env });
    expect(errorOf(read)).toMatchObject({ exitCode: 6, code: "unreachable" });
    expect(errorOf(read).message).toContain("cannot be resolved");
    // The outcome of a write that was not sent is known.
    expect(errorOf(await runCli([...SUBMIT, "--yes"], { env }))).toMatchObject({ code: "unreachable" });
  });
});

it("a refusal of a megabyte is shortened to one line", async () => {
  const { env } = await startScriptedService((_, r) => sendJson(r, 400, { detail: "x".repeat(1_000_000) }));
  const result = await runCli(["diligence", "status", "7d9c", "--json"], { env });
  expect(errorOf(result).message).toMatch(/^x{1000}… /);
  expect(result.stderr.length).toBeLessThan(2_000);
});

it.each(["[]", '{"name":"default","pid":1,"url":"x","credentials":{}}'])(
  "an invalid locator file of a sandbox exits 2 with sandbox_state_invalid: %s",
  async (text) => {
    const home = temporaryFolder();
    const env = { ...bareEnvironment(home), CLAIMS_API_KEY: "sk_of_another_service" };
    const folder = join(home, "config", "state");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "sandbox-default.json"), text);
    for (const flags of [[], ["--base-url", "https://far.example"]]) {
      const result = await runCli(["diligence", "status", "7d9c", "--json", ...flags], { env });
      expect(errorOf(result)).toMatchObject({ code: "sandbox_state_invalid", exitCode: 2 });
    }
  },
);

describe("the file of --out", () => {
  const RESPONSE = '{"state":"completed"}';
  const writeOut = async (...path: string[]) => {
    const { env } = await startScriptedService((_, r) => sendJson(r, 200, { state: "completed" }));
    return runCli(["diligence", "status", "7d9c", "--out", join(...path)], { env });
  };

  it("keeps a symbolic link and the permissions of its target", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "real.json"), "before", { mode: 0o600 });
    symlinkSync("real.json", join(folder, "link.json"));
    expect((await writeOut(folder, "link.json")).code).toBe(0);
    expect(lstatSync(join(folder, "link.json")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, "real.json"), "utf8").trim()).toBe(RESPONSE);
    expect(statSync(join(folder, "real.json")).mode & 0o777).toBe(0o600);
  });

  it("is written in place if it is not a regular file", async () => {
    const folder = temporaryFolder();
    const pipe = join(folder, "pipe");
    spawnSync("mkfifo", [pipe]);
    const [{ stdout }, result] = await Promise.all([run("cat", [pipe]), writeOut(pipe)]);
    expect(result.code, result.stderr).toBe(0);
    expect(stdout.trim()).toBe(RESPONSE);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect(readdirSync(folder)).toEqual(["pipe"]);
  });
});

describe("a named pipe in place of a state file", () => {
  /** Creates a FIFO without a writer in the configuration folder. */
  async function withPipe(name: string, env: Record<string, string>) {
    const path = join(env.CLAIMS_CONFIG_DIR ?? "", name);
    mkdirSync(dirname(path), { recursive: true });
    spawnSync("mkfifo", [path]);
    return { path, claims: (...args: string[]) => runCli(args, { env }) };
  }

  it.each([
    ["state/writes.jsonl", "write_log_unreadable", SUBMIT, 6],
    ["config.json", "config_invalid", ["profiles", "list", "--json"]],
    ["config.json", "config_invalid", ["profiles", "set", "p", "--base-url", "http://127.0.0.1:1", "--json"]],
    ["state/sandbox-default.json", "sandbox_state_invalid", ["sandbox", "status", "--json"]],
  ] as const)("is refused as %s with %s", async (name, code, args, exitCode: number = 2) => {
    const { path, claims } = await withPipe(name, environmentOf(await sandboxForTest()));
    const error = errorOf(await claims(...args));
    expect(error).toMatchObject({ code, exitCode });
    expect(error.message).toContain(path);
    expect(error.message).toContain("it is a pipe or a device, not a file");
  });

  it("disables the token cache with a warning", async () => {
    const { claims } = await withPipe("state/tokens.json", oauthEnvironmentOf(await sandboxForTest()));
    const result = await claims("api", "GET", "/v1/docs/openapi");
    expect(result.code, result.stderr).toBe(0);
    expect(result.stderr).toContain("cannot cache the access token: it is a pipe or a device, not a file");
  });
});

describe("a full disk", () => {
  const canMount = spawnSync("unshare", ["-rm", "true"]).status === 0;

  it.skipIf(!canMount)("leaves the existing file of --out unchanged", { tags: "large" }, async () => {
    const { env } = await startScriptedService((_, response) =>
      sendJson(response, 200, { text: "x".repeat(300_000) }),
    );
    const folder = join(temporaryFolder(), "small");
    mkdirSync(folder);
    const script = `mount -t tmpfs -o size=64k none ${folder} && cd ${folder} && echo before > answer.json
      ${SHELL_COMMAND} diligence status 7d9c --out answer.json; echo "exit $?"; ls -A; cat answer.json`;
    const { stdout, stderr } = await run("unshare", ["-rm", "bash", "-c", script], { env });
    expect(stderr).toContain("the disk is full; nothing was left behind");
    expect(stdout).toBe("exit 6\nanswer.json\nbefore\n");
  });

  const hasFull = readdirSync("/dev").includes("full");

  it.skipIf(!hasFull).each(["api GET /v1/docs/openapi", "--version"])(
    "exits 6 if stdout is full: %s",
    { tags: "large" },
    async (words) => {
      const env = environmentOf(await sandboxForTest());
      const line = `${SHELL_COMMAND} ${words} > /dev/full`;
      const { code, stderr } = await run("bash", ["-c", line], { env }).catch((error) => error);
      expect(stderr).toMatch(/^error: cannot write to stdout: the disk is full\n/);
      expect(code).toBe(6);
    },
  );

  it.skipIf(!hasFull)("keeps stdout and the exit code if stderr is full", { tags: "large" }, async () => {
    const env = environmentOf(await sandboxForTest());
    const runWithFullStderr = (words: readonly string[]) =>
      run("bash", ["-c", `${SHELL_COMMAND} "$@" 2> /dev/full`, "bash", ...words], { env });
    const { stdout } = await runWithFullStderr([...SUBMIT, "--wait"]).catch((error) => error);
    expect(JSON.parse(stdout)).toHaveProperty("jobId");
    await expect(runWithFullStderr(["profiles", "use", "nobody"])).rejects.toMatchObject({ code: 3 });
  });
});

itEachFirst([
  ["a write, which names the new record", ["clients", "create", "--name", "Acme", "-q"], 10],
  ["a read, as in `| head -1`", ["contract", "fetch"], 0],
] as const)("a closed pipe ends %s", async (_, words, exit) => {
  const env = environmentOf(await sandboxForTest());
  const claims = spawnCli(words, { env });
  claims.closeStdout();
  const { code, stderr } = await claims.completion;
  expect(code, stderr).toBe(exit);
  const [client] = (await runCli(["clients", "list", "-q"], { env })).stdout.split("\n");
  if (exit === 0) expect(stderr).toBe("");
  else
    expect(stderr).toContain(`its reader has closed it; the service accepted the request, with id ${client}`);
});
