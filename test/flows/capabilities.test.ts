import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import type { Capabilities } from "../../src/cli/capabilities/schema.ts";
import { errorOf, runCli } from "../support/cli.ts";
import { COMMANDS, commandsOf } from "../support/command-tree.ts";

async function readCapabilities(...args: string[]): Promise<Capabilities> {
  const { code, stdout, stderr } = await runCli(["capabilities", "--json", ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

describe("claims capabilities", () => {
  it("prints a document that its own schema accepts", async () => {
    const all = await readCapabilities();
    const ajv = new Ajv2020.default({ strict: false, allErrors: true });
    addFormats.default(ajv);
    const isValid = ajv.compile(all.schemas.Capabilities as object);
    expect(isValid(all), JSON.stringify(isValid.errors)).toBe(true);
    expect(isValid(await readCapabilities("--command", "diligence submit"))).toBe(true);
    expect(isValid({ ...all, commands: [{}] })).toBe(false);
    for (const schema of Object.values(all.schemas))
      expect(() => ajv.compile(schema as object)).not.toThrow();
    expect(all.$schema).toContain(all.version);
  });

  it("has every command and every option of --help", async () => {
    const { commands } = await readCapabilities();
    const declared = commandsOf();
    expect(commands.map(({ name }) => `claims ${name}`).sort()).toEqual([...declared.keys()].sort());
    for (const { name, options } of commands) {
      const flags = declared.get(`claims ${name}`)?.options.map(({ long }) => long);
      expect(
        options.map(({ flag }) => flag),
        name,
      ).toEqual(flags);
    }
  });

  it("prints a part with --command: a command, a group or a noun, also by the singular", async () => {
    const one = await readCapabilities("--command", "claims diligence  submit");
    expect(one.commands.map(({ name }) => name)).toEqual(["diligence submit"]);
    expect(one).not.toHaveProperty("exitCodes");
    const scans = await readCapabilities("--command", "scan");
    expect(scans.commands).toHaveLength(COMMANDS.scans.length);
    const wrong = await runCli(["capabilities", "--command", "diligence submt", "--json"]);
    expect(errorOf(wrong)).toMatchObject({
      code: "unknown_command",
      hint: 'did you mean "diligence submit"?',
    });
  });

  it("summarizes the parts for people", async () => {
    const { stdout } = await runCli(["capabilities"]);
    expect(stdout).toMatch(/^capabilities\tcommands\t\d+$/m);
    expect(stdout.length).toBeLessThan(2_000);
    expect((await runCli(["capabilities", "--command", "scans get"])).stdout).toContain("scan id");
  });
});
