import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  bareEnvironment,
  errorOf,
  fixture,
  ROOT,
  runCli,
  spawnCli,
  startCli,
  temporaryFile,
  temporaryFolder,
} from "../support/cli.ts";
import { ARBITRARY_USER, skipWithoutArbitraryUser } from "../support/namespaces.ts";
import { oauthEnvironmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { hasScript, runOnTerminal } from "../support/terminal-process.ts";

const configPath = (env: Record<string, string>): string => join(env.CLAIMS_CONFIG_DIR ?? "", "config.json");

const keyLoginArgs = (url: string, ...more: string[]): string[] => [
  ...["auth", "login", "--base-url", url, "--key-file", "-"],
  ...more,
];

const clientLoginArgs = (url: string, id: string, ...more: string[]): string[] => [
  ...["auth", "login", "--base-url", url, "--client-id", id, "--secret-file", "-"],
  ...more,
];

describe("auth login", () => {
  it("checks and stores a key, which the next command uses", async () => {
    const env = bareEnvironment();
    const { url, credentials } = await sandboxForTest();
    const { apiKey } = credentials.sandbox;
    const login = await runCli(keyLoginArgs(url, "--json"), { env, input: `${apiKey}\n` });
    expect(JSON.parse(login.stdout)).toMatchObject({
      name: "default",
      current: true,
      baseUrl: url,
      environment: "sandbox",
      credential: { kind: "api_key", fingerprint: expect.stringMatching(/^[0-9a-f]{8}$/), baseUrl: url },
    });
    expect(login.stderr).toBe("");
    const submitted = await runCli(submitArgs(fixture("scenario_partial.csv"), "--json"), { env });
    expect(JSON.parse(submitted.stdout).environment).toBe("sandbox");

    // A second profile does not become the current one; a file works as well as stdin.
    const file = temporaryFile("key", credentials.production.apiKey, 0o600);
    const more = ["--profile", "prod", "--environment", "production", "--key-file", file, "--json"];
    const second = await runCli(["auth", "login", "--base-url", url, ...more], { env });
    expect(JSON.parse(second.stdout)).toMatchObject({ name: "prod", current: false });
    for (const text of [login.stdout, submitted.stderr, second.stdout, second.stderr])
      expect(text).not.toMatch(/sk_(sandbox|production)/);
  });

  it("checks an OAuth client with a token, which the next command uses", async () => {
    const env = bareEnvironment();
    const { url, credentials } = await sandboxForTest();
    const { clientId, clientSecret } = credentials.sandbox;
    const login = await runCli(clientLoginArgs(url, clientId, "--json"), { env, input: clientSecret });
    expect(JSON.parse(login.stdout)).toMatchObject({ credential: { kind: "oauth_client" } });
    const status = JSON.parse((await runCli(["auth", "status", "--json"], { env })).stdout);
    expect(status).toMatchObject({ clientId, tokenExpiresAt: expect.stringMatching(/^\d{4}-/) });
    expect((await runCli(["api", "GET", "/v1/docs/openapi"], { env })).code).toBe(0);
  });

  it("keeps the service of a profile despite CLAIMS_BASE_URL, with a warning", async () => {
    const { CLAIMS_API_KEY: _, ...env } = (await startScriptedService((_, r) => sendJson(r, 200, {}))).env;
    const { url, requests } = await startScriptedService((_, response) => sendJson(response, 200, {}));
    await runCli(keyLoginArgs(url, "--environment", "production"), { env, input: "sk_first_key" });
    const again = await runCli(["auth", "login", "--key-file", "-", "--json"], {
      env,
      input: "sk_second_key",
    });
    expect(JSON.parse(again.stdout)).toMatchObject({ baseUrl: url, environment: "production" });
    expect(again.stderr).toContain(
      '{"warning":{"message":"the environment (CLAIMS_BASE_URL) overrides the profile;',
    );
    expect(new Set(requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set(["Bearer sk_first_key", "Bearer sk_second_key"]),
    );
  });

  it("warns if a key would be sent without TLS", async () => {
    const env = bareEnvironment();
    const warning = /^warning: http:\/\/x\.example is not encrypted/m;
    const login = await runCli(keyLoginArgs("http://x.example", "--no-check"), {
      env,
      input: "sk_some_key_1",
    });
    expect(login.stderr).toMatch(warning);
    const set = ["profiles", "set", "other", "--base-url"];
    expect((await runCli([...set, "http://x.example"], { env })).stderr).toMatch(warning);
    for (const url of ["https://x.example", "http://127.0.0.1:4750"])
      expect((await runCli([...set, url], { env })).stderr).toBe("");
  });

  it("moves a profile to another service only with --profile", async () => {
    const env = bareEnvironment();
    await runCli(keyLoginArgs("https://x.example", "--no-check"), { env, input: "sk_first_key" });
    const other = keyLoginArgs("https://y.example", "--no-check", "--json");
    const refused = errorOf(await runCli(other, { env, input: "sk_second_key" }));
    expect(refused).toMatchObject({ code: "profile_mismatch", exitCode: 2 });
    expect(refused.message).toContain("https://x.example");
    const named = await runCli([...other, "--profile", "default"], { env, input: "sk_second_key" });
    expect(JSON.parse(named.stdout)).toMatchObject({ name: "default", baseUrl: "https://y.example" });
  });

  it("does not store a credential that the service refuses", async () => {
    const env = bareEnvironment();
    const { url, credentials } = await sandboxForTest();
    const key = await runCli(keyLoginArgs(url, "--json"), { env, input: "sk_sandbox_wrong_one" });
    expect(errorOf(key)).toMatchObject({
      exitCode: 4,
      message: expect.stringContaining("nothing was stored"),
    });
    const client = await runCli(clientLoginArgs(url, credentials.sandbox.clientId, "--json"), {
      env,
      input: "cs_wrong_secret",
    });
    expect(errorOf(client)).toMatchObject({ code: "invalid_client", exitCode: 4 });
    const { clientId, clientSecret } = credentials.unapproved;
    const unapproved = await runCli(clientLoginArgs(url, clientId, "--json"), { env, input: clientSecret });
    expect(errorOf(unapproved)).toMatchObject({ code: "unauthorized_client", exitCode: 4 });
    for (const { stderr } of [key, client, unapproved]) expect(stderr).not.toMatch(/wrong_|cs_/);
    expect(existsSync(configPath(env))).toBe(false);
  });

  it("does not store a credential for an unreachable service, except with --no-check", async () => {
    const env = bareEnvironment();
    const sandbox = await sandboxForTest();
    await sandbox.close();
    const unreachable = await runCli(keyLoginArgs(sandbox.url, "--json"), { env, input: "sk_some_key" });
    expect(errorOf(unreachable)).toMatchObject({ exitCode: 6, hint: expect.stringContaining("--no-check") });
    const { url } = await startScriptedService((_, r) =>
      r.writeHead(200, { "content-type": "text/html" }).end("<html>"),
    );
    const page = await runCli(keyLoginArgs(url, "--json"), { env, input: "sk_some_key" });
    expect(errorOf(page)).toMatchObject({ code: "unexpected_response", exitCode: 6 });
    expect(existsSync(configPath(env))).toBe(false);
    const unchecked = await runCli(keyLoginArgs(url, "--no-check", "--json"), { env, input: "sk_some_key" });
    expect(JSON.parse(unchecked.stdout)).toMatchObject({ name: "default", baseUrl: url });
  });

  it.each<[string, string[], string, string]>([
    ["both a key and a secret", ["--key-file", "-", "--secret-file", "-"], "sk_x", "option_conflict"],
    ["both a key and a client id", ["--key-file", "-", "--client-id", "cl_1"], "sk_x", "option_conflict"],
    ["a secret with a space", ["--key-file", "-"], "sk_x sk_y", "invalid_secret"],
    ["an empty secret", ["--key-file", "-"], "", "invalid_secret"],
    ["a missing secret file", ["--key-file", "/nowhere"], "", "secret_unreadable"],
    ["a base URL that is not HTTP", ["--key-file", "-", "--base-url", "ftp://x"], "sk_x", "option_invalid"],
    ["an invalid profile name", ["--key-file", "-", "--profile", "a/b"], "sk_x", "option_invalid"],
  ])("refuses %s", async (_, more, input, code) => {
    const env = bareEnvironment();
    const args = ["auth", "login", "--base-url", "https://x.example", "--no-check", ...more, "--json"];
    const result = await runCli(args, { env, input });
    expect(errorOf(result).code).toBe(code);
    expect(result.stderr).not.toContain("sk_");
    expect(existsSync(configPath(env))).toBe(false);
  });

  it("has no flag that takes a secret as its value", async () => {
    for (const flag of ["--key", "--api-key", "--secret", "--client-secret", "--token"]) {
      const result = await runCli(["auth", "login", flag, "a-secret-word", "--json"]);
      expect(errorOf(result), flag).toMatchObject({ code: "usage", exitCode: 2 });
    }
  });

  it("does not prompt without a terminal", async () => {
    const lines: [string[], RegExp][] = [
      [["auth", "login"], /--base-url/],
      [["auth", "login", "--base-url", "https://x.example"], /--key-file \(- for stdin\)/],
      [
        ["auth", "login", "--base-url", "https://x.example", "--client-id", "c"],
        /--secret-file \(- for stdin\)/,
      ],
      [["auth", "login", "--base-url", "https://x.example", "--secret-file", "f"], /--client-id/],
    ];
    for (const [line, hint] of lines) {
      // stdin stays open, so a prompt would never return.
      const result = await startCli([...line, "--json"]).completion;
      expect(errorOf(result)).toMatchObject({ code: "not_confirmed", exitCode: 2 });
      expect(errorOf(result).hint).toMatch(hint);
    }
  });
});

describe.skipIf(!hasScript)("auth login on a terminal", () => {
  it("prompts for missing values and hides the key", async () => {
    const env = bareEnvironment();
    const { url, credentials } = await sandboxForTest();
    const { screen, completion, type } = runOnTerminal(["auth", "login", "--no-color"], env);
    await expect.poll(() => screen.text).toContain("Base URL of the service: ");
    type(`${url}X\u007f\r`);
    await expect.poll(() => screen.text).toContain("API key (not shown): ");
    // Pasted at once, with a typing error that backspaces remove.
    type(`${credentials.sandbox.apiKey}oops${"\u007f".repeat(4)}\r`);
    expect(await completion, screen.text).toBe(0);
    expect(screen.text).toContain("Logged in");
    expect(screen.text).not.toContain("sk_sandbox");
    expect(screen.text).not.toContain("oops");
    const { profiles } = JSON.parse(readFileSync(configPath(env), "utf8"));
    expect(profiles.default.credential).toMatchObject({ key: credentials.sandbox.apiKey, baseUrl: url });
  });

  it("exits 130 after Ctrl-C at a prompt, stores nothing and restores the terminal", {
    tags: "large",
  }, async () => {
    const env = bareEnvironment();
    const { screen, completion, type } = runOnTerminal(
      ["auth", "login", "--base-url", "https://x.example"],
      env,
    );
    await expect.poll(() => screen.text).toContain("API key (not shown): ");
    type("sk_half_a_k\u0003");
    expect(await completion, screen.text).toBe(130);
    expect(screen.text).toContain("interrupted");
    expect(screen.text).not.toContain("sk_half");
    expect(existsSync(configPath(env))).toBe(false);
  });

  it("does not prompt with --no-input or CLAIMS_NO_INPUT", { tags: "large" }, async () => {
    const env = bareEnvironment();
    const flag = runOnTerminal(["auth", "login", "--no-input"], env);
    expect(await flag.completion, flag.screen.text).toBe(2);
    const variable = runOnTerminal(["auth", "login"], { ...env, CLAIMS_NO_INPUT: "1" });
    expect(await variable.completion).toBe(2);
    expect(variable.screen.text).toContain("prompts are disabled");
  });
});

describe("auth status", () => {
  it("shows service and credential offline, without the secret", async () => {
    const env = bareEnvironment();
    await runCli(keyLoginArgs("https://x.example", "--no-check", "--profile", "ci"), {
      env,
      input: "sk_secret_key",
    });
    const status = await runCli(["auth", "status", "--json"], { env });
    expect(JSON.parse(status.stdout)).toEqual({
      profile: "ci",
      baseUrl: "https://x.example",
      environment: "production",
      kind: "api_key",
      clientId: null,
      // printf sk_secret_key | sha256sum
      fingerprint: "bce7d9d4",
      tokenExpiresAt: null,
      from: { baseUrl: 'the profile "ci"', environment: 'the profile "ci"', credential: 'the profile "ci"' },
    });
    const key = { ...env, CLAIMS_BASE_URL: "https://y.example", CLAIMS_API_KEY: "sk_secret_key" };
    const other = await runCli(["auth", "status"], { env: key });
    expect(other.stdout).toContain("credential\tfrom.baseUrl\tthe environment\n");
    expect(other.stdout).toContain("credential\tkind\tapi_key\n");
    expect((await runCli(["auth", "status", "-q"], { env })).stdout).toBe("ci\n");
    expect(status.stdout + other.stdout).not.toContain("sk_secret");
  });

  it("exits 4 without a credential or a service", async () => {
    const env = bareEnvironment();
    expect(errorOf(await runCli(["auth", "status", "--json"], { env })).code).toBe("no_service");
    await runCli(["profiles", "set", "p", "--base-url", "https://x.example"], { env });
    const status = await runCli(["auth", "status", "--profile", "p", "--json"], { env });
    expect(status.code).toBe(4);
    expect(JSON.parse(status.stdout)).toMatchObject({ profile: "p", kind: null, fingerprint: null });
    expect(errorOf(status).code).toBe("no_credential");
  });
});

describe("auth logout", () => {
  it("removes a credential and its tokens, and keeps the profile", async () => {
    const env = bareEnvironment();
    const { url, credentials } = await sandboxForTest();
    const { clientId, clientSecret } = credentials.sandbox;
    await runCli(clientLoginArgs(url, clientId), { env, input: clientSecret });
    await runCli(keyLoginArgs("https://x.example", "--profile", "ci", "--no-check"), {
      env,
      input: "sk_secret_key",
    });
    const tokens = join(env.CLAIMS_CONFIG_DIR ?? "", "state", "tokens.json");
    expect(readFileSync(tokens, "utf8")).toContain("at_sandbox");

    const logout = await runCli(["auth", "logout", "--json"], { env });
    expect(JSON.parse(logout.stdout)).toEqual({ profiles: ["default"] });
    expect(readFileSync(tokens, "utf8")).toBe("{}\n");
    const config = readFileSync(configPath(env), "utf8");
    expect(config).not.toContain(clientSecret);
    expect(config).toContain(url);
    expect((await runCli(["auth", "status"], { env })).code).toBe(4);
    expect(await runCli(["auth", "logout", "-q"], { env })).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "",
    });

    const all = await runCli(["auth", "logout", "--all", "--json"], { env });
    expect(JSON.parse(all.stdout)).toEqual({ profiles: ["ci"] });
    expect(readFileSync(configPath(env), "utf8")).not.toContain("sk_secret");
    const both = await runCli(["auth", "logout", "--all", "--profile", "ci", "--json"], { env });
    expect(errorOf(both)).toMatchObject({ code: "option_conflict", exitCode: 2 });
  });

  it("requires a profile", async () => {
    const result = await runCli(["auth", "logout", "--json"]);
    expect(errorOf(result)).toMatchObject({ code: "unknown_profile", exitCode: 3 });
  });
});

