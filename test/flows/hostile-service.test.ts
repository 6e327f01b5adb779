import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { errorOf, fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

/** Orders to a terminal (OSC 8, CSI, C1 in UTF-8), bidi controls (RLO, an isolate, ALM) and a line separator. */
const HOSTILE =
  "a\u001b]8;;http://evil.example\u0007b\u001b]8;;\u0007\u009b31m\u202ec\u2066d\u2069\u061ce\u2028f\u007fg\bh\ri";
const MASKED = "a·]8;;http://evil.example·b·]8;;··31m·c·d··e·f·g·h·i";

/** All that a terminal must never get from a service; our own colours are switched off. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const withoutLineEnds = (text: string): string => text.replaceAll("\r\n", "\n");

/** In JSON only what JSON itself lets stand: a service may send C1 and bidi controls as they are. */
const RAW_IN_JSON = "\u007f\u009b31m\u202ec\u2066d\u2069\u061ce\u2028f";
const ENDPOINT = { id: "e-1", label: RAW_IN_JSON, url: "http://127.0.0.1:9/hook" };
const LIST = { data: [ENDPOINT] };

const LABELS = "webhooks list --fields label";

/** A person at a terminal, and a service that answers so. */
async function atTerminal(script: Script) {
  const { env } = await startScriptedService(script);
  const person = createTerminalContext({ env });
  const see = async (line: string) => {
    const code = await person.run(...line.split(" "));
    return { code, stdout: person.stdout.text, stderr: person.stderr.text };
  };
  return { see };
}

const lists: Script = (_, response) => sendJson(response, 200, LIST);
const refuses: Script = (_, response) =>
  sendJson(
    response,
    422,
    { detail: HOSTILE, code: "bad", requestId: HOSTILE },
    { "x-request-id": "\u009b31m" },
  );
const sendsText: Script = (_, response) =>
  response.writeHead(200, { "content-type": "text/plain", "x-note": "\u009b31m" }).end(HOSTILE);

describe("what a service sends, on a terminal", () => {
  it.each([
    ["a table", "webhooks list"],
    ["a card", LABELS],
    ["CSV", "webhooks list --csv"],
    ["ids", "webhooks list -q"],
    ["raw", "api GET /v1/webhooks/endpoints"],
    ["raw pages", "api GET /v1/webhooks/endpoints --paginate"],
    ["raw with its headers", "api GET /v1/webhooks/endpoints --include --verbose"],
  ])("is made visible: %s", async (_, line) => {
    const { see } = await atTerminal(lists);
    const { code, stdout, stderr } = await see(`${line} --no-color`);
    expect(code).toBe(0);
    expect(stdout).not.toBe("");
    expect(withoutLineEnds(stdout)).not.toMatch(UNSAFE);
    expect(stderr).not.toMatch(UNSAFE);
  });

  it.each(["webhooks list --json", "webhooks list --ndjson", `${LABELS} --json`, "api GET /v1/x --json"])(
    "is escaped as JSON is: %s",
    async (line) => {
      const { see } = await atTerminal(lists);
      const { code, stdout } = await see(line);
      expect(code).toBe(0);
      expect(stdout).not.toMatch(UNSAFE);
      expect(stdout).toContain("\\u009b31m\\u202ec\\u2066d\\u2069");
      expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(RAW_IN_JSON));
    },
  );

  it("is masked in text that is no JSON, whose lines stay", async () => {
    const { see } = await atTerminal(sendsText);
    expect((await see("api GET /v1/x --include")).stdout).toMatch(/^x-note: ·31m$/m);
    expect((await see("api GET /v1/x")).stdout).toContain(MASKED);
  });

  it("is masked in errors and hints, and escaped where they are JSON", async () => {
    const { see } = await atTerminal(refuses);
    const text = await see("webhooks list --verbose");
    expect(text.code).toBe(5);
    expect(text.stderr).toContain(MASKED);
    expect(text.stderr).not.toMatch(UNSAFE);
    const { see: seeJson } = await atTerminal(refuses);
    const json = await seeJson("webhooks list --json");
    expect(json.stderr).not.toMatch(UNSAFE);
    expect(JSON.parse(json.stderr).error).toMatchObject({
      code: "bad",
      message: expect.stringContaining(HOSTILE),
    });
  });
});

describe("what a service sends, in a pipe", () => {
  it("is unchanged, byte for byte", async () => {
    const { env } = await startScriptedService(lists);
    const out = async (...args: string[]) => (await runCli(args, { env })).stdout;
    const sent = JSON.stringify(LIST);
    expect(await out("api", "GET", "/v1/webhooks/endpoints")).toBe(sent);
    expect(await out("webhooks", "list", "--json")).toBe(`${sent}\n`);
    expect(await out("webhooks", "list", "--ndjson")).toBe(`${JSON.stringify(ENDPOINT)}\n`);
    expect(await out(...LABELS.split(" "), "--csv")).toBe(`label\r\n${RAW_IN_JSON}\r\n`);
    const text = await startScriptedService(sendsText);
    expect((await runCli(["api", "GET", "/v1/x"], { env: text.env })).stdout).toBe(HOSTILE);
    const refusing = await startScriptedService(refuses);
    expect((await runCli(["webhooks", "list", "--json"], { env: refusing.env })).stderr).toContain("\u202e");
  });
});

