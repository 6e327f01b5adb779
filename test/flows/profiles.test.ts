import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  bareEnvironment,
  type CliResult,
  errorOf,
  ROOT,
  runCli,
  spawnCli,
  temporaryFolder,
} from "../support/cli.ts";
import { itEachFirst } from "../support/large.ts";
import { createTerminalContext } from "../support/terminal.ts";

type Environment = Record<string, string>;

const configPath = (env: Environment): string => join(env.CLAIMS_CONFIG_DIR ?? "", "config.json");

const set = (env: Environment, name: string, ...more: string[]) =>
  runCli(["profiles", "set", name, ...more, "--json"], { env });

const KEY_INPUT = ["--no-check", "--key-file", "-"];

const login = (env: Environment, name: string, ...more: string[]) =>
  runCli(["auth", "login", "--profile", name, "--base-url", "https://x.example", ...KEY_INPUT, ...more], {
    env,
    input: "sk_secret_of_profile",
  });

/** Creates an environment with this text as configuration file. */
function withConfig(text: string): Environment {
  const env = bareEnvironment();
  mkdirSync(dirname(configPath(env)), { recursive: true });
  writeFileSync(configPath(env), text, { mode: 0o600 });
  return env;
}

describe("profiles", () => {
  it("are created, listed, selected, shown and removed", async () => {
    const env = bareEnvironment();
    expect((await runCli(["profiles", "list"], { env })).stdout).toBe("");
    expect((await set(env, "local", "--base-url", "HTTP://LocalHost:4750/")).code).toBe(0);
    expect((await set(env, "prod", "--base-url", "https://x.example/partner/")).code).toBe(0);
    expect((await login(env, "ci", "--environment", "sandbox")).code).toBe(0);
    const list = await runCli(["profiles", "list"], { env });
    expect(list.stdout).toBe(
      "local\tfalse\thttp://localhost:4750\tsandbox\t\n" +
        "prod\tfalse\thttps://x.example/partner\tproduction\t\n" +
        "ci\ttrue\thttps://x.example\tsandbox\tapi_key\n",
    );
    expect((await runCli(["profiles", "list", "-q"], { env })).stdout).toBe("local\nprod\nci\n");

    expect((await runCli(["profiles", "use", "prod"], { env })).code).toBe(0);
    const profile = await runCli(["profiles", "show", "--json"], { env });
    expect(JSON.parse(profile.stdout)).toEqual({
      name: "prod",
      current: true,
      baseUrl: "https://x.example/partner",
      environment: "production",
      caFile: null,
      credential: null,
      mapping: null,
      webhookSecret: null,
    });
    const ci = await runCli(["profiles", "show", "ci", "--json"], { env });
    expect(JSON.parse(ci.stdout).credential).toMatchObject({ kind: "api_key", environment: "sandbox" });
    expect(ci.stdout).not.toContain("sk_secret");

    expect((await runCli(["profiles", "remove", "prod"], { env })).stdout).toContain("no profile is current");
    const unconfirmed = await runCli(["profiles", "remove", "ci", "--json"], { env });
    expect(errorOf(unconfirmed)).toMatchObject({ code: "not_confirmed", exitCode: 2 });
    expect((await runCli(["profiles", "remove", "ci", "--yes"], { env })).code).toBe(0);
    expect((await runCli(["profiles", "list", "-q"], { env })).stdout).toBe("local\n");
    expect(readFileSync(configPath(env), "utf8")).not.toContain("sk_secret");
  });

  it("ask before a credential is removed, and mark the current profile", async () => {
    const env = bareEnvironment();
    await login(env, "ci");
    await set(env, "other", "--base-url", "https://y.example");
    const list = createTerminalContext({ env });
    expect(await list.run("profiles", "list", "--no-color")).toBe(0);
    expect(list.stdout.text).toMatch(/^ci +\* +https:\/\/x\.example +production +API key$/m);
    expect(list.stdout.text).toMatch(/^other +https:\/\/y\.example +production +–$/m);
    expect(await createTerminalContext({ env, typed: "n\n" }).run("profiles", "remove", "ci")).toBe(2);
    expect(await createTerminalContext({ env, typed: "y\n" }).run("profiles", "remove", "ci")).toBe(0);
  });

  it("keep unchanged settings, and infer the environment of a new base URL", async () => {
    const env = bareEnvironment();
    await set(env, "p", "--base-url", "https://x.example", "--environment", "sandbox");
    const caFile = fileURLToPath(new URL("../support/tls/cert.pem", import.meta.url));
    const relativePath = relative(process.cwd(), caFile);
    expect(JSON.parse((await set(env, "p", "--ca-file", relativePath)).stdout)).toMatchObject({
      environment: "sandbox",
      caFile,
    });
    expect(errorOf(await set(env, "p", "--ca-file", "nowhere.pem"))).toMatchObject({ code: "cannot_read" });
    expect(JSON.parse((await set(env, "p", "--base-url", "https://y.example")).stdout)).toMatchObject({
      environment: "production",
      baseUrl: "https://y.example",
      caFile: null,
    });
    expect(errorOf(await set(env, "new"))).toMatchObject({ code: "missing_option", exitCode: 2 });
  });

  it("cause exit 3 for an unknown name, in arguments, --profile and CLAIMS_PROFILE", async () => {
    const env = bareEnvironment();
    await set(env, "staging", "--base-url", "https://x.example");
    const lines = [
      ["profiles", "use", "stagin"],
      ["profiles", "show", "constructor"],
      ["profiles", "remove", "__proto__"],
      ["auth", "status", "--profile", "toString"],
      ["auth", "logout", "--profile", "nobody"],
      ["diligence", "status", "x", "--profile", "nobody"],
    ];
    for (const line of lines) {
      const result = await runCli([...line, "--json"], { env });
      expect(errorOf(result), line.join(" ")).toMatchObject({ code: "unknown_profile", exitCode: 3 });
      expect(errorOf(result).hint).toContain("staging");
    }
    const variable = await runCli(["auth", "status", "--json"], {
      env: { ...env, CLAIMS_PROFILE: "nobody" },
    });
    expect(errorOf(variable)).toMatchObject({ code: "unknown_profile", exitCode: 3 });
  });

  it.each(["__proto__", "-x", "a b", "", "a/b", "x".repeat(65)])("cannot be named %j", async (name) => {
    const result = await runCli(["profiles", "set", "--base-url", "https://x.example", "--json", "--", name]);
    expect(errorOf(result)).toMatchObject({ code: "option_invalid", exitCode: 2 });
  });
});

