import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli } from "../support/cli.ts";
import { ORGANIZATION } from "../support/sample-claims.ts";
import { startMachine, submitArgs } from "../support/sandbox.ts";
import { startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

describe("clients create", () => {
  it("accepts options, a file and both, and prints the response", async () => {
    const { claims, cwd } = await startMachine();
    const expected = { name: "Acme", reference: "crm-17" };
    writeFileSync(join(cwd, "client.json"), JSON.stringify(expected));
    writeFileSync(join(cwd, "base.json"), JSON.stringify({ name: "Other", reference: "crm-17" }));
    for (const flags of [
      ["--name", "Acme", "--reference", "crm-17"],
      ["--name", "Acme", "--input", "base.json"],
      ["--input", "client.json"],
    ]) {
      const created = await claims("clients", "create", ...flags, "--json");
      expect(created.code).toBe(0);
      expect(JSON.parse(created.stdout)).toMatchObject({ ...expected, importerNumber: null });
    }
    expect((await claims("client", "list", "-q")).stdout.split("\n").filter(Boolean)).toHaveLength(5);
  });

  it.each([
    ["a client without fields", [], "missing_option"],
    ["a field as key=value", ["--name", "Acme", "-f", "reference=crm-17"], "usage"],
    ["a missing file", ["--input", "none.json"], "cannot_read"],
    ["a file that is not JSON", ["--input", "text.json"], "invalid_input"],
    ["a file in another encoding", ["--input", "latin1.json"], "invalid_input"],
    ["a file that is nested too deeply", ["--input", "deep.json"], "invalid_input"],
  ])("refuses %s", async (_, flags, code) => {
    const { claims, cwd } = await startMachine();
    writeFileSync(join(cwd, "text.json"), "name: Acme");
    writeFileSync(join(cwd, "latin1.json"), Buffer.from('{"name":"Caf\u00e9"}', "latin1"));
    writeFileSync(join(cwd, "deep.json"), `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`);
    const result = await claims("clients", "create", ...flags, "--json");
    expect(errorOf(result)).toMatchObject({ code, exitCode: 2 });
  });

  it("reports a response without a record", async () => {
    const { env } = await startScriptedService((_, response) => response.writeHead(204).end());
    const created = await runCli(["clients", "create", "--name", "Acme"], { env });
    expect([created.code, created.stdout]).toEqual([0, ""]);
    expect(created.stderr).toContain("the service created the client, but its response has no fields");
    const quiet = await runCli(["clients", "create", "--name", "Acme", "-q"], { env });
    expect([quiet.code, quiet.stdout]).toEqual([5, ""]);
    expect(quiet.stderr).toContain("its response has no id");
  });
});

it("clients list prints a table on a terminal, tab-separated rows in a pipe, and all pages with --all", async () => {
  const { claims, env } = await startMachine();
  const terminal = createTerminalContext({ env });
  expect(await terminal.run("clients", "list", "--no-color")).toBe(0);
  expect(terminal.stdout.text).toMatch(/^id +name +importer +reference/);
  expect(terminal.stdout.text).toContain("Copper Kettle Housewares, Inc.");
  const rows = (await claims("clients", "list")).stdout.trimEnd().split("\n");
  expect(rows.map((row) => row.split("\t")[1])).toEqual([
    "Harbor & Pine Trading, LLC",
    "Copper Kettle Housewares, Inc.",
  ]);
  const first = await claims("clients", "list", "--limit", "1", "-q");
  expect(first.stdout.trim().split("\n")).toHaveLength(1);
  expect(first.stderr).toContain("there are more clients");
  expect(
    (await claims("clients", "list", "--limit", "1", "--all", "-q")).stdout.trim().split("\n"),
  ).toHaveLength(2);
});

it("orgs onboard accepts flags and a file, and orgs get shows the organization", async () => {
  const { claims, cwd, env } = await startMachine();
  writeFileSync(join(cwd, "org.json"), JSON.stringify(ORGANIZATION));
  const nameFlags = ["--name", ORGANIZATION.name, "--contact-name", ORGANIZATION.contactName];
  const contactFlags = ["--contact-email", ORGANIZATION.contactEmail, "--country", ORGANIZATION.countryCode];
  for (const flags of [
    [...nameFlags, ...contactFlags],
    ["--input", "org.json"],
  ]) {
    const result = await claims("orgs", "onboard", "north-pier", ...flags, "--json");
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ id: "north-pier", ...ORGANIZATION });
  }
  const quiet = await claims("org", "onboard", "south-pier", "--input", "org.json", "-q");
  expect(quiet.stdout).toBe("south-pier\n");
  const result = await claims("orgs", "get", "south-pier", "--json");
  expect(JSON.parse(result.stdout)).toMatchObject({ id: "south-pier", ...ORGANIZATION });
  const terminal = createTerminalContext({ env });
  expect(await terminal.run("orgs", "get", "juniper-row", "--no-color")).toBe(0);
  expect(terminal.stdout.text).toMatch(/^Partner organization juniper-row\n/);
  expect(terminal.stdout.text).toMatch(/^ {2}contactName +Maren Holloway$/m);
});

const NOTIFICATION = {
  recipient: "desk@harborpine.example",
  subject: "Ready",
  message: "The report is there.\n",
};
const FLAGS = ["--recipient", NOTIFICATION.recipient, "--subject", NOTIFICATION.subject];

it("notifications create accepts options and a file", async () => {
  const { claims, cwd } = await startMachine();
  const diligenceJobId = (await claims(...submitArgs(fixture("scenario_partial.csv"), "-q"))).stdout.trim();
  writeFileSync(join(cwd, "message.json"), JSON.stringify({ message: NOTIFICATION.message }));
  writeFileSync(join(cwd, "whole.json"), JSON.stringify({ ...NOTIFICATION, diligenceJobId }));
  for (const flags of [
    [...FLAGS, "--message", NOTIFICATION.message, "--job", diligenceJobId],
    [...FLAGS, "--job", diligenceJobId, "--input", "message.json"],
    ["--input", "whole.json"],
  ]) {
    const result = await claims("notification", "create", ...flags, "--json");
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ ...NOTIFICATION, diligenceJobId, status: "requested" });
  }
  expect((await claims("notifications", "create", "--input", "whole.json", "-q")).stdout).toMatch(
    /^[0-9a-f-]{36}\n$/,
  );
});
