import { describe, expect, it } from "vitest";
import { bareEnvironment, errorOf, runCli } from "../support/cli.ts";
import { controlEnvironmentOf, sandboxForTest } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

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

it("sandbox status exits 3 if the sandbox of CLAIMS_CONTROL_URL has stopped", async () => {
  const sandbox = await sandboxForTest();
  const env = controlEnvironmentOf(sandbox);
  await sandbox.close();
  const result = await runCli(["sandbox", "status", "--json"], { env });
  expect(errorOf(result)).toMatchObject({ code: "no_sandbox", exitCode: 3 });
});
