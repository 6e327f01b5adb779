import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bareEnvironment, errorOf, fixture, runCli, temporaryFile, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";

/** Starts a sandbox, and returns a function that runs the command line with only its credential in the environment. */
async function setUp() {
  const sandbox = await sandboxForTest();
  const { CLAIMS_BASE_URL: url = "", ...env } = environmentOf(sandbox);
  const cwd = temporaryFolder();
  return { url, cwd, env, claims: (...args: string[]) => runCli(args, { env, cwd }) };
}

describe("global options before the command", () => {
  it("act as after it", async () => {
    const { url, claims, cwd } = await setUp();
    await claims(...submitArgs(fixture("sample_entries.csv")), "--base-url", url, "--wait");
    const lines = [
      ["--json", "diligence status --last"],
      ["--json -v", "clients list --limit 1"],
      ["--csv --fields id,name --timeout=9", "clients list"],
      ["--no-color --dry-run", "clients list"],
      ["--yes --no-input --environment sandbox", "clients create --name A -q"],
      ["--json", "api GET /v1/clients"],
    ];
    for (const [before = [], words = []] of lines.map((parts) => parts.map((part) => part.split(" ")))) {
      const leading = await claims("--base-url", url, ...before, ...words);
      const trailing = await claims(...words, ...before, `--base-url=${url}`);
      const line = [...before, ...words].join(" ");
      expect([leading.code, trailing.code], line).toEqual([0, 0]);
      if (words[1] !== "create") expect(leading.stdout, line).toBe(trailing.stdout);
      expect(leading.stdout, line).not.toBe("");
      expect(leading.stderr !== "", line).toBe(before.includes("-v"));
    }
    expect((await claims("--out", "a.json", "--base-url", url, "clients", "list", "--json")).code).toBe(0);
    expect(JSON.parse(readFileSync(join(cwd, "a.json"), "utf8"))).toHaveProperty("data");
  });

  it("select a profile and a file of variables", async () => {
    const { url, claims, cwd } = await setUp();
    await claims("--base-url", url, "profiles", "set", "p");
    expect((await claims("--profile", "p", "clients", "list", "--json")).code).toBe(0);
    writeFileSync(join(cwd, "x.env"), `CLAIMS_BASE_URL=${url}\n`);
    expect((await claims("--dotenv=x.env", "--json", "clients", "list")).code).toBe(0);
  });

  it("exit 2 before a command that does not take them, naming both", async () => {
    const env = bareEnvironment();
    for (const [args, message, hint] of [
      [
        ["--base-url", "http://127.0.0.1:9", "sandbox", "list"],
        "`claims sandbox list` does not take --base-url",
        "`claims sandbox list --help`",
      ],
      [["--ndjson", "client", "create"], "`claims clients create` does not take --ndjson", "--help"],
      [["--json", "--profile=x", "help", "exit-codes"], "`claims help` does not take --profile", "--help"],
      [["--json"], "no command follows --json", "`claims --help`"],
      [["-v", "--profile", "diligence"], "no command follows -v --profile", "`claims --help`"],
      [["-v", "sandbox", "clock"], "no command follows -v", "`claims sandbox clock --help`"],
      [["--json", "dili", "status"], "unknown command 'dili'", "claims diligence"],
      [["--json=1", "clients", "list"], "--json takes no value", "write --json alone"],
      [["--seller-name", "x", "diligence", "submit"], "unknown option '--seller-name'", "follow it"],
      [["diligence", "--json", "status"], "unknown option '--json'", "claims diligence --help"],
      [["clients", "list", "--base-url"], "option '--base-url <url>' argument missing", "--help"],
    ] as const) {
      const result = await runCli(args, { env });
      const { stderr, code, stdout } = result;
      const error = stderr.startsWith("{") ? errorOf(result) : null;
      const shown = error ? `error: ${error.message}\nhint: ${error.hint}` : stderr;
      expect([code, stdout], args.join(" ")).toEqual([2, ""]);
      expect(shown).toContain(`error: ${message}\n`);
      expect(shown).toContain(hint);
    }
  });

  it("are never read after --", async () => {
    const env = bareEnvironment();
    const script = temporaryFile("print.mjs", "console.log(process.argv.slice(2).join())");
    const node = [process.execPath, script];
    const run = (...args: string[]) => runCli(args, { env });
    const child = await run("--no-color", "sandbox", "exec", "--", ...node, "--json", "--base-url");
    expect([child.code, child.stdout]).toEqual([0, "--json,--base-url\n"]);
    const profile = await run("--profile", "p", "sandbox", "exec", "--", ...node, "--json");
    expect([profile.code, profile.stdout]).toEqual([2, ""]);
    expect(profile.stderr).toMatch(/^error: `claims sandbox exec` does not take --profile\nhint: /);
  });

  it("leave help and the version as they are", async () => {
    const help = await runCli(["diligence", "status", "--help"]);
    for (const args of [
      ["--profile", "p", "diligence", "status", "--help"],
      ["-v", "help", "diligence", "status"],
      ["-v", "diligence", "help", "status"],
    ])
      expect(await runCli(args), args.join(" ")).toEqual(help);
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    for (const args of [["--version"], ["-v", "--version"]])
      expect(await runCli(args)).toMatchObject({ code: 0, stdout: `${version}\n` });
    const main = await runCli(["--help"]);
    expect(main.stdout).toContain("Global options, such as --json and --base-url, stand before or after");
    for (const args of [["-q", "--help"], ["help"]])
      expect((await runCli(args)).stdout, args.join(" ")).toBe(main.stdout);
    expect((await runCli(["help", "--json"])).stderr).toContain("no help topic given");
  });

  it("are completed, and the command after them", async () => {
    const cwd = temporaryFolder();
    const env = bareEnvironment(cwd);
    const complete = async (...words: string[]) =>
      (await runCli(["__complete", "--", ...words], { env })).stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => line.replace(/\t.*/, ""));
    expect(await complete("--json", "dili")).toEqual(["diligence"]);
    expect(await complete("--profile", "x", "diligence", "sub")).toEqual(["submit"]);
    expect(await complete("--environment=sa")).toEqual(["--environment=sandbox"]);
    expect(await complete("-v", "--environment", "sa")).toEqual(["sandbox"]);
    expect(await complete("--json", "help", "exit")).toEqual(["exit-codes"]);
    expect(await complete("--ver")).toEqual(["--verbose", "--version"]);
    expect(await complete("--he")).toEqual(["--help"]);
    const flags = await complete("--json", "clients", "list", "--");
    expect(flags).toContain("--base-url");
    expect(flags).not.toContain("--json");
    expect(await complete("")).toEqual(expect.arrayContaining(["diligence", "api"]));
  });
});

