import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../sandbox/index.ts";
import { bareEnvironment, errorOf, runCli, temporaryFile, temporaryFolder } from "../support/cli.ts";
import { TEST_PROCESS } from "../support/processes.ts";
import { sandboxForTest } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

const STATUS = ["diligence", "status", "x", "--json"];

/** Starts a service that responds to every request with a completed job, and records the requests. */
async function startService() {
  const { url, requests } = await startScriptedService((_, response) =>
    sendJson(response, 200, { state: "completed" }),
  );
  return { url, requests, keys: () => requests.map(({ headers }) => headers.authorization) };
}

/** Stores a profile with the key `sk_of_<name>`. */
async function storeProfile(env: Record<string, string>, name: string, url: string, ...more: string[]) {
  const login = ["auth", "login", "--profile", name, "--base-url", url, "--key-file", "-", "--no-check"];
  expect((await runCli([...login, ...more], { env, input: `sk_of_${name}\n` })).code).toBe(0);
}

function writeDotenv(variables: Record<string, string>): string {
  const lines = Object.entries(variables).map(([name, value]) => `${name}="${value}"\n`);
  return temporaryFile("some.env", lines.join(""));
}

describe("connection settings", () => {
  it("prefer --profile over --dotenv, --dotenv over the environment, and the environment over the current profile", async () => {
    const env = bareEnvironment();
    const service = await startService();
    await storeProfile(env, "current", service.url);
    await storeProfile(env, "named", service.url);
    const variables = { ...env, CLAIMS_BASE_URL: service.url, CLAIMS_API_KEY: "sk_of_environment" };
    const file = writeDotenv({
      CLAIMS_BASE_URL: service.url,
      CLAIMS_API_KEY: "sk_of_file",
      HOME: "/nowhere",
    });
    await runCli(STATUS, { env });
    await runCli(STATUS, { env: { ...env, CLAIMS_PROFILE: "named" } });
    await runCli(STATUS, { env: { ...variables, CLAIMS_PROFILE: "named" } });
    await runCli([...STATUS, "--dotenv", file], { env: variables });
    await runCli([...STATUS, "--dotenv", file, "--profile", "named"], { env: variables });
    expect(service.keys()).toEqual(
      ["current", "named", "environment", "file", "named"].map((name) => `Bearer sk_of_${name}`),
    );
  });

  it("read each setting from the first source that has it", async () => {
    const env = bareEnvironment();
    const [one, other] = [await startService(), await startService()];
    await storeProfile(env, "one", one.url);
    // A key without its own base URL is sent to the URL of the flag.
    const key = { ...env, CLAIMS_API_KEY: "sk_free" };
    expect((await runCli([...STATUS, "--base-url", `${other.url}/`], { env: key })).code).toBe(0);
    // The same URL in another spelling is the same service.
    const same = one.url.replace("http", "HTTP");
    expect((await runCli([...STATUS, "--base-url", `${same}/`], { env })).code).toBe(0);
    expect([one.keys(), other.keys()]).toEqual([["Bearer sk_of_one"], ["Bearer sk_free"]]);
  });

  it("ignore the environment of a profile for another service", async () => {
    const env = { ...bareEnvironment(), CLAIMS_API_KEY: "sk_free" };
    const [one, other] = [await startService(), await startService()];
    await storeProfile(env, "one", one.url, "--environment", "production");
    const status = async (...more: string[]) =>
      JSON.parse((await runCli(["auth", "status", "--json", ...more], { env })).stdout);
    expect(await status("--base-url", one.url)).toMatchObject({ environment: "production" });
    expect(await status("--base-url", other.url)).toMatchObject({ environment: "sandbox" });
    expect(await status("--base-url", "https://x.example")).toMatchObject({ environment: "production" });
    expect(await status("--base-url", other.url, "--environment", "production")).toMatchObject({
      environment: "production",
      from: { environment: "the command line", credential: "the environment" },
    });
  });

  it("default to the local sandbox, and send its key only to its own address", async () => {
    const env = bareEnvironment();
    const { url, credentials, controlToken } = await sandboxForTest();
    const state = join(env.CLAIMS_CONFIG_DIR ?? "", "state");
    mkdirSync(state, { recursive: true });
    const locator = { name: "default", url, ...TEST_PROCESS, controlToken, credentials };
    writeFileSync(join(state, "sandbox-default.json"), JSON.stringify(locator));
    const document = ["api", "GET", "/v1/docs/openapi"];
    const result = await runCli(document, { env });
    expect(result).toMatchObject({ code: 0, stderr: `using the local sandbox at ${url}\n` });
    const list = (...more: string[]) => runCli(["clients", "list", ...more], { env });
    expect(await list()).toMatchObject({ code: 0, stderr: "" });
    expect((await list("-v")).stderr).toContain(`using the local sandbox at ${url}\n`);
    const created = await runCli(["clients", "create", "--name", "Acme"], { env });
    expect(created.stderr).toBe(`using the local sandbox at ${url}\n`);
    expect(await runCli([...document, "--base-url", url], { env })).toMatchObject({ code: 0, stderr: "" });
    const other = await startService();
    expect(errorOf(await runCli([...document, "--base-url", other.url, "--json"], { env }))).toMatchObject({
      code: "no_credential",
      exitCode: 4,
    });
    // A local sandbox's key is never sent beyond loopback, whatever its source.
    const key = { ...env, CLAIMS_API_KEY: credentials.sandbox.apiKey };
    const remote = await runCli([...STATUS, "--base-url", "http://192.0.2.1"], { env: key });
    expect(errorOf(remote)).toMatchObject({ code: "credential_mismatch", exitCode: 4 });
    expect(errorOf(remote).message).toContain(url);
    expect(other.requests).toEqual([]);
  });

  it("recognize a local sandbox's key when no sandbox is running", async () => {
    const { credentials, close } = await startSandbox();
    await close();
    const env = { ...bareEnvironment(), CLAIMS_API_KEY: credentials.sandbox.apiKey };
    const remote = await runCli([...STATUS, "--base-url", "http://192.0.2.1"], { env });
    expect(errorOf(remote)).toMatchObject({ code: "credential_mismatch", exitCode: 4 });
  });

  it.each([
    ["is missing", () => "/nowhere.env", "it does not exist"],
    ["is a folder", () => temporaryFolder(), "it is a folder"],
  ])("exit 2 without a request if the file of --dotenv %s", async (_, path, problem) => {
    const service = await startService();
    const file = path();
    const env = { ...bareEnvironment(), CLAIMS_BASE_URL: service.url, CLAIMS_API_KEY: "sk_of_environment" };
    for (const args of [STATUS, [...STATUS, "--sandbox"], ["auth", "status", "--json"]])
      expect(errorOf(await runCli([...args, "--dotenv", file], { env }))).toMatchObject({
        code: "cannot_read",
        message: `--dotenv: cannot read ${file}: ${problem}`,
        exitCode: 2,
      });
    expect((await runCli(["doctor", "--dotenv", file], { env })).code).toBe(2);
    expect(service.requests).toEqual([]);
  });

  const VARIABLES = "CLAIMS_BASE_URL=http://127.0.0.1:1\nCLAIMS_API_KEY=sk_caf\u00e9\n";

  it.each([
    ["UTF-16 with a byte order mark", Buffer.from(`\ufeff${VARIABLES}`, "utf16le"), /is UTF-16 or UTF-32$/],
    ["Latin-1", Buffer.from(VARIABLES, "latin1"), /is not UTF-8 text$/],
    ["text without our variables", "BASE_URL=http://127.0.0.1:1\n", /sets no CLAIMS_ variable$/],
  ])("exit 2 without a request if the file of --dotenv is %s", async (_, content, message) => {
    const service = await startService();
    const file = temporaryFile("prod.env", content);
    const env = { ...bareEnvironment(), CLAIMS_BASE_URL: service.url, CLAIMS_API_KEY: "sk_of_environment" };
    const result = errorOf(await runCli([...STATUS, "--dotenv", file], { env }));
    expect(result).toMatchObject({ code: "cannot_read", exitCode: 2 });
    expect(result.message).toMatch(message);
    expect(service.requests).toEqual([]);
  });

  it("read a file of --dotenv that begins with a byte order mark", async () => {
    const service = await startService();
    const file = temporaryFile(
      "prod.env",
      `\ufeffCLAIMS_BASE_URL=${service.url}\nCLAIMS_API_KEY=sk_of_file\n`,
    );
    expect((await runCli([...STATUS, "--dotenv", file])).code).toBe(0);
    expect(service.requests).toHaveLength(1);
  });

  it("suggest --dotenv for --env-file, which is a flag of Node", async () => {
    const service = await startService();
    const file = writeDotenv({ CLAIMS_BASE_URL: service.url, CLAIMS_API_KEY: "sk_of_file" });
    for (const args of [
      ["--env-file", file, ...STATUS],
      [...STATUS, "--env-file", file],
      [...STATUS, `--env-file=${file}`],
    ]) {
      const result = errorOf(await runCli(args));
      expect(result).toMatchObject({ code: "usage", exitCode: 2 });
      expect(result.message).toMatch(/^unknown option '--env-file/);
      expect(result.hint).toContain("--dotenv FILE");
    }
    // In this process, because with a missing file Node itself exits 9 before our program runs (nodejs/node#54232).
    const { run, stderr } = createTerminalContext();
    expect(await run(...STATUS, "--env-file", "/nowhere.env")).toBe(2);
    expect(JSON.parse(stderr.text).error.hint).toContain("--dotenv FILE");
    expect(service.requests).toEqual([]);
  });

  it("prefer the proxy of --dotenv over the environment's", async () => {
    const [proxy, other] = [await startService(), await startService()];
    const file = writeDotenv({ HTTP_PROXY: proxy.url });
    const env = { ...bareEnvironment(), http_proxy: other.url, CLAIMS_API_KEY: "sk_free" };
    const args = [...STATUS, "--base-url", "http://service.test", "--environment", "sandbox"];
    expect((await runCli([...args, "--dotenv", file], { env })).code).toBe(0);
    expect(proxy.requests.map(({ headers }) => headers.host)).toEqual(["service.test"]);
    expect(other.requests).toEqual([]);
  });

  it("trust the CA file of the profile", async () => {
    const env = bareEnvironment();
    const { url } = await startScriptedService(
      (_, response) => sendJson(response, 200, { state: "completed" }),
      { secure: true },
    );
    await storeProfile(env, "secure", url);
    expect(errorOf(await runCli(STATUS, { env }))).toMatchObject({
      message: expect.stringContaining("certificate"),
      hint: expect.stringContaining("--ca-file"),
      ...{ exitCode: 6, retryable: true },
    });
    const caFile = fileURLToPath(new URL("../support/tls/cert.pem", import.meta.url));
    await runCli(["profiles", "set", "secure", "--ca-file", caFile], { env });
    expect((await runCli(STATUS, { env })).code).toBe(0);
  });

  it("warn about a credential file that other users can read", async () => {
    const service = await startService();
    const file = temporaryFile("key", "sk_in_a_file\n", 0o644);
    const env = { ...bareEnvironment(), CLAIMS_BASE_URL: service.url, CLAIMS_API_KEY_FILE: file };
    expect((await runCli(STATUS, { env })).stderr).toContain(
      `{"warning":{"message":"other users can read ${file}`,
    );
    chmodSync(file, 0o600);
    expect((await runCli(STATUS, { env })).stderr).toBe("");
  });
});

describe("the scope of a credential", () => {
  it.each(["?", "#", "?a=1"])(
    "has no query and no fragment in its base URL, even an empty one: %s",
    async (end) => {
      const { env, requests } = await startScriptedService((_, response) => sendJson(response, 200, {}));
      const args = [...STATUS, "--base-url", `${env.CLAIMS_BASE_URL}/${end}`, "--json"];
      expect(errorOf(await runCli(args, { env }))).toMatchObject({ code: "option_invalid", exitCode: 2 });
      expect(requests).toHaveLength(0);
    },
  );

  it("refuses to send a credential to another base URL", async () => {
    const env = bareEnvironment();
    const [mine, wrong] = [await startService(), await startService()];
    await storeProfile(env, "mine", mine.url);
    const variables = { CLAIMS_BASE_URL: mine.url, CLAIMS_API_KEY: "sk_of_environment" };
    const file = writeDotenv({ CLAIMS_BASE_URL: mine.url, CLAIMS_API_KEY: "sk_of_file" });
    const cases: [string[], Record<string, string>][] = [
      [["--base-url", wrong.url], env],
      [["--base-url", wrong.url, "--profile", "mine"], env],
      [["--base-url", wrong.url], { ...env, ...variables }],
      [["--base-url", wrong.url, "--dotenv", file], env],
      [["--dotenv", writeDotenv({ CLAIMS_BASE_URL: wrong.url })], { ...env, ...variables }],
      [[], { ...env, CLAIMS_BASE_URL: wrong.url }],
      [[], { ...env, CLAIMS_BASE_URL: wrong.url, CLAIMS_PROFILE: "mine" }],
    ];
    for (const [flags, environment] of cases) {
      const result = await runCli([...STATUS, ...flags], { env: environment });
      const error = errorOf(result);
      expect(error).toMatchObject({ code: "credential_mismatch", exitCode: 4 });
      expect(error.message).toContain(`is for ${mine.url}`);
      expect(error.message).toContain(wrong.url);
      expect(error.hint).toContain("claims auth login");
      expect(result.stdout).toBe("");
      expect(result.stderr).not.toMatch(/sk_of/);
    }
    expect([mine.requests, wrong.requests]).toEqual([[], []]);
  });

  it("refuses to send a credential to another environment", async () => {
    const env = bareEnvironment();
    const service = await startService();
    await storeProfile(env, "prod", service.url, "--environment", "production");
    const cases: [string[], Record<string, string>][] = [
      [["--environment", "sandbox"], env],
      [[], { ...env, CLAIMS_ENVIRONMENT: "sandbox" }],
      [["--environment", "production"], { ...env, CLAIMS_API_KEY: "sk_x", CLAIMS_ENVIRONMENT: "sandbox" }],
    ];
    for (const [flags, environment] of cases) {
      const result = await runCli([...STATUS, ...flags], { env: environment });
      expect(errorOf(result)).toMatchObject({ code: "credential_mismatch", exitCode: 4 });
      // Without --environment, the suggested login would store a credential for the wrong environment.
      expect(errorOf(result).hint).toMatch(
        /claims auth login .*--environment sandbox|--environment production/,
      );
    }
    expect(service.requests).toEqual([]);
  });

  it("refuses a stored credential after the base URL of its profile changed", async () => {
    const env = bareEnvironment();
    const [before, after] = [await startService(), await startService()];
    await storeProfile(env, "moving", before.url);
    const moved = await runCli(["profiles", "set", "moving", "--base-url", after.url], { env });
    expect(moved.stderr).toContain("claims auth login --profile moving");
    expect(errorOf(await runCli(STATUS, { env }))).toMatchObject({
      code: "credential_mismatch",
      exitCode: 4,
    });
    await storeProfile(env, "moving", after.url);
    expect((await runCli(STATUS, { env })).code).toBe(0);
    expect([before.requests.length, after.requests.length]).toEqual([0, 1]);
  });
});

describe("access tokens", () => {
  /** Starts a service that issues numbered tokens and accepts only the latest one. */
  async function tokenService(expiresIn?: number) {
    const tokens: string[] = [];
    const service = await startScriptedService((request, response) => {
      if (request.method === "POST") {
        tokens.push(`at_secret_${tokens.length + 1}`);
        return sendJson(response, 200, { access_token: tokens.at(-1), expires_in: expiresIn });
      }
      const isGood = request.headers.authorization === `Bearer ${tokens.at(-1)}`;
      sendJson(response, isGood ? 200 : 401, { state: "completed" });
    });
    const { CLAIMS_API_KEY: _, ...env } = service.env;
    return { tokens, env: { ...env, CLAIMS_CLIENT_ID: "cl_1", CLAIMS_CLIENT_SECRET: "cs_secret_1" } };
  }

  const tokenCachePath = (env: Record<string, string>) =>
    join(env.CLAIMS_CONFIG_DIR ?? "", "state", "tokens.json");

  it("are reused by the next command, and requested again after a 401", async () => {
    const { tokens, env } = await tokenService(3600);
    expect((await runCli(STATUS, { env })).code).toBe(0);
    expect((await runCli(STATUS, { env })).code).toBe(0);
    expect(tokens).toHaveLength(1);
    expect(statSync(tokenCachePath(env)).mode & 0o777).toBe(0o600);
    tokens.push("at_of_somebody_else");
    expect((await runCli(STATUS, { env })).code).toBe(0);
    expect(readFileSync(tokenCachePath(env), "utf8")).toContain("at_secret_3");
    expect((await runCli(STATUS, { env })).code).toBe(0);
    expect(tokens).toHaveLength(3);
    // Another secret is another cache entry.
    await runCli(STATUS, { env: { ...env, CLAIMS_CLIENT_SECRET: "cs_secret_2" } });
    expect(tokens).toHaveLength(4);
    expect(readFileSync(tokenCachePath(env), "utf8")).not.toContain("cs_secret");
  });

  it.each([
    ["the response has no expires_in", undefined],
    ["they expire within 30 seconds", 29],
  ])("are not cached if %s", async (_, expiresIn) => {
    const { tokens, env } = await tokenService(expiresIn);
    await runCli(STATUS, { env });
    expect((await runCli(STATUS, { env })).code).toBe(0);
    expect(tokens).toHaveLength(2);
  });

  it.each(["{", "[1]", '{"a":{"token":1}}'])("replace an invalid cache file: %s", async (text) => {
    const { tokens, env } = await tokenService(3600);
    await runCli(STATUS, { env });
    writeFileSync(tokenCachePath(env), text);
    const result = await runCli(STATUS, { env });
    expect(result.code).toBe(0);
    expect(result.stderr).toContain(`{"warning":{"message":"ignoring ${tokenCachePath(env)}: it is invalid`);
    expect((await runCli(STATUS, { env })).stderr).toBe("");
    expect(tokens).toHaveLength(2);
  });
});
