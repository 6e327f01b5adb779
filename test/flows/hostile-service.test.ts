import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { errorOf, fixture, runCli, temporaryFile, temporaryFolder } from "../support/cli.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

/**
 * Orders to a terminal (OSC 8, CSI, C1 in UTF-8), bidi controls (RLO, an isolate, ALM), a line separator and characters without
 * a width. The accent, the skin tone and the variation selector of the last words are ordinary text.
 */
const HOSTILE =
  "a\u001b]8;;http://evil.example\u0007b\u001b]8;;\u0007\u009b31m\u202ec\u2066d\u2069\u061ce\u2028f\u007fg\bh\ri\u200bj\u200dk\u2060l\u2064m\ufeffn e\u0301 \u{1f44d}\u{1f3fd} \u260e\ufe0f";
const MASKED =
  "a·]8;;http://evil.example·b·]8;;··31m·c·d··e·f·g·h·i·j·k·l·m·n e\u0301 \u{1f44d}\u{1f3fd} \u260e\ufe0f";

/** Characters that must never reach a terminal; our own colours are disabled. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
const normalizeLineEnds = (text: string): string => text.replaceAll("\r\n", "\n");

/** The characters that JSON allows unescaped: a service can send C1 and bidi controls as they are. */
const RAW_IN_JSON = "\u007f\u009b31m\u202ec\u2066d\u2069\u061ce\u2028f\u200bg\ufeffh";
const ENDPOINT = { id: "e-1", label: RAW_IN_JSON, url: "http://127.0.0.1:9/hook" };
const LIST = { data: [ENDPOINT] };

const LABEL_COMMAND = "webhooks list --fields label";

/** Starts a scripted service, and returns a function that runs a command line against it on a terminal. */
async function startTerminal(script: Script) {
  const { env } = await startScriptedService(script);
  const terminal = createTerminalContext({ env });
  const runOnTerminal = async (line: string) => {
    const code = await terminal.run(...line.split(" "));
    return { code, stdout: terminal.stdout.text, stderr: terminal.stderr.text };
  };
  return { runOnTerminal };
}

const sendList: Script = (_, response) => sendJson(response, 200, LIST);
const sendProblem: Script = (_, response) =>
  sendJson(
    response,
    422,
    { detail: HOSTILE, code: "bad", requestId: HOSTILE },
    { "x-request-id": "\u009b31m" },
  );
const sendText: Script = (_, response) =>
  response.writeHead(200, { "content-type": "text/plain", "x-note": "\u009b31m" }).end(HOSTILE);

describe("untrusted text on a terminal", () => {
  it.each([
    ["a table", "webhooks list"],
    ["a card", LABEL_COMMAND],
    ["CSV", "webhooks list --csv"],
    ["ids", "webhooks list -q"],
    ["raw", "api GET /v1/webhooks/endpoints"],
    ["raw pages", "api GET /v1/webhooks/endpoints --paginate"],
    ["raw with a log", "api GET /v1/webhooks/endpoints --verbose"],
  ])("contains no control characters: %s", async (_, line) => {
    const { runOnTerminal } = await startTerminal(sendList);
    const { code, stdout, stderr } = await runOnTerminal(`${line} --no-color`);
    expect(code).toBe(0);
    expect(stdout).not.toBe("");
    expect(normalizeLineEnds(stdout)).not.toMatch(UNSAFE);
    expect(stderr).not.toMatch(UNSAFE);
  });

  it.each([
    "webhooks list --json",
    "webhooks list --ndjson",
    `${LABEL_COMMAND} --json`,
    "api GET /v1/x --json",
  ])("is escaped in JSON output: %s", async (line) => {
    const { runOnTerminal } = await startTerminal(sendList);
    const { code, stdout } = await runOnTerminal(line);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(UNSAFE);
    expect(stdout).toContain("\\u009b31m\\u202ec\\u2066d\\u2069");
    expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(RAW_IN_JSON));
  });

  it("is masked in a response that is not JSON", async () => {
    const { runOnTerminal } = await startTerminal(sendText);
    expect((await runOnTerminal("api GET /v1/x")).stdout).toContain(MASKED);
  });

  it("is masked in error messages, and escaped in error documents", async () => {
    const { runOnTerminal } = await startTerminal(sendProblem);
    const text = await runOnTerminal("webhooks list --verbose --no-color");
    expect(text.code).toBe(5);
    expect(text.stderr).toContain(MASKED);
    expect(text.stderr).not.toMatch(UNSAFE);
    const { runOnTerminal: runForJson } = await startTerminal(sendProblem);
    const json = await runForJson("webhooks list --json");
    expect(json.stderr).not.toMatch(UNSAFE);
    expect(JSON.parse(json.stderr).error).toMatchObject({
      code: "bad",
      message: expect.stringContaining(HOSTILE),
    });
  });
});

