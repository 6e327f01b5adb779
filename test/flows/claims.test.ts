import { describe, expect, it } from "vitest";
import { errorOf, runCli } from "../support/cli.ts";
import { startScenario } from "../support/scenario.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

describe("claims create", () => {
  it("creates a claim and shows its value by grade", async () => {
    const { env, client, job } = await startScenario();
    const terminal = createTerminalContext({ env });
    const line = ["claims", "create", "--client", client, "--job", await job(), "--no-color"];
    expect(await terminal.run(...line)).toBe(0);
    const { text } = terminal.stdout;
    expect(text).toMatch(/^Claim [0-9a-f-]{36}\n/);
    expect(text).toMatch(/^ {2}estimated claim +\$2,108,831\.19$/m);
    expect(text).toMatch(/^ {2}grade +entries +claim$/m);
    expect(text).toMatch(/^ {2}A +73 +\$821,437\.92$/m);
    expect(text).toMatch(/^ {2}X +12 +\$0\.00$/m);
    expect(await terminal.run(...line)).toBe(5);
    expect(terminal.stderr.text).toContain("The job already has a claim");
  });

  it("prints section, field and the field's own value in a pipe", async () => {
    const { claims, client, job } = await startScenario();
    const { stdout } = await claims("claims", "create", "--client", client, "--job", await job());
    expect(stdout).toContain("\nclaim\testimatedClaimCents\t210883119\n");
    expect(stdout).toContain("\nbyGrade\tA\t73\t82143792\n");
    for (const line of stdout.trimEnd().split("\n")) expect(line).toMatch(/^(claim|byGrade)\t/);
  });

  it("exits 3 for an unknown client or job", async () => {
    const { claims, job } = await startScenario();
    const result = await claims("claims", "create", "--client", "none", "--job", await job(), "--json");
    expect(errorOf(result)).toMatchObject({ code: "client_not_found", exitCode: 3 });
  });
});

describe("claims list and status", () => {
  it("report an empty list and an empty filter result differently", async () => {
    const { env } = await startScenario();
    const terminal = createTerminalContext({ env });
    await terminal.run("claims", "list");
    expect(terminal.stderr.text).toContain("no claims yet");
    const filtered = createTerminalContext({ env });
    await filtered.run("claims", "list", "--status", "financed");
    expect(filtered.stderr.text).toContain("no claims match; leave out the filter to list all");
  });

  it("filter by client and status, also over the alias", async () => {
    const { claims, idOf, client, job, env } = await startScenario();
    const id = await idOf(
      "claims",
      "create",
      "-f",
      `clientId=${client}`,
      "-f",
      `jobId=${await job()}`,
      "--via-alias",
    );
    expect(await idOf("claim", "list", "--client", client, "--status", "open")).toBe(id);
    expect(await idOf("claims", "list", "--status", "financed")).toBe("");
    expect(await idOf("claims", "list", "--via-alias")).toBe(id);
    const cells = (await claims("claims", "list")).stdout.trimEnd().split("\t");
    expect(cells.slice(0, 5)).toEqual([id, "open", "210883119", "Harbor & Pine", "200"]);
    const status = await claims("claims", "status", id, "--json");
    expect(JSON.parse(status.stdout)).toMatchObject({ claimId: id, status: "open" });
    const terminal = createTerminalContext({ env });
    await terminal.run("claims", "status", id, "--no-color");
    expect(terminal.stdout.text).toMatch(/History\n {2}open +2026-11-20T00:00:00\.000Z/);
    const none = await claims("claims", "status", "none", "--json");
    expect(errorOf(none)).toMatchObject({ code: "claim_not_found", exitCode: 3 });
  });

  it("apply the filter if the service ignores it", async () => {
    const { env } = await startScriptedService((_, response) =>
      sendJson(response, 200, {
        data: [{ id: 1, status: "open" }, { id: 2, status: "financed" }, { id: 3 }],
      }),
    );
    expect((await runCli(["claims", "list", "--status", "open", "-q"], { env })).stdout).toBe("1\n3\n");
  });
});
