import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import type { Capabilities } from "../../src/cli/capabilities/schema.ts";
import { errorOf, fixture, runCli } from "../support/cli.ts";
import { COMMANDS, listCommands } from "../support/command-tree.ts";
import { environmentOf, SELLER, sandboxForTest } from "../support/sandbox.ts";

async function readCapabilities(...args: string[]): Promise<Capabilities> {
  const { code, stdout, stderr } = await runCli(["capabilities", "--json", ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

describe("capabilities", () => {
  it("prints a document that its own schema accepts", async () => {
    const all = await readCapabilities();
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    const isValid = ajv.compile(all.schemas.Capabilities as object);
    expect(isValid(all), JSON.stringify(isValid.errors)).toBe(true);
    expect(isValid(await readCapabilities("--command", "diligence submit"))).toBe(true);
    expect(isValid({ ...all, commands: [{}] })).toBe(false);
    for (const schema of Object.values(all.schemas))
      expect(() => ajv.compile(schema as object)).not.toThrow();
    expect(all.$schema).toContain(all.version);
  });

  it("contains the schema of the output of each command", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    const { commands, schemas } = await readCapabilities();
    const printed = new Map(
      commands.flatMap(({ name, prints }) => (prints === null ? [] : [[name, prints]])),
    );
    const id = async (...args: string[]) => (await runCli([...args, "-q"], { env })).stdout.trim();

    const job = await id(
      "diligence",
      "submit",
      fixture("sample_entries.csv"),
      "--seller-name",
      SELLER,
      "--wait",
    );
    const client = await id("clients", "create", "--name", "Acme");
    const claim = await id("claims", "create", "--client", client, "--job", job);
    const otherJob = await id(
      "diligence",
      "submit",
      fixture("sample_es003.csv"),
      "--seller-name",
      SELLER,
      "--wait",
    );
    const scan = await id("scans", "create", "--wait");
    const organization = [
      "--name",
      "North",
      "--contact-name",
      "Ida",
      "--contact-email",
      "i@n.example",
      "--country",
      "US",
    ];
    const endpoint = ["http://127.0.0.1:9/hook", "--label", "x", "--scope", "sandbox"];
    const lines: Record<string, string[]> = {
      "diligence status": [job],
      "diligence wait": [job],
      "diligence report": [job],
      "diligence dataset": [job],
      "webhooks create": endpoint,
      "webhooks list": [],
      "webhooks test": ["partner.test"],
      "webhooks deliveries": [],
      "clients list": [],
      "clients create": ["--name", "Beta"],
      "claims list": [],
      "claims create": ["--client", client, "--job", otherJob],
      "claims status": [claim],
      "offers create": ["--claim", claim],
      "offers list": [],
      "revenue ledger": [],
      "revenue dashboard": [],
      "scans create": [],
      "scans get": [scan],
      "scans summary": [scan],
      "orgs onboard": ["north", ...organization],
      "orgs get": ["north"],
      "litigation enroll": [claim],
      "notifications create": ["--recipient", "i@n.example", "--subject", "Ready", "--message", "There."],
    };
    expect([...printed.keys()].filter((name) => name !== "capabilities").sort()).toEqual(
      Object.keys(lines).sort(),
    );
    for (const [name, args] of Object.entries(lines)) {
      const { code, stdout, stderr } = await runCli([...name.split(" "), ...args, "--json"], { env });
      expect(code, `${name}: ${stderr}`).toBe(0);
      const isValid = ajv.compile(schemas[printed.get(name) ?? ""] as object);
      expect(isValid(JSON.parse(stdout)), `${name}: ${JSON.stringify(isValid.errors)}`).toBe(true);
    }

    const failed = await runCli(["claims", "status", "unknown", "--json"], { env });
    const isError = ajv.compile(schemas.Error as object);
    expect(isError(JSON.parse(failed.stderr)), failed.stderr).toBe(true);
  });

  it("has every command and every option of --help", async () => {
    const { commands } = await readCapabilities();
    const declared = listCommands();
    expect(commands.map(({ name }) => `claims ${name}`).sort()).toEqual([...declared.keys()].sort());
    for (const { name, options } of commands) {
      const flags = declared.get(`claims ${name}`)?.options.map(({ long }) => long);
      expect(
        options.map(({ flag }) => flag),
        name,
      ).toEqual(flags);
    }
  });

  it("has the options that completion offers", async () => {
    const { commands } = await readCapabilities();
    for (const { name, options } of commands) {
      const { stdout } = await runCli(["__complete", "--", ...name.split(" "), "--"]);
      const offered = stdout.split("\n").flatMap((line) => line.split("\t")[0] || []);
      expect(offered.sort(), name).toEqual([...options.map(({ flag }) => flag), "--help"].sort());
    }
  });

  it("prints a command, a group or a noun with --command, also by its singular", async () => {
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

  it("prints a summary without --json", async () => {
    const { stdout } = await runCli(["capabilities"]);
    expect(stdout).toMatch(/^capabilities\tcommands\t\d+$/m);
    expect(stdout.length).toBeLessThan(2_000);
    expect((await runCli(["capabilities", "--command", "scans get"])).stdout).toContain("scan id");
  });
});
