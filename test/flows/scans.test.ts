import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { errorOf, fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { entriesCsv, ordinaryEntryNumber } from "../support/sandbox-requests.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

async function place(options: Parameters<typeof sandboxForTest>[0] = {}) {
  const sandbox = await sandboxForTest(options);
  const env = environmentOf(sandbox);
  const cwd = temporaryFolder();
  const claims = (...args: string[]) => runCli(args, { env, cwd });
  return { sandbox, env, cwd, claims };
}

it("scans create scans the portfolio, and scans delta lists the changes", async () => {
  const { sandbox, env, cwd, claims } = await place();
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

  const person = createTerminalContext({ env });
  expect(await person.run("scans", "get", delta.id, "--no-color")).toBe(0);
  expect(person.stdout.text).toMatch(/^Added \(1\)\n +entry +was +is +duty +deadline +fields\n/m);
  expect(person.stdout.text).toMatch(
    new RegExp(`^ +${ordinaryEntryNumber(1)} +– +unliquidated +\\$100\\.00`, "m"),
  );
  const reader = createTerminalContext({ env });
  expect(await reader.run("scans", "summary", delta.id, "--no-color")).toBe(0);
  expect(reader.stdout.text).toMatch(/^ {2}estimated claim +\$[\d,]+\.\d\d$/m);
  expect(reader.stdout.text).toMatch(/^By grade\n/m);
});

it("--via-alias returns the same scans and reports each alias", async () => {
  const { claims } = await place();
  const over = async (...args: string[]) => {
    const done = await claims("scans", ...args, "--via-alias", "--verbose", "--json");
    expect(done.code).toBe(0);
    return { messages: done.stderr, record: JSON.parse(done.stdout) };
  };
  const full = await over("create");
  expect(full.messages).toContain("alias /broker/v1/portfolio/scan → /v1/portfolio-scans (long_term)");
  const { id } = full.record;
  const delta = await over("delta", id);
  expect(delta.messages).toContain(
    "alias /broker/v1/portfolio/delta-scan → /v1/portfolio-scans (migration_only)",
  );
  expect(delta.messages).toContain("warning: /broker/v1/portfolio/delta-scan is migration_only");
  expect(delta.record).toMatchObject({ mode: "delta", baselineScanId: id });
  const got = await over("get", id);
  expect(got.messages).toContain(
    `alias /broker/v1/portfolio/scan/${id} → /v1/portfolio-scans/${id} (long_term)`,
  );
  const summary = await over("summary", id);
  expect(summary.messages).toContain(
    `alias /broker/v1/portfolio/summary → /v1/portfolio-scans/${id}/summary (migration_only)`,
  );
  expect(summary.record).toEqual(JSON.parse((await claims("scans", "summary", id, "--json")).stdout));
  const audit = JSON.parse((await claims("aliases", "audit", "--json")).stdout);
  expect(audit.map(({ alias }: { alias: string }) => alias).sort()).toEqual([
    "/broker/v1/portfolio/delta-scan",
    "/broker/v1/portfolio/scan",
    "/broker/v1/portfolio/scan/{scanId}",
    "/broker/v1/portfolio/summary",
  ]);
});

it("scans create accepts flags, fields and a file", async () => {
  const { claims, cwd } = await place();
  await claims(...submitArgs(fixture("sample_es003.csv"), "--wait"));
  const job = (await claims("diligence", "history", "-q")).stdout.trim();
  const write = (name: string, body: object) => writeFileSync(join(cwd, name), JSON.stringify(body));
  write("full.json", { mode: "full", jobIds: [job] });
  const made = async (...args: string[]) => {
    const done = await claims("scans", ...args, "--json");
    expect([done.code, done.stderr]).toEqual([0, ""]);
    return JSON.parse(done.stdout);
  };
  for (const how of [["--job", job], ["-f", `jobIds[]=${job}`], ["--input", "full.json"], []])
    expect(await made("create", ...how)).toMatchObject({ mode: "full", jobCount: 1 });
  const { id } = await made("create", "-f", "mode=full");
  write("delta.json", { mode: "delta", baselineScanId: id });
  write("legacy.json", { baselineScanId: id });
  for (const how of [
    ["delta", id],
    ["delta", "-f", `baselineScanId=${id}`],
    ["delta", "--input", "delta.json"],
    ["delta", "--input", "legacy.json"],
    ["create", "--input", "delta.json"],
  ])
    expect(await made(...how)).toMatchObject({ mode: "delta", baselineScanId: id });
  for (const [how, code] of [
    [["delta", id, "--input", "delta.json"], "conflicting_bodies"],
    [["delta", "--input", "full.json"], "field_clash"],
    [["create", "--job", job, "-f", "jobIds[]=x"], "field_clash"],
  ] as const)
    expect(errorOf(await claims("scans", ...how, "--json"))).toMatchObject({ code, exitCode: 2 });
  expect(errorOf(await claims("scans", "delta", "--json")).message).toContain("baselineScanId: is missing");
});

it("scans create --wait finds the id in Location, and reports an interrupted wait", async () => {
  const elsewhere = await startScriptedService(({ method }, response) =>
    method === "POST"
      ? response.writeHead(201, { location: "/v1/portfolio-scans/s-9" }).end()
      : sendJson(response, 200, { id: "s-9", state: "done" }),
  );
  const { env } = elsewhere;
  const waited = await runCli(["scans", "create", "--wait", "--json"], { env });
  expect([waited.code, JSON.parse(waited.stdout)]).toEqual([0, { id: "s-9", state: "done" }]);
  expect((await runCli(["scans", "create", "-q"], { env })).stdout).toBe("s-9\n");
  const nameless = await startScriptedService((_, response) => sendJson(response, 201, { ok: true }));
  for (const more of ["--wait", "-q"]) {
    const done = await runCli(["scans", "create", more, "--json"].slice(0, more === "-q" ? 3 : 4), {
      env: nameless.env,
    });
    expect(done.code).toBe(5);
    expect(done.stderr).toContain("its response has no id");
  }
});

it("scans commands exit 3 for an unknown scan and 8 for a pending one", async () => {
  const { claims, env } = await place({ jobSpeed: "real" });
  const id = (await claims("scans", "create", "-q")).stdout.trim();
  const person = createTerminalContext({ env });
  expect(await person.run("scans", "get", id, "--no-color")).toBe(0);
  expect(person.stdout.text).toContain(`Next\n  claims scans get ${id}\n`);
  expect(person.stdout.text).not.toContain("claims scans summary");
  const early = await claims("scans", "summary", id, "--json");
  expect(errorOf(early)).toMatchObject({ code: "scan_not_ready" });
  const waited = await claims("scans", "create", "--wait", "--timeout", "300ms", "--json");
  expect(errorOf(waited)).toMatchObject({ code: "still_pending", exitCode: 8 });
  expect(JSON.parse(waited.stdout)).toMatchObject({ state: "queued" });
  for (const args of [
    ["get", "nothing"],
    ["summary", "nothing"],
    ["delta", "nothing"],
  ])
    expect(errorOf(await claims("scans", ...args, "--json"))).toMatchObject({ exitCode: 3 });
  expect(errorOf(await claims("scans", "create", "--job", "7d9c", "--json"))).toMatchObject({
    ...{ code: "job_not_found", exitCode: 3 },
  });
});

it("scans get shows the fields of any service", async () => {
  const { env } = await startScriptedService((_, response) =>
    sendJson(response, 200, { scan: "s-1", status: "done", findings: [1] }),
  );
  const got = await runCli(["scans", "get", "s-1", "--json"], { env });
  expect(JSON.parse(got.stdout)).toEqual({ scan: "s-1", status: "done", findings: [1] });
  const person = createTerminalContext({ env });
  expect(await person.run("scans", "get", "s-1", "--no-color")).toBe(0);
  expect(person.stdout.text).toMatch(/^ {2}status +done$/m);
  const summaries = await startScriptedService((_, response) =>
    sendJson(response, 200, { totals: [7], byGrade: "none", changes: 3 }),
  );
  const reader = createTerminalContext({ env: summaries.env });
  expect(await reader.run("scans", "summary", "s-1", "--no-color")).toBe(0);
  expect(reader.stdout.text).toBe("Scan s-1\n  totals     7\n  byGrade    none\n  changes    3\n");
});