describe("auth token", () => {
  it("prints the access token, or the response with --json", async () => {
    const sandbox = await sandboxForTest();
    const env = oauthEnvironmentOf(sandbox);
    const { stdout: token } = await runCli(["auth", "token"], { env });
    expect(token).toMatch(/^at_sandbox_\S+\n$/);
    const headers = { authorization: `Bearer ${token.trim()}` };
    expect((await fetch(`${sandbox.url}/v1/docs/openapi`, { headers })).status).toBe(200);
    const { stdout: json } = await runCli(["auth", "token", "--json"], { env });
    expect(JSON.parse(json)).toEqual({
      access_token: expect.stringMatching(/^at_sandbox_/),
      token_type: "Bearer",
      expires_in: 3600,
    });
  });

  it("refuses an API key, and OAuth in production", async () => {
    const { env, requests } = await startScriptedService((_, response) => sendJson(response, 200, {}));
    expect(errorOf(await runCli(["auth", "token", "--json"], { env }))).toMatchObject({
      code: "no_oauth_client",
      message: "an API key needs no token",
      exitCode: 4,
    });
    const { CLAIMS_API_KEY: _, ...rest } = env;
    const client = { ...rest, CLAIMS_CLIENT_ID: "cl_1", CLAIMS_CLIENT_SECRET: "cs_1" };
    const production = await runCli(["auth", "token", "--environment", "production", "--json"], {
      env: client,
    });
    expect(errorOf(production)).toMatchObject({ code: "oauth_is_sandbox_only", exitCode: 4 });
    expect(requests).toEqual([]);
  });
});

it("a command that reads a profile adds no signal listener: a single Ctrl-C stops it gracefully", async () => {
  const env = bareEnvironment();
  await runCli(["profiles", "set", "local", "--base-url", "http://127.0.0.1:9"], { env });
  // conf, which writes profiles, adds a listener that sends each signal to the process a second time.
  const code = `process.argv = ["", "", "profiles", "show", "local"];
      require("./dist/cli.cjs").main(process.cwd()).then(() => console.error(process.listenerCount("SIGINT")));`;
  const { stderr } = spawnSync(process.execPath, ["-e", code], { cwd: ROOT, env, encoding: "utf8" });
  expect(stderr).toBe("1\n");
});

it("a user with neither HOME nor an account can store a profile", async (test) => {
  skipWithoutArbitraryUser(test);
  const folder = temporaryFolder();
  chmodSync(dirname(folder), 0o711);
  chmodSync(folder, 0o777);
  const env = { PATH: process.env.PATH ?? "", CLAIMS_CONFIG_DIR: folder };
  const args = ["profiles", "set", "ci", "--base-url", "http://127.0.0.1:9"];
  const { code, stderr } = await spawnCli(args, { env, wrapper: ARBITRARY_USER }).completion;
  expect(code, stderr).toBe(0);
});
