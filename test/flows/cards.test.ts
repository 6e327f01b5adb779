import { expect, it } from "vitest";
import { isRecord } from "../../src/domain/json.ts";
import { fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { controlEnvironmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

/** The field at that path; undefined if there is none. */
const readPath = (json: unknown, path: string): unknown =>
  path.split(".").reduce((value, name) => (isRecord(value) ? value[name] : undefined), json);

it.each([
  ["contract", "hash"],
  ["contract", "check"],
  ["contract", "pin"],
  ["auth", "status"],
  ["sandbox", "status"],
  ["sandbox", "clock", "show"],
  ["diligence", "pull", "--last", "--dir", "pulled"],
  ["webhooks", "test", "partner.test"],
])("a card in a pipe has the field names of --json: %s %s", async (...args) => {
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

it.each([
  ["diligence", "status", "--last"],
  ["diligence", "check", fixture("sample_es003.csv")],
  ["webhooks", "create", "http://127.0.0.1:9/hook", "--event", "partner.test", "--secret-file", "s"],
  ["webhooks", "test", "partner.test"],
  ["sandbox", "status"],
])(
  "what a person asks about one object, at 80 columns fits 24 lines, with times of one form: %s %s",
  async (...args) => {
    const sandbox = await sandboxForTest();
    const env = controlEnvironmentOf(sandbox);
    await runCli(submitArgs(fixture("sample_entries.csv"), "--wait"), { env });
    const { context, run, stdout } = createTerminalContext({ env });
    Object.assign(context.stdout, { columns: 80 });
    expect(await run(...args, "--no-color")).toBe(0);
    const lines = stdout.text.trimEnd().split("\n");
    expect(lines.length, stdout.text).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => /^ {2}\w.*\d{4}-\d\d-\d\dT/.test(line))).toEqual([]);
    // The bytes of a body stay as they are.
    expect(lines.filter((line) => line.length > 80 && !line.startsWith("{"))).toEqual([]);
  },
);
