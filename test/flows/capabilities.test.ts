import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { Capabilities } from "../../src/cli/documents/capabilities.ts";
import { DOCUMENTS } from "../../src/cli/documents/index.ts";
import { OPERATION_IDS } from "../../src/contract/operations/operations.ts";
import { bareEnvironment, runCli } from "../support/cli.ts";
import { listCommands } from "../support/command-tree.ts";
import { createOperationLines } from "../support/operation-lines.ts";
import { findPrinted } from "../support/printed-documents.ts";
import { GOLDEN_TIME, startSandboxUp } from "../support/sandbox.ts";

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

  it("prints a document of at most 160 kB that its published schema accepts", async () => {
    const all = await readCapabilities();
    const schema = JSON.parse(readFileSync("docs/reference/capabilities.schema.json", "utf8"));
    const isValid = new Ajv2020({ strict: false, allErrors: true }).compile(schema);
    expect(isValid(all), JSON.stringify(isValid.errors)).toBe(true);
    expect(isValid({ ...all, commands: [{}] })).toBe(false);
    expect(all.$schema).toContain(all.version);
    expect(JSON.stringify(all).length).toBeLessThan(160_000);
  });

  it("names what each command prints: a line of test/support/operation-lines.ts runs those of the service", async () => {
    const { commands } = await readCapabilities();
    const isOperation = (name: string | null) => OPERATION_IDS.some((id) => id === name);
    expect(
      commands
        .filter(({ prints }) => isOperation(prints))
        .map(({ name }) => name)
        .sort(),
    ).toEqual(Object.keys(await createOperationLines(async () => "")).sort());
    const others = commands.filter(({ prints }) => !isOperation(prints));
    const unknown = others.filter(({ prints }) => prints === null || findPrinted(prints) === undefined);
    expect(unknown.map(({ name, prints }) => [name, prints])).toEqual(
      ["webhooks vectors", "contract fetch", "sandbox csv", "api", "completion"].map((name) => [name, null]),
    );
    const printed = commands.map(({ prints }) => prints);
    expect(Object.keys(DOCUMENTS).filter((name) => !printed.includes(name))).toEqual([]);
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