it("untrusted text in a pipe is printed byte for byte", async () => {
  const { env } = await startScriptedService(sendList);
  const runForStdout = async (...args: string[]) => (await runCli(args, { env })).stdout;
  const json = JSON.stringify(LIST);
  expect(await runForStdout("api", "GET", "/v1/webhooks/endpoints")).toBe(json);
  expect(await runForStdout("webhooks", "list", "--json")).toBe(`${json}\n`);
  expect(await runForStdout("webhooks", "list", "--ndjson")).toBe(`${JSON.stringify(ENDPOINT)}\n`);
  expect(await runForStdout(...LABEL_COMMAND.split(" "), "--csv")).toBe(`label\r\n${RAW_IN_JSON}\r\n`);
  const text = await startScriptedService(sendText);
  expect((await runCli(["api", "GET", "/v1/x"], { env: text.env })).stdout).toBe(HOSTILE);
  const problem = await startScriptedService(sendProblem);
  expect((await runCli(["webhooks", "list", "--json"], { env: problem.env })).stderr).toContain("\u202e");
});

describe("a malformed signing secret", () => {
  const URL = "http://127.0.0.1:9/hook";

  /** Runs `webhooks create` with a service that returns this secret. */
  async function createWebhook(signingSecret: string, ...destinations: string[]) {
    const body = { id: "e-1", url: URL, signingSecret };
    const { env } = await startScriptedService((_, response) => sendJson(response, 201, body));
    const cwd = temporaryFolder();
    const result = await runCli(["webhooks", "create", URL, ...destinations, "--json"], { env, cwd });
    return { result, body, cwd };
  }

  it.each([
    ["a line feed", "whsec_x\nNODE_OPTIONS=--require=/tmp/evil.js"],
    ["NUL", "whsec_x\u0000y"],
    ["a bidi control", "whsec_\u202ex"],
    ["white space", "whsec_x NODE_OPTIONS=x"],
  ])("is not stored, and the response is saved, if it contains %s", async (_, secret) => {
    const profile = ["--store", "--profile", "p"];
    const { result: refused, body, cwd } = await createWebhook(secret, "--secret-file", "whsec.txt");
    expect(existsSync(join(cwd, "whsec.txt"))).toBe(false);
    expect(JSON.parse(refused.stdout)).toEqual({ id: "e-1", url: URL });
    const { code, exitCode, message, hint } = errorOf(refused);
    expect({ code, exitCode }).toEqual({ code: "invalid_secret", exitCode: 5 });
    expect(hint).toContain("revoked");
    const [, path = ""] = /saved as (\S+)$/.exec(message) ?? [];
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(body);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const service = await startScriptedService((_, response) =>
      sendJson(response, 201, { id: "e-1", signingSecret: secret }),
    );
    const folder = temporaryFolder();
    const env = { ...service.env, CLAIMS_CONFIG_DIR: folder };
    await runCli(["profiles", "set", "p", "--base-url", env.CLAIMS_BASE_URL], { env });
    const result = await runCli(["webhooks", "create", URL, ...profile, "--json"], { env });
    expect(errorOf(result)).toMatchObject({ code: "invalid_secret" });
    expect(readFileSync(join(folder, "config.json"), "utf8")).not.toContain("webhookSecret");
  });

  it("is not printed on a terminal, not even masked", async () => {
    const { runOnTerminal } = await startTerminal((_, response) =>
      sendJson(response, 201, { id: "e-1", signingSecret: "whsec_\u202ex" }),
    );
    const { code, stdout, stderr } = await runOnTerminal(`webhooks create ${URL}`);
    expect(code).toBe(5);
    expect(stdout).not.toContain("whsec_");
    expect(stderr).toMatch(/saved as \S+\.response$/m);
  });
});

