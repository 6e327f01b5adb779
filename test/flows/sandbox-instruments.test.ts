import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { bareEnvironment, errorOf, fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { controlEnvironmentOf, sandboxForTest, spawnSandboxUp, submitArgs } from "../support/sandbox.ts";
import { call } from "../support/sandbox-requests.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

/** Runs a sandbox command on a terminal of that width, and returns its output. */
async function renderOnTerminal(sandbox: Sandbox, width: number, ...args: string[]): Promise<string> {
  const terminal = createTerminalContext({ env: controlEnvironmentOf(sandbox) });
  Object.assign(terminal.context.stdout, { columns: width });
  expect(await terminal.run("sandbox", ...args, "--no-color"), terminal.stderr.text).toBe(0);
  return terminal.stdout.text;
}

it.each([50, 80, 120])(
  "sandbox requests on a terminal fits a terminal of %i columns without truncating times",
  async (width) => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add("ghost-commit", { match: { operation: "clients.create" } });
    await call(sandbox, "/v1/clients", { method: "POST", body: "{}" }).catch(() => undefined);
    await call(sandbox, "/v1/diligence/status/8a9c6ea1-c73d-4d7a-962c-075b786dc71e");
    const lines = (await renderOnTerminal(sandbox, width, "requests")).split("\n");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
    expect(lines[1]).toMatch(/^ *1 +00:00:00 +POST +\/v1\/cli\S+ +/);
    expect(lines.filter((line) => line.includes("00:00:00"))).toHaveLength(2);
  },
);

it("sandbox requests show prints the status of a response that did not arrive", async () => {
  const sandbox = await sandboxForTest();
  sandbox.faults.add("ghost-commit");
  const env = controlEnvironmentOf(sandbox);
  const submission = await runCli(submitArgs(fixture("sample_entries.csv")), { env });
  expect(submission.code).toBe(6);
  const text = await renderOnTerminal(sandbox, 100, "requests", "show", "1");
  expect(text).toMatch(/^ {2}status +202 Accepted$/m);
  expect(text).toMatch(/^ {2}outcome +lost: a fault kept the response from arriving whole$/m);
  expect(text).toContain("\nResponse, which did not arrive\n");
  expect(text).toMatch(/^\[field seller_name: .+\]$/m);
  expect(text.split("\n").length).toBeLessThanOrEqual(24);
  const whole = await renderOnTerminal(sandbox, 100, "requests", "show", "1", "-v");
  expect(whole).toMatch(/^authorization: Bearer \[redacted\]/m);
  expect(whole).toMatch(/\[the beginning of \d+ bytes; --json has more of them\]/);
  expect(whole.length).toBeLessThan(5_000);
});

describe("errors of sandbox commands", () => {
  it.each([
    ["faults add shaky", 'no preset "shaky"', "use one of flaky, slow"],
    ["faults add --retry-after 3", "--retry-after needs --status", "add a status"],
    ["faults add --status 500 --operation a;b", '--operation cannot be "a;b"', "give the id"],
    ["faults clear 7", "no fault rule 7", "list the rules"],
    ["snapshot load nope", 'no snapshot "nope"', "there are no snapshots"],
    ["snapshot save a/b", 'invalid snapshot name "a/b"', "use 1 to 64"],
    ["requests show 7", "no request 7", "the log is empty"],
  ])("are printed with a hint: %s", async (line, message, hint) => {
    const env = controlEnvironmentOf(await sandboxForTest());
    const { stderr } = await runCli(["sandbox", ...line.split(" ")], { env });
    const [error, hintLine] = stderr.split("\n");
    expect(error).toContain(`error: ${message}`);
    expect(error).not.toContain(" → ");
    expect(hintLine).toContain(`hint: ${hint}`);
  });

  it.each(["", ".", ".."])("are printed for an id that a path cannot contain: %j", async (id) => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add("slow");
    await sandbox.snapshots.save("kept");
    for (const args of [
      ["faults", "clear", id],
      ["requests", "show", id],
      ["snapshot", "load", id],
      ["snapshot", "save", id],
    ]) {
      const result = await runCli(["sandbox", ...args, "--json"], { env: controlEnvironmentOf(sandbox) });
      expect(errorOf(result), args.join(" ")).toMatchObject({ code: "invalid_id", exitCode: 3 });
    }
    expect(sandbox.faults.list()).toHaveLength(1);
    expect(sandbox.snapshots.list()).toHaveLength(1);
  });

  it("name a version mismatch for a 404 and for an unexpected response", async () => {
    const responses = [
      { status: 404, body: { code: "control_route_not_found", detail: "There is /health." } },
      ...[{}, [], null].map((body) => ({ status: 200, body })),
    ];
    for (const { status, body } of responses) {
      const service = await startScriptedService((_request, response) => sendJson(response, status, body));
      const env = {
        ...bareEnvironment(),
        CLAIMS_CONTROL_URL: `${service.url}/_sandbox`,
        CLAIMS_CONTROL_TOKEN: "cs_of_a_test",
      };
      for (const args of [
        ["faults", "list"],
        ["requests"],
        ["snapshot", "list"],
        ["reset"],
        ["clock", "freeze"],
        ["clock", "show"],
        ["clock", "advance", "1s"],
        ["agenda"],
        ["emit", "partner.test"],
        ["wait", "--delivery", "d-1"],
        ["credentials", "rotate"],
      ]) {
        const result = await runCli(["sandbox", ...args], { env });
        expect(result, args.join(" ")).toMatchObject({ code: 6, stdout: "" });
        expect(result.stderr).toContain("the versions of this program and the sandbox differ");
        expect(result.stderr).not.toContain("/health");
      }
    }
  });
});