describe("the configuration file", () => {
  it("is restricted to the owner, with a warning", async () => {
    const env = bareEnvironment();
    await login(env, "ci");
    const path = configPath(env);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(path))).toEqual(["config.json"]);
    chmodSync(path, 0o644);
    expect((await runCli(["profiles", "list"], { env })).stderr).toBe(
      `warning: other users could read ${path}; restricted it to you\n`,
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each([
    [
      "a link to a file that others can write",
      "it is a link or root's file, and others can write it; restrict it with chmod go-w",
      (path: string) => {
        renameSync(path, `${path}.target`);
        symlinkSync(`${path}.target`, path);
        chmodSync(path, 0o666);
      },
    ],
    [
      "a file of another user",
      "it belongs to another user",
      (path: string) => chownSync(path, 12_345, 12_345),
    ],
  ])("is refused without a change if it is %s", async (_, problem, replace) => {
    if (problem.includes("user") && process.getuid?.() !== 0) return;
    const env = bareEnvironment();
    await login(env, "ci");
    const path = configPath(env);
    chmodSync(path, 0o644);
    replace(path);
    const [text, mode] = [readFileSync(path, "utf8"), statSync(path).mode];
    for (const args of [
      ["profiles", "list"],
      ["profiles", "set", "x", "--base-url", "https://x.example"],
    ]) {
      const result = await runCli([...args, "--json"], { env });
      expect(result).toMatchObject({ code: 2, stdout: "" });
      expect(errorOf(result)).toMatchObject({
        code: "config_invalid",
        message: `cannot read ${path}: ${problem}`,
      });
    }
    expect([readFileSync(path, "utf8"), statSync(path).mode]).toEqual([text, mode]);
  });

  it("is read and written through a link, as dotfiles are", async () => {
    const env = bareEnvironment();
    await login(env, "ci");
    const path = configPath(env);
    const target = join(env.HOME ?? "", "dotfiles-claims");
    renameSync(path, target);
    symlinkSync(target, path);
    const args = ["profiles", "set", "x", "--base-url", "https://x.example"];
    expect(await runCli(args, { env })).toMatchObject({ code: 0, stderr: "" });
    expect((await runCli(["profiles", "list", "-q"], { env })).stdout).toBe("ci\nx\n");
    expect([readlinkSync(path), statSync(target).mode & 0o777]).toEqual([target, 0o600]);
    rmSync(target);
    expect(await runCli(args, { env })).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(target, "utf8")).profiles).toHaveProperty("x");
  });

  it("may be behind a symbolic link to its folder", async () => {
    const env = bareEnvironment();
    await login(env, "ci");
    const folder = dirname(configPath(env));
    symlinkSync(folder, `${folder}-link`);
    const linked = { ...env, CLAIMS_CONFIG_DIR: `${folder}-link` };
    expect(await runCli(["profiles", "list", "-q"], { env: linked })).toMatchObject({ code: 0, stderr: "" });
  });

  it("gets one warning per command if others can write its folder", async () => {
    const env = bareEnvironment();
    await login(env, "ci");
    const folder = dirname(configPath(env));
    for (const mode of [0o770, 0o702]) {
      chmodSync(folder, mode);
      for (const args of [
        ["profiles", "list"],
        ["auth", "logout", "--profile", "ci"],
      ])
        expect((await runCli(args, { env })).stderr.match(/^warning: .*$/gm)).toEqual([
          `warning: other users can write to ${folder}; restrict it with chmod 700`,
        ]);
    }
    chmodSync(folder, 0o755);
    expect((await runCli(["profiles", "list"], { env })).stderr).toBe("");
  });

  it("keeps the profiles of concurrent commands", async () => {
    const env = bareEnvironment();
    const names = Array.from({ length: 6 }, (_, index) => `p${index}`);
    // On a busy machine, a command can give up its wait for the lock, and says that it wrote nothing.
    const setProfile = async (name: string): Promise<CliResult> => {
      const result = await set(env, name, "--base-url", "https://x.example");
      return result.code === 6 ? setProfile(name) : result;
    };
    const all = await Promise.all(names.map(setProfile));
    expect(all.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, ""]));
    const list = await runCli(["profiles", "list", "-q"], { env });
    expect(list.stdout.trim().split("\n").sort()).toEqual([...names].sort());
    expect(readdirSync(dirname(configPath(env)))).toEqual(["config.json"]);
  });

  it("survives killed commands", { tags: "large" }, async () => {
    const env = bareEnvironment();
    await set(env, "first", "--base-url", "https://x.example");
    for (const delayMs of [20, 60, 110]) {
      const { child, completion } = spawnCli(
        ["profiles", "set", `after${delayMs}`, "--base-url", "https://x.example"],
        { env },
      );
      setTimeout(() => child.kill("SIGKILL"), delayMs);
      await completion;
      expect((await runCli(["profiles", "show", "first"], { env })).code).toBe(0);
    }
    expect((await set(env, "last", "--base-url", "https://x.example")).code).toBe(0);
  });

  it("is read with the byte order mark of an editor on Windows", async () => {
    const env = withConfig(`\ufeff${createConfig({})}`);
    expect(await runCli(["profiles", "use", "p"], { env })).toMatchObject({ code: 0 });
  });

  itEachFirst([[""], ["relative"]])("is in the home folder of the user if HOME is %j", (home) => {
    const read = `require("./dist/cli.cjs").createContext({}).homeDirectory`;
    const options = { cwd: ROOT, env: { ...process.env, HOME: home }, encoding: "utf8" } as const;
    expect(execFileSync(process.execPath, ["-p", read], options).trim()).toBe(userInfo().homedir);
  });

  const profile = { baseUrl: "https://x.example", environment: "sandbox" };
  const createConfig = (more: object) =>
    JSON.stringify({ version: 1, current: null, profiles: { p: { ...profile, ...more } } });

  it.each([
    ["invalid JSON", '{"key": "sk_secret_in_it', "config.json is not JSON"],
    ["no version", "{}", "is invalid: version: expected 1"],
    ["an invalid base URL", createConfig({ baseUrl: "x" }), "profiles.p.baseUrl: expected an http(s) URL"],
    [
      "a number for a secret",
      createConfig({ webhookSecret: 7 }),
      "profiles.p.webhookSecret: expected a string",
    ],
    [
      "an incomplete credential",
      createConfig({ credential: { ...profile, kind: "oauth_client", clientSecret: "sk_secret_in_it" } }),
      "profiles.p.credential.clientId: expected a string",
    ],
    ["the format of a newer program", '{"version":2,"profiles":[]}', "format 2"],
  ])("is reported and left unchanged if it has %s", async (_, text, message) => {
    const env = withConfig(text);
    const lines = [
      ["profiles", "list"],
      ["auth", "login", "--base-url", "https://x.example", "--no-check", "--key-file", "-"],
    ];
    for (const line of lines) {
      const result = await runCli([...line, "--json"], { env, input: "sk_new" });
      expect(result).toMatchObject({ code: 2, stdout: "" });
      expect(errorOf(result)).toMatchObject({ code: "config_invalid", hint: expect.any(String) });
      expect(errorOf(result).message).toContain(configPath(env));
      expect(errorOf(result).message).toContain(message);
      expect(result.stderr).not.toContain("sk_secret");
    }
    expect(readFileSync(configPath(env), "utf8")).toBe(text);
  });

  it("is not replaced if it is read-only or a folder", async () => {
    const env = bareEnvironment();
    await set(env, "p", "--base-url", "https://x.example");
    const before = readFileSync(configPath(env), "utf8");
    chmodSync(configPath(env), 0o400);
    const readOnly = await set(env, "q", "--base-url", "https://x.example");
    expect(errorOf(readOnly)).toMatchObject({ code: "cannot_write", exitCode: 2 });
    expect(errorOf(readOnly).message).toContain("it is read-only; nothing was changed");
    expect(readFileSync(configPath(env), "utf8")).toBe(before);
    expect((await runCli(["profiles", "list", "-q"], { env })).stdout).toBe("p\n");

    const blocked = bareEnvironment();
    writeFileSync(blocked.CLAIMS_CONFIG_DIR ?? "", "");
    const result = await set(blocked, "q", "--base-url", "https://x.example");
    expect(errorOf(result)).toMatchObject({ code: "cannot_write", exitCode: 2 });

    const folder = bareEnvironment();
    mkdirSync(configPath(folder), { recursive: true });
    expect(errorOf(await runCli(["profiles", "list", "--json"], { env: folder }))).toMatchObject({
      code: "config_invalid",
      message: `cannot read ${configPath(folder)}: it is a folder`,
    });
  });

  it("is in the configuration folder of the platform, and reading does not create it", async () => {
    const { CLAIMS_CONFIG_DIR: _, ...env } = bareEnvironment();
    const home = env.HOME ?? "";
    await runCli(["profiles", "list"], { env });
    await runCli(["auth", "status"], { env });
    expect(readdirSync(home)).toEqual([]);
    await login(env as Environment, "ci");
    const folder = process.platform === "darwin" ? "Library/Preferences/claims" : ".config/claims";
    expect(existsSync(join(home, folder, "config.json"))).toBe(true);
    const xdg = { ...env, XDG_CONFIG_HOME: join(home, "xdg") } as Environment;
    if (process.platform === "linux") {
      await login(xdg, "ci");
      expect(existsSync(join(home, "xdg", "claims", "config.json"))).toBe(true);
      const relative = { ...env, XDG_CONFIG_HOME: "xdg", XDG_STATE_HOME: "." };
      const cwd = temporaryFolder();
      expect((await runCli(["profiles", "use", "ci"], { env: relative, cwd })).code).toBe(0);
      expect(readdirSync(cwd)).toEqual([]);
    }
  });

  it.each(["claims", "~/claims", " "])("is not at a relative path: CLAIMS_CONFIG_DIR=%j", async (path) => {
    const env = { ...bareEnvironment(), CLAIMS_CONFIG_DIR: path };
    const cwd = temporaryFolder();
    const result = await runCli(["profiles", "list", "--json"], { env, cwd });
    expect([result.code, errorOf(result).code]).toEqual([2, "option_invalid"]);
    expect(errorOf(result).message).toContain("CLAIMS_CONFIG_DIR");
    expect(readdirSync(cwd)).toEqual([]);
  });
});
