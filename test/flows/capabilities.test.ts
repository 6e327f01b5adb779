import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import type { Capabilities } from "../../src/cli/documents/capabilities.ts";
import { DOCUMENTS } from "../../src/cli/documents/index.ts";
import { bareEnvironment, runCli } from "../support/cli.ts";
import { listCommands } from "../support/command-tree.ts";
import { createOperationLines } from "../support/operation-lines.ts";
import { environmentOf, GOLDEN_TIME, sandboxForTest, startSandboxUp } from "../support/sandbox.ts";

/** Compiles the schema of that name, which may refer to others of the document; each is compiled once. */
function createCompiler({ $defs }: Pick<Capabilities, "$defs">) {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
  ajv.addSchema({ $defs }, "capabilities");
  return (name: string) =>
    ajv.getSchema(
      `capabilities#/$defs/${encodeURIComponent(name.replaceAll("/", "~1"))}`,
    ) as ValidateFunction;
}

async function readCapabilities(): Promise<Capabilities> {
  const { code, stdout, stderr } = await runCli(["capabilities", "--json"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

describe("capabilities", () => {
  it("lists --resend-unknown and --key-lifetime for each command that takes an idempotency key", async () => {
    const { commands } = await readCapabilities();
    const flagsOf = (command: Capabilities["commands"][number]) => JSON.stringify(command.options);
    const writing = commands.filter((command) => flagsOf(command).includes("idempotency-key"));
    expect(writing.length).toBeGreaterThan(10);
    for (const command of [...writing, ...commands.filter(({ name }) => name === "api")]) {
      expect(flagsOf(command), command.name).toContain("resend-unknown");
      expect(flagsOf(command), command.name).toContain("key-lifetime");
    }
  });

  it("prints a document that its own schema accepts", async () => {
    const all = await readCapabilities();
    const compile = createCompiler(all);
    const isValid = compile("Capabilities");
    expect(isValid(all), JSON.stringify(isValid.errors)).toBe(true);
    expect(isValid({ ...all, commands: [{}] })).toBe(false);
    for (const name of Object.keys(all.$defs)) expect(compile(name), name).toBeTypeOf("function");
    expect(all.$schema).toContain(all.version);
  });

  it("contains the schema of each response that a command prints", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const all = await readCapabilities();
    const compile = createCompiler(all);
    const { commands } = all;
    // The operations of the service; test/support/printed-documents.ts validates this program's own documents in every run.
    const printed = new Map(
      commands.flatMap(({ name, prints }) => (prints?.includes(".") ? [[name, prints]] : [])),
    );
    const id = async (...args: string[]) => (await runCli([...args, "-q"], { env })).stdout.trim();

    const { clientId: CLAIMS_CLIENT_ID, clientSecret: CLAIMS_CLIENT_SECRET } = sandbox.credentials.sandbox;
    const lines = await createOperationLines(id);
    expect([...printed.keys()].sort()).toEqual(Object.keys(lines).sort());
    for (const [name, argsOf] of Object.entries(lines)) {
      const args = await argsOf();
      const oauth = { ...env, CLAIMS_API_KEY: undefined, CLAIMS_CLIENT_ID, CLAIMS_CLIENT_SECRET };
      const { code, stdout, stderr } = await runCli([...name.split(" "), ...args, "--json"], {
        env: name === "auth token" ? oauth : env,
      });
      expect(code, `${name}: ${stderr}`).toBe(0);
      const isValid = compile(printed.get(name) ?? "");
      expect(isValid(JSON.parse(stdout)), `${name}: ${JSON.stringify(isValid.errors)}`).toBe(true);
    }

    const failed = await runCli(["claims", "status", "unknown", "--json"], { env });
    const isError = compile("Error");
    expect(isError(JSON.parse(failed.stderr)), failed.stderr).toBe(true);
  });

  it("has a schema for every command, except those that print another format or nothing", async () => {
    const { commands, $defs } = await readCapabilities();
    const names = Object.keys($defs);
    expect(commands.filter(({ prints }) => prints !== null && !names.includes(prints))).toEqual([]);
    expect(commands.filter(({ prints }) => prints === null).map(({ name }) => name)).toEqual([
      "webhooks vectors",
      "contract fetch",
      "sandbox csv",
      "api",
      "completion",
    ]);
    const printed = commands.map(({ prints }) => prints);
    const parts = ["Delivery", "Endpoint"];
    expect(
      Object.keys(DOCUMENTS)
        .filter((name) => !printed.includes(name))
        .sort(),
    ).toEqual(parts);
  });

  it("has each part of a schema once, and is small", async () => {
    const { stdout } = await runCli(["capabilities", "--json"]);
    expect(stdout.length).toBeLessThan(400_000);
    const { $defs } = JSON.parse(stdout) as Capabilities;
    const texts: string[] = [];
    JSON.stringify($defs, (_, value) => {
      const text = JSON.stringify(value) ?? "";
      if (text.length > 120 && typeof value?.type === "string") texts.push(text);
      return value;
    });
    expect(texts.length).toBeGreaterThan(100);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it("has schemas for the documents of commands that no other test runs with --json", async () => {
    const env = bareEnvironment();
    await startSandboxUp(env, "--frozen", "--at", GOLDEN_TIME);
    for (const line of [
      "profiles set ci --base-url http://127.0.0.1:9",
      "profiles use ci",
      "profiles remove ci",
      "aliases sunset /broker/onboard 2099-01-01",
      "sandbox env",
      "sandbox inspect",
      "sandbox snapshot save before",
      "clients create --name Acme",
      "sandbox faults add flaky",
      "sandbox faults list",
      "sandbox faults clear",
      "sandbox snapshot list",
      "sandbox snapshot load before",
      "sandbox emit partner.test",
      "sandbox reset",
    ]) {
      const { code, stdout, stderr } = await runCli([...line.split(" "), "--json"], { env });
      expect(code, `${line}: ${stderr}`).toBe(0);
      expect(stdout, line).not.toBe("");
    }
  });

  it("has every command and every option of --help", async () => {
    const { commands, options: shared } = await readCapabilities();
    const declared = listCommands();
    expect(commands.map(({ name }) => `claims ${name}`).sort()).toEqual([...declared.keys()].sort());
    for (const { name, options, ownOptions } of commands) {
      const flags = declared.get(`claims ${name}`)?.options.map(({ long }) => long);
      expect(options, name).toEqual(flags);
      const described = [...ownOptions, ...shared].map(({ flag }) => flag);
      expect(options.filter((flag) => !described.includes(flag))).toEqual([]);
    }
  });

  it("has the options that completion offers", async () => {
    const { commands } = await readCapabilities();
    for (const { name, options } of commands) {
      const { stdout } = await runCli(["__complete", "--", ...name.split(" "), "--"]);
      const offered = stdout.split("\n").flatMap((line) => line.split("\t")[0] || []);
      expect(offered.sort(), name).toEqual([...options, "--help"].sort());
    }
  });

  it("prints a summary without --json", async () => {
    const { stdout } = await runCli(["capabilities"]);
    expect(stdout).toMatch(/^capabilities\tcommands\t\d+$/m);
    expect(stdout.length).toBeLessThan(2_000);
  });
});