describe("the value of an unknown option", () => {
  // Not in the form that no command line of this suite may contain.
  const TEXT = "for-tests-only-0000";

  it.each([
    ["api-key", []],
    ["api-key", ["--json", "clients", "list"]],
    ["secret", ["webhooks", "verify"]],
    ["secret-fil", ["webhooks", "create", "http://127.0.0.1:9"]],
    ["key", ["sandbox", "clock", "show"]],
  ])("is not printed: --%s=… with %j", async (name, args) => {
    for (const value of [TEXT, `x=${TEXT}`, `a\n${TEXT}`, `'${TEXT}'`, `\n(${TEXT})`])
      for (const form of [[], ["--json"]]) {
        const result = await runCli([...args, `--${name}=${value}`, ...form], { env: bareEnvironment() });
        expect(result).toMatchObject({ code: 2, stdout: "" });
        expect(result.stderr).toContain(`unknown option '--${name}'`);
        expect(result.stderr).not.toContain(TEXT);
      }
  });

  it("is printed if the option is known and its value is not a secret", async () => {
    const result = await runCli(["diligence", "wait", "x", "--timeout=soon", "--json"]);
    expect(errorOf(result).message).toBe('"soon" is not a duration');
  });
});

it.each([
  ["offers create --claim --dry-run", "--claim has no value: the next word is the option --dry-run"],
  ["clients list --fields -q", "--fields has no value: the next word is the option -q"],
])("an option in the place of a value is refused: %s", async (line, message) => {
  const sandbox = await sandboxForTest();
  const { code, stderr } = await runCli(line.split(" "), { env: environmentOf(sandbox) });
  expect(code).toBe(2);
  expect(stderr).toContain(message);
  expect(await sandbox.requests.list()).toEqual([]);
});