describe("an untrusted id", () => {
  const SUBMIT = ["diligence", "submit", fixture("scenario_partial.csv"), "--seller-name", "Acme"];

  it("is quoted in a suggested command", async () => {
    const script: Script = (_, response) =>
      sendJson(response, 202, { jobId: "x; $(touch pwned) 'y'", state: "queued" });
    const { env } = await startScriptedService(script);
    const terminal = createTerminalContext({ env });
    expect(await terminal.run(...SUBMIT)).toBe(0);
    expect(terminal.stdout.text).toContain("claims diligence wait 'x; $(touch pwned) '\\''y'\\'''");
    const flag = await startScriptedService((_, response) =>
      sendJson(response, 202, { jobId: "--base-url=http://evil" }),
    );
    const other = createTerminalContext({ env: flag.env });
    expect(await other.run(...SUBMIT)).toBe(0);
    expect(other.stdout.text).toMatch(/claims diligence wait ID$/m);
  });

  it.each(["../../../v1/other", "..", "\ud800", "a/b?c#d", "x".repeat(300)])(
    "reaches no other route and no other folder if it is %j",
    async (jobId) => {
      const { env, requests } = await startScriptedService((request, response) => {
        if (request.method === "POST") sendJson(response, 202, { jobId, state: "queued" });
        else if (request.url?.includes("openapi")) sendJson(response, 404, {});
        else if (request.url?.includes("dataset")) sendJson(response, 200, { rows: [] });
        else sendJson(response, 200, { jobId, state: "completed", rf8Review: {} });
      });
      const cwd = temporaryFolder();
      const entries = ["one", "two"].map((name) => {
        mkdirSync(join(cwd, name));
        writeFileSync(join(cwd, name, "same.csv"), `entry_number\n${name}\n`);
        return `${name}/same.csv,Acme`;
      });
      writeFileSync(join(cwd, "manifest.csv"), ["file,seller", ...entries, ""].join("\n"));
      const args = ["diligence", "batch", "manifest.csv", "--pull", "pulled", "--yes"];
      const { code, stderr } = await runCli(args, { env, cwd });
      // The second file gets the job of the first.
      expect([0, 2, 5, 10], stderr).toContain(code);
      for (const { url } of requests) expect(url).toMatch(/^\/v1\/(docs|diligence)\/[^/]+(\/[^/]+){0,2}$/);
      expect(readdirSync(cwd).sort()).toEqual(
        ["manifest.batch.jsonl", "manifest.csv", "one", "pulled", "two"].filter((name) =>
          existsSync(join(cwd, name)),
        ),
      );
    },
  );
});

it.each([
  ["text", []],
  ["JSON", ["--json"]],
])(
  "an untrusted delivery on a terminal of webhooks listen contains no control characters: %s",
  async (_, flags) => {
    const secret = temporaryFile("secret.txt", "whsec_of_the_listener", 0o600);
    const app = await startScriptedService((_request, response) => response.writeHead(422).end(HOSTILE));
    const terminal = createTerminalContext({ env: app.env });
    const completion = terminal.run(
      ...["webhooks", "listen", "--port", "0", "--secret-file", secret, "--count", "1"],
      ...["--forward-to", app.url, "--forward-unverified", "--no-color", ...flags],
    );
    const url = () => /listening at (http:[^ ,]+),/.exec(terminal.stderr.text)?.[1] ?? "";
    await expect.poll(url).not.toBe("");
    const send = (text: string) => {
      const socket = connect(Number(new URL(url()).port), "127.0.0.1").on("error", () => {});
      onTestFinished(() => void socket.destroy());
      socket.write(text, "latin1");
    };
    const head = ["X-Service-Event: \u009b31m", "X-Service-Timestamp: \u009b", "X-Service-Signature: \u0085"];
    send(`POST / HTTP/1.1\r\nHost: x\r\n${head.join("\r\n")}\r\nContent-Length: 4\r\n\r\n\u009b31m`);
    expect(await completion).toBe(7);
    expect(terminal.stdout.text).toMatch(
      flags.length > 0 ? /\\u009b31m.*\\u202e/ : /·31m \(claimed\)[\s\S]*\| a·\]8;;http/,
    );
    expect(terminal.stdout.text).not.toMatch(UNSAFE);
    expect(terminal.stderr.text).not.toMatch(UNSAFE);
  },
);

it("an error shows no credential that the service repeats in a document", async () => {
  const { env } = await startScriptedService((_, response) =>
    sendJson(response, 200, "no sk_of_another_service"),
  );
  for (const format of [[], ["--json"]]) {
    const { code, stderr } = await runCli(["diligence", "status", "j-1", ...format], { env });
    expect([code, stderr.includes("sk_of_another_service")]).toEqual([5, false]);
    expect(stderr).toContain("no [redacted]");
  }
});

it("an error shows no access token that the service repeats", async () => {
  const { env } = await startScriptedService((request, response) => {
    if (request.method === "POST") return sendJson(response, 200, { access_token: "at_very_secret_token" });
    sendJson(response, 400, { detail: `bad ${request.headers.authorization}` });
  });
  const { CLAIMS_API_KEY: _, ...rest } = env;
  const oauth = { ...rest, CLAIMS_CLIENT_ID: "cl_other", CLAIMS_CLIENT_SECRET: "cs_other_secret" };
  const result = await runCli(["diligence", "status", "j-1", "--json"], { env: oauth });
  expect(errorOf(result).message).toContain("bad Bearer [redacted]");
  expect(result.stderr).not.toContain("very_secret");
});
