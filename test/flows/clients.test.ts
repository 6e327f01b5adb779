import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf, runCli, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

async function place() {
  const sandbox = await sandboxForTest();
  const env = environmentOf(sandbox);
  const cwd = temporaryFolder();
  const claims = (...args: string[]) => runCli(args, { env, cwd });
  return { env, cwd, claims };
}

describe("clients create", () => {
  it("accepts flags, fields and a file, and prints the response", async () => {
    const { claims, cwd } = await place();
    const wanted = { name: "Acme", reference: "crm-17" };
    writeFileSync(join(cwd, "client.json"), JSON.stringify(wanted));
    for (const how of [
      ["--name", "Acme", "--reference", "crm-17"],
      ["--name", "Acme", "-f", "reference=crm-17"],
      ["--input", "client.json"],
    ]) {
      const made = await claims("clients", "create", ...how, "--json");
      expect(made.code).toBe(0);
      expect(JSON.parse(made.stdout)).toMatchObject({ ...wanted, importerNumber: null });
    }
    expect((await claims("client", "list", "-q")).stdout.split("\n").filter(Boolean)).toHaveLength(5);
  });

  it("prints the id with -q, and a card on a terminal", async () => {
    const { claims, env } = await place();
    const id = (await claims("clients", "create", "--name", "Acme", "-q")).stdout.trim();
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const person = createTerminalContext({ env });
    expect(await person.run("clients", "create", "--name", "Acme", "--no-color")).toBe(0);
    expect(person.stdout.text).toMatch(/^Client [0-9a-f-]{36}\n/);
    expect(person.stdout.text).toMatch(/^ {2}name +Acme$/m);
  });

  it("uses the alias with --via-alias, as does the list", async () => {
    const { claims } = await place();
    const made = await claims("clients", "create", "--name", "Acme", "--via-alias", "--verbose", "--json");
    expect(made.stderr).toContain("alias /broker/v1/clients → /v1/clients (long_term)");
    const listed = await claims("clients", "list", "--via-alias", "--verbose", "--json");
    expect(listed.stderr).toContain("alias /broker/v1/clients");
    expect(JSON.parse(listed.stdout).data[0]).toEqual(JSON.parse(made.stdout));
  });

  it.each([
    ["nothing", [], "nothing_to_send"],
    ["a file and a flag", ["--input", "x.json", "--name", "Acme"], "conflicting_bodies"],
    ["a field by a flag as well", ["--name", "Acme", "-f", "name=Other"], "field_clash"],
    ["no file", ["--input", "none.json"], "cannot_read"],
    ["a file that is not JSON", ["--input", "text.json"], "not_json"],
    ["a file with a list", ["--input", "list.json"], "not_an_object"],
    ["a file in another encoding", ["--input", "latin1.json"], "not_utf8"],
    ["a file that nests without end", ["--input", "deep.json"], "nested_too_deep"],
  ])("refuses %s", async (_, flags, code) => {
    const { claims, cwd } = await place();
    writeFileSync(join(cwd, "text.json"), "name: Acme");
    writeFileSync(join(cwd, "list.json"), "[]");
    writeFileSync(join(cwd, "latin1.json"), Buffer.from('{"name":"Caf\u00e9"}', "latin1"));
    writeFileSync(join(cwd, "deep.json"), `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`);
    const refused = await claims("clients", "create", ...flags, "--json");
    expect(errorOf(refused)).toMatchObject({ code, exitCode: 2 });
  });

  it("reports a response without a record", async () => {
    const { env } = await startScriptedService((_, response) => response.writeHead(204).end());
    const made = await runCli(["clients", "create", "--name", "Acme"], { env });
    expect([made.code, made.stdout]).toEqual([0, ""]);
    expect(made.stderr).toContain("the service created the client, but its response has no fields");
    const quiet = await runCli(["clients", "create", "--name", "Acme", "-q"], { env });
    expect([quiet.code, quiet.stdout]).toEqual([5, ""]);
    expect(quiet.stderr).toContain("its response has no id");
  });

  it("names the field that the service refused", async () => {
    const { claims } = await place();
    const refused = await claims("clients", "create", "--name", "Acme", "--email", "unknown", "--json");
    expect(errorOf(refused)).toMatchObject({ code: "validation_failed", exitCode: 5 });
    expect(errorOf(refused).message).toContain("contactEmail: must be an e-mail address");
  });

  it("asks for confirmation in production", async () => {
    const { claims } = await place();
    const refused = await claims(
      "clients",
      "create",
      "--name",
      "Acme",
      "--environment",
      "production",
      "--json",
    );
    expect(errorOf(refused)).toMatchObject({ code: "production_not_confirmed", exitCode: 4 });
  });
});

describe("clients list", () => {
  it("prints a table on a terminal, tab-separated rows in a pipe, and all pages with --all", async () => {
    const { claims, env } = await place();
    const person = createTerminalContext({ env });
    expect(await person.run("clients", "list", "--no-color")).toBe(0);
    expect(person.stdout.text).toMatch(/^id +name +importer +reference/);
    expect(person.stdout.text).toContain("Copper Kettle Housewares, Inc.");
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

  it("refuses a response that is nested too deeply", async () => {
    const deep = `{"data":[{"id":"x","name":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}]}`;
    const { env } = await startScriptedService((_, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(deep),
    );
    for (const more of ["--ndjson", "--csv", "--fields=name"]) {
      const refused = await runCli(["clients", "list", more], { env });
      expect(refused.code).toBe(6);
      expect(refused.stderr).toContain("the JSON is nested too deep");
    }
  });

  it("shows the fields of any service", async () => {
    const { env } = await startScriptedService((_, response) =>
      sendJson(response, 200, { items: [{ id: 7, title: "Acme" }] }),
    );
    expect((await runCli(["clients", "list", "-q"], { env })).stdout).toBe("7\n");
    expect(JSON.parse((await runCli(["clients", "list", "--json"], { env })).stdout)).toEqual({
      items: [{ id: 7, title: "Acme" }],
    });
  });
});