it("sandbox snapshot save --file - and load --file - need no name", async () => {
  const sandbox = await sandboxForTest();
  const env = controlEnvironmentOf(sandbox);
  const cwd = temporaryFolder();
  const save = await runCli(["sandbox", "snapshot", "save", "--file", "-"], { env, cwd });
  expect(save.stdout).toMatch(/^\{"format":"claims-sandbox-snapshot"/);
  expect(existsSync(join(cwd, "-"))).toBe(false);
  const load = await runCli(["sandbox", "snapshot", "load", "--file", "-"], { env, input: save.stdout });
  expect(load).toMatchObject({ code: 0, stdout: expect.stringContaining("Restored stdin") });
  const terminal = createTerminalContext({ env });
  expect(await terminal.run("sandbox", "snapshot", "save", "--file", "-")).toBe(2);
  expect(terminal.stdout.text).toBe("");
  const invalid = join(cwd, "wrong");
  writeFileSync(invalid, "hello\n");
  const result = await runCli(["sandbox", "snapshot", "load", "--file", invalid], { env });
  expect(result.stderr).toContain("hint: give a file that `claims sandbox snapshot save --file FILE` wrote");
});

it("sandbox up --state refuses an invalid path", async () => {
  const cwd = temporaryFolder();
  const up = (file: string) =>
    runCli(["sandbox", "up", "--port", "0", "--json", "--state", file], { env: bareEnvironment(), cwd });
  const missingFolder = errorOf(await up("none/sandbox.state"));
  expect(missingFolder).toMatchObject({
    exitCode: 2,
    message: expect.stringContaining("its folder does not exist"),
    hint: expect.stringContaining(`create the folder ${join(cwd, "none")}`),
  });
  for (const path of ["-", ""])
    expect(errorOf(await up(path))).toMatchObject({ code: "missing_option", exitCode: 2 });
});

describe("within sandbox exec", () => {
  it("sandbox status and env use its sandbox, and down does not stop the default one", {
    tags: "large",
  }, async () => {
    const env = bareEnvironment();
    // A separate process, because exec and its children look for one.
    const { ready } = await spawnSandboxUp(env);
    const runInside = async (line: string) => runCli(["sandbox", "exec", "--", "sh", "-c", line], { env });
    const status = await runInside("claims sandbox status --json");
    expect(JSON.parse(status.stdout)).toMatchObject({ name: null, pid: null, clients: 2 });
    expect(JSON.parse(status.stdout).url).not.toBe(ready.url);
    const result = await runInside('claims sandbox env --shell dotenv; printf "%s\\n" "$CLAIMS_BASE_URL"');
    const [first] = result.stdout.split("\n");
    expect(first).toBe(`CLAIMS_BASE_URL=${JSON.stringify(result.stdout.trim().split("\n").at(-1))}`);
    expect(result.stdout).not.toContain(ready.url);
    const down = await runInside("claims sandbox down --json");
    expect(down).toMatchObject({ code: 0 });
    expect(JSON.parse(down.stdout)).toEqual({ name: null, stopped: false, pid: null });
    expect((await runCli(["sandbox", "status", "-q"], { env })).stdout).toBe("default\n");
    const other = await runInside("claims sandbox status --sandbox-name default -q");
    expect(other.stdout).toBe("default\n");
  });

  it("sandbox status exits 3 if the sandbox of CLAIMS_CONTROL_URL has stopped", async () => {
    const sandbox = await sandboxForTest();
    const env = controlEnvironmentOf(sandbox);
    await sandbox.close();
    const result = await runCli(["sandbox", "status", "--json"], { env });
    expect(errorOf(result)).toMatchObject({ code: "no_sandbox", exitCode: 3 });
  });
});