describe("a signing secret that is none", () => {
  const URL = "http://127.0.0.1:9/hook";
  const DOTENV = "PORT=3000\n";

  /** What `webhooks create` does with it. */
  async function created(signingSecret: string, ...places: string[]) {
    const body = { id: "e-1", url: URL, signingSecret };
    const { env } = await startScriptedService((_, response) => sendJson(response, 201, body));
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, ".env"), DOTENV, { mode: 0o600 });
    const result = await runCli(["webhooks", "create", URL, ...places, "--json"], { env, cwd });
    return { result, body, cwd, env, dotenv: readFileSync(join(cwd, ".env"), "utf8") };
  }

  it.each([
    ["a line end", "whsec_x\nNODE_OPTIONS=--require=/tmp/evil.js"],
    ["a carriage return", "whsec_x\rNODE_OPTIONS=--require=/tmp/evil.js"],
    ["quotes and a line end", "'\"`\nNODE_OPTIONS=--require=/tmp/evil.js\n#"],
    ["NUL", "whsec_x\u0000y"],
    ["a line separator", "whsec_x\u2028NODE_OPTIONS=x"],
    ["a bidi control", "whsec_\u202ex"],
    ["white space", "whsec_x NODE_OPTIONS=x"],
    ["letters beyond ASCII", "whsec_\u0430bc"],
    ["a length beyond any key", "x".repeat(100_000)],
  ])("goes nowhere, and the response is saved: %s", async (_, secret) => {
    const profile = ["--store", "--profile", "p"];
    for (const places of [
      ["--write-env", ".env"],
      ["--secret-file", "whsec.txt"],
    ]) {
      const { result, body, cwd, dotenv } = await created(secret, ...places);
      expect(dotenv).toBe(DOTENV);
      expect(existsSync(join(cwd, "whsec.txt"))).toBe(false);
      expect(JSON.parse(result.stdout)).toEqual({ id: "e-1", url: URL });
      const { code, exitCode, message, hint } = errorOf(result);
      expect({ code, exitCode }).toEqual({ code: "invalid_secret", exitCode: 5 });
      expect(hint).toContain("revoked");
      const [, path = ""] = /saved as (\S+)$/.exec(message) ?? [];
      expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(body);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    const service = await startScriptedService((_, response) =>
      sendJson(response, 201, { id: "e-1", signingSecret: secret }),
    );
    const folder = temporaryFolder();
    const env = { ...service.env, CLAIMS_CONFIG_DIR: folder };
    await runCli(["profiles", "set", "p", "--base-url", env.CLAIMS_BASE_URL], { env });
    const stored = await runCli(["webhooks", "create", URL, ...profile, "--json"], { env });
    expect(errorOf(stored)).toMatchObject({ code: "invalid_secret" });
    expect(readFileSync(join(folder, "config.json"), "utf8")).not.toContain("webhookSecret");
  });

  it("is not shown to a person with dots in it, as if it were one", async () => {
    const { see } = await atTerminal((_, response) =>
      sendJson(response, 201, { id: "e-1", signingSecret: "whsec_\u202ex" }),
    );
    const { code, stdout, stderr } = await see(`webhooks create ${URL}`);
    expect(code).toBe(5);
    expect(stdout).not.toContain("whsec_");
    expect(stderr).toMatch(/saved as \S+\.response$/m);
  });

  it.each(["it's", "a'$(id)", "back\\slash", "'\"`"])(
    "is kept elsewhere where a .env file has no form for it that all read alike: %s",
    async (secret) => {
      const { result, dotenv } = await created(secret, "--write-env", ".env");
      expect(dotenv).toBe(DOTENV);
      expect(errorOf(result)).toMatchObject({ code: "cannot_write", exitCode: 2 });
      const [, path = ""] = /the signing secret is in (\S+)$/.exec(errorOf(result).message) ?? [];
      expect(readFileSync(path, "utf8")).toBe(secret);
    },
  );

  it.each(["whsec_Ab+/=", 'p"#;$HOME`id`&|<>()!~'])("is written where it is one: %s", async (secret) => {
    const { result, dotenv } = await created(secret, "--write-env", ".env");
    expect(result.code).toBe(0);
    expect(parseEnv(dotenv)).toEqual({ PORT: "3000", CLAIMS_WEBHOOK_SECRET: secret });
  });
});

