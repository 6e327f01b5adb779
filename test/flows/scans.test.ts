import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { errorOf, fixture, runCli } from "../support/cli.ts";
import { startMachine, submitArgs } from "../support/sandbox.ts";
import { entriesCsv, ordinaryEntryNumber } from "../support/sandbox-requests.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

it("scans delta lists the changes since scans create", async () => {
  const { sandbox, env, cwd, claims } = await startMachine();
  await claims(...submitArgs(fixture("sample_es003.csv"), "--wait"));
  const full = await claims("scans", "create", "--wait", "--json");
  expect(full.code).toBe(0);
  const { id, state, entryCount } = JSON.parse(full.stdout);
  expect([state, entryCount > 0, full.stderr.includes(`scan ${id}`)]).toEqual(["completed", true, true]);

  await sandbox.clock.advance("200d");
  writeFileSync(join(cwd, "more.csv"), entriesCsv([ordinaryEntryNumber(1)]));
  await claims(...submitArgs("more.csv", "--wait"));
  const delta = JSON.parse((await claims("scan", "delta", id, "--wait", "--json")).stdout);
  expect(delta).toMatchObject({ mode: "delta", baselineScanId: id, jobCount: 2 });
  expect(delta.changes.added).toMatchObject([{ entryNumber: ordinaryEntryNumber(1) }]);
  expect(delta.changes.aged.length).toBeGreaterThan(0);
  expect(JSON.parse((await claims("scans", "get", delta.id, "--json")).stdout)).toEqual(delta);

  const summary = JSON.parse((await claims("scans", "summary", delta.id, "--json")).stdout);
  expect(summary.changes).toMatchObject({ added: 1, aged: delta.changes.aged.length });

  const terminal = createTerminalContext({ env });
  expect(await terminal.run("scans", "get", delta.id, "--no-color")).toBe(0);
  expect(terminal.stdout.text).toMatch(/^Added \(1\)\n +entry +was +is +duty +deadline +fields\n/m);
  expect(terminal.stdout.text).toMatch(
    new RegExp(`^ +${ordinaryEntryNumber(1)} +– +unliquidated +\\$100\\.00`, "m"),
  );
  const summaryTerminal = createTerminalContext({ env });
  expect(await summaryTerminal.run("scans", "summary", delta.id, "--no-color")).toBe(0);
  expect(summaryTerminal.stdout.text).toMatch(/^ {2}totals\.estimated claim +\$[\d,]+\.\d\d$/m);
  expect(summaryTerminal.stdout.text).toMatch(/^By grade\n/m);
});

it("scans create accepts options, a file and both", async () => {
  const { claims, cwd } = await startMachine();
  await claims(...submitArgs(fixture("sample_es003.csv"), "--wait"));
  const job = (await claims("history", "--submissions", "-q")).stdout.trim();
  const write = (name: string, body: object) => writeFileSync(join(cwd, name), JSON.stringify(body));
  write("full.json", { mode: "full", jobIds: [job] });
  write("other.json", { jobIds: ["7d9c"] });
  const createScan = async (...args: string[]) => {
    const result = await claims("scans", ...args, "--json");
    expect([result.code, result.stderr]).toEqual([0, ""]);
    return JSON.parse(result.stdout);
  };
  for (const flags of [["--job", job], ["--input", "full.json"], ["--job", job, "--input", "other.json"], []])
    expect(await createScan("create", ...flags)).toMatchObject({ mode: "full", jobCount: 1 });
  const { id } = await createScan("create");
  write("delta.json", { mode: "delta", baselineScanId: id });
  write("baseline.json", { mode: "delta", baselineScanId: "3c0e" });
  write("legacy.json", { baselineScanId: id });
  for (const flags of [
    ["delta", id],
    ["delta", id, "--input", "baseline.json"],
    ["delta", "--input", "delta.json"],
    ["create", "--input", "delta.json"],
  ])
    expect(await createScan(...flags)).toMatchObject({ mode: "delta", baselineScanId: id });
  expect(errorOf(await claims("scans", "delta", "--json")).message).toContain("baselineScanId: is missing");
});

it("scans create finds the id in Location, and exits 5 without an id", async () => {
  const service = await startScriptedService(({ method }, response) =>
    method === "POST"
      ? response.writeHead(201, { location: "/v1/portfolio-scans/s-9" }).end()
      : sendJson(response, 200, { id: "s-9", state: "done" }),
  );
  const { env } = service;
  const wait = await runCli(["scans", "create", "--wait", "--json"], { env });
  expect([wait.code, JSON.parse(wait.stdout)]).toEqual([0, { id: "s-9", state: "done" }]);
  expect((await runCli(["scans", "create", "-q"], { env })).stdout).toBe("s-9\n");
  const withoutId = await startScriptedService((_, response) => sendJson(response, 201, { ok: true }));
  for (const more of ["--wait", "-q"]) {
    const result = await runCli(["scans", "create", more, "--json"].slice(0, more === "-q" ? 3 : 4), {
      env: withoutId.env,
    });
    expect(result.code).toBe(5);
    expect(result.stderr).toContain("its response has no id");
  }
});

it("scans get and summary print the fields of another service", async () => {
  const { env } = await startScriptedService((_, response) =>
    sendJson(response, 200, { scan: "s-1", status: "done", findings: [1] }),
  );
  const get = await runCli(["scans", "get", "s-1", "--json"], { env });
  expect(JSON.parse(get.stdout)).toEqual({ scan: "s-1", status: "done", findings: [1] });
  const terminal = createTerminalContext({ env });
  expect(await terminal.run("scans", "get", "s-1", "--no-color")).toBe(0);
  expect(terminal.stdout.text).toMatch(/^ {2}status +done$/m);
  const summaries = await startScriptedService((_, response) =>
    sendJson(response, 200, { totals: [7], byGrade: "none", changes: 3 }),
  );
  const summaryTerminal = createTerminalContext({ env: summaries.env });
  expect(await summaryTerminal.run("scans", "summary", "s-1", "--no-color")).toBe(0);
  expect(summaryTerminal.stdout.text).toBe("Scan s-1\n  totals     7\n  changes    3\n  byGrade    none\n");
});
