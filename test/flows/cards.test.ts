import { describe, expect, it } from "vitest";
import { isRecord } from "../../src/domain/json.ts";
import { fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { controlEnvironmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";

/** The field at that path; undefined if there is none. */
const readPath = (json: unknown, path: string): unknown =>
  path.split(".").reduce((value, name) => (isRecord(value) ? value[name] : undefined), json);

describe("a card in a pipe", () => {
  it.each([
    ["contract", "hash"],
    ["contract", "check"],
    ["contract", "pin"],
    ["auth", "status"],
    ["sandbox", "status"],
    ["sandbox", "clock", "show"],
    ["diligence", "pull", "--last", "--dir", "pulled"],
    ["webhooks", "test", "partner.test"],
  ])("has the field names of --json: %s %s", async (...args) => {
    const sandbox = await sandboxForTest();
    const options = { env: controlEnvironmentOf(sandbox), cwd: temporaryFolder() };
    await runCli(submitArgs(fixture("sample_entries.csv"), "--wait"), options);
    const { code, stdout, stderr } = await runCli(args, options);
    expect(code, stderr).toBe(0);
    const json = JSON.parse((await runCli([...args, "--json"], options)).stdout);
    const lines = stdout.split("\n").map((line) => line.split("\t"));
    const [section] = lines[0] ?? [];
    const names = lines.flatMap(([first, name = ""]) => (first === section ? [name] : []));
    expect(names).not.toEqual([]);
    for (const name of names) expect(readPath(json, name), name).toBeDefined();
    expect(stdout).toMatch(/^([^\t\n]+\t[^\t\n]+\t.*\n)+$/);
  });
});