describe("an id that a service makes up", () => {
  const SUBMIT = ["diligence", "submit", fixture("scenario_partial.csv"), "--seller-name", "Acme"];

  it("is one word in the command that is advised", async () => {
    const script: Script = (_, response) =>
      sendJson(response, 202, { jobId: "x; $(touch pwned) 'y'", state: "queued" });
    const { env } = await startScriptedService(script);
    const person = createTerminalContext({ env });
    expect(await person.run(...SUBMIT)).toBe(0);
    expect(person.stdout.text).toContain("claims diligence wait 'x; $(touch pwned) '\\''y'\\'''");
    const flag = await startScriptedService((_, response) =>
      sendJson(response, 202, { jobId: "--base-url=http://evil" }),
    );
    const other = createTerminalContext({ env: flag.env });
    expect(await other.run(...SUBMIT)).toBe(0);
    expect(other.stdout.text).toMatch(/claims diligence wait ID$/m);
  });

  it("is not offered to a shell unless it is a plain word", async () => {
    let count = 0;
    const ids = ["plain-1", "$(touch pwned)", "a\n:files", "--base-url=http://evil", "a b"];
    const { env } = await startScriptedService((_, response) =>
      sendJson(response, 202, { jobId: ids[count++] }),
    );
    for (const [at] of ids.entries()) {
      const path = join(temporaryFolder(), "entries.csv");
      writeFileSync(path, `entry_number\n${at}\n`);
      const args = ["diligence", "submit", path, "--seller-name", "Acme", "-q"];
      expect((await runCli(args, { env })).code).toBe(0);
    }
    const { stdout } = await runCli(["__complete", "--", "diligence", "status", ""], { env });
    expect(stdout).toMatch(/^plain-1\t[^\n]*\n$/);
  });

  it.each(["../../../v1/other", "..", "\ud800", "a/b?c#d", "x".repeat(300)])(
    "reaches no other route and no other folder: %j",
    async (jobId) => {
      const { env, requests } = await startScriptedService((request, response) => {
        if (request.method === "POST") sendJson(response, 202, { jobId, state: "queued" });
        else if (request.url?.includes("openapi")) sendJson(response, 404, {});
        else if (request.url?.includes("dataset")) sendJson(response, 200, { rows: [] });
        else sendJson(response, 200, { jobId, state: "completed" });
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
      expect([0, 2, 5], stderr).toContain(code);
      for (const { url } of requests) expect(url).toMatch(/^\/v1\/(docs|diligence)\/[^/]+(\/[^/]+){0,2}$/);
      expect(readdirSync(cwd).sort()).toEqual(
        ["manifest.batch.jsonl", "manifest.csv", "one", "pulled", "two"].filter((name) =>
          existsSync(join(cwd, name)),
        ),
      );
    },
  );
});

describe("what a sender posts to a listener on a terminal", () => {
  it.each([
    ["lines for a person", []],
    ["JSON", ["--json"]],
  ])("is made visible: %s", async (_, flags) => {
    const secret = join(temporaryFolder(), "secret.txt");
    writeFileSync(secret, "whsec_of_the_listener", { mode: 0o600 });
    const app = await startScriptedService((_request, response) => response.writeHead(422).end(HOSTILE));
    const person = createTerminalContext({ env: app.env });
    const completion = person.run(
      ...["webhooks", "listen", "--port", "0", "--secret-file", secret, "--count", "1"],
      ...["--forward-to", app.url, "--forward-unverified", ...flags],
    );
    const url = () => /listening at (http:[^ ,]+),/.exec(person.stderr.text)?.[1] ?? "";
    await expect.poll(url, { timeout: 10_000 }).not.toBe("");
    const send = (text: string) => {
      const socket = connect(Number(new URL(url()).port), "127.0.0.1").on("error", () => {});
      onTestFinished(() => void socket.destroy());
      socket.write(text, "latin1");
    };
    // Node refuses such a request line by itself; what is said of it must be harmless too.
    send("GET /\u009b31m HTTP/1.1\r\nHost: x\r\n\r\n");
    await expect.poll(() => person.stderr.text, { timeout: 10_000 }).toContain("a request: 400");
    const head = ["X-Service-Event: \u009b31m", "X-Service-Timestamp: \u009b", "X-Service-Signature: \u0085"];
    send(`POST / HTTP/1.1\r\nHost: x\r\n${head.join("\r\n")}\r\nContent-Length: 4\r\n\r\n\u009b31m`);
    expect(await completion).toBe(7);
    expect(person.stdout.text).toMatch(
      flags.length > 0 ? /\\u009b31m.*\\u202e/ : /·31m \(claimed\)[\s\S]*\| a·\]8;;http/,
    );
    expect(person.stdout.text).not.toMatch(UNSAFE);
    expect(person.stderr.text).not.toMatch(UNSAFE);
  });
});
