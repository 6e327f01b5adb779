import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LoggedRequest, Sandbox } from "../../sandbox/index.ts";
import { bareEnvironment, errorOf, fixture, runCli, startCli, temporaryFolder } from "../support/cli.ts";
import {
  controlEnvironmentOf,
  GOLDEN_TIME,
  oauthEnvironmentOf,
  sandboxForTest,
  startSandboxUp,
  submitArgs,
} from "../support/sandbox.ts";
import { call } from "../support/sandbox-requests.ts";
import { createTerminalContext } from "../support/terminal.ts";

const parseRequests = ({ stdout }: { readonly stdout: string }): LoggedRequest[] => JSON.parse(stdout);

/** Runs a sandbox command on a terminal of that width, and returns its output. */
async function renderOnTerminal(sandbox: Sandbox, width: number, ...args: string[]): Promise<string> {
  const terminal = createTerminalContext({ env: controlEnvironmentOf(sandbox) });
  Object.assign(terminal.context.stdout, { columns: width });
  expect(await terminal.run("sandbox", ...args, "--no-color"), terminal.stderr.text).toBe(0);
  return terminal.stdout.text;
}

describe("sandbox requests", () => {
  it("lists, filters and shows the requests of the command line", async () => {
    const env = bareEnvironment();
    await startSandboxUp(env, "--frozen", "--at", GOLDEN_TIME);
    const requests = (...args: string[]) => runCli(["sandbox", "requests", ...args], { env });
    expect((await requests("--json")).stdout).toBe("[]\n");
    const job = await runCli([...submitArgs(fixture("scenario_partial.csv")), "-q"], { env });
    expect(job.code).toBe(0);
    await runCli(["diligence", "report", job.stdout.trim()], { env });
    await runCli(["diligence", "status", "nobody"], { env });

    const entries = parseRequests(await requests("--json"));
    expect(entries.map(({ number, operation, status }) => [number, operation, status])).toEqual([
      [1, "diligence.submit", 202],
      [2, "diligence.report", 200],
      [3, "diligence.status", 404],
    ]);
    expect((await requests("-q")).stdout).toBe("1\n2\n3\n");
    expect((await requests("--status", "4xx", "-q")).stdout).toBe("3\n");
    expect((await requests("--operation", "diligence.report", "--limit", "5", "-q")).stdout).toBe("2\n");
    expect((await requests()).stdout.split("\n")[1]).toMatch(
      /^2\t2026-11-20T00:00:00.000Z\tGET\t\/v1\/diligence\/report\/\S+\t200\t[\d.]+\t(?:greased: [^\t]+)?\tdiligence.report\t/,
    );

    const show = await requests("show", "1");
    expect(show.code).toBe(0);
    for (const text of ["POST /v1/diligence/submit HTTP/1.1", "HTTP/1.1 202 Accepted", "Bearer [redacted]"])
      expect(show.stdout).toContain(text);
    const id = entries[2]?.requestId ?? "";
    expect(JSON.parse((await requests("show", id, "--json")).stdout)).toEqual(entries[2]);
  });

  it("prints no secret", async () => {
    const sandbox = await sandboxForTest();
    const env = controlEnvironmentOf(sandbox);
    expect((await runCli(["clients", "list"], { env: oauthEnvironmentOf(sandbox) })).code).toBe(0);
    const file = join(temporaryFolder(), "secret.txt");
    const create = ["webhooks", "create", "http://127.0.0.1:9/", "--secret-file", file];
    expect((await runCli(create, { env })).code).toBe(0);
    const secrets = Object.values(sandbox.credentials).flatMap((each) =>
      Object.entries(each).flatMap(([name, value]) => (/Key|Secret/.test(name) ? [value] : [])),
    );
    expect(secrets).toHaveLength(6);
    const entries = await sandbox.requests.list();
    expect(entries.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining(["oauth.token", "clients.list", "webhooks.create"]),
    );
    const shows = entries.flatMap(({ number }) => [
      ["show", String(number)],
      ["show", String(number), "--json"],
    ]);
    for (const args of [[], ["--json"], ["--csv"], ...shows]) {
      const { stdout, stderr, code } = await runCli(["sandbox", "requests", ...args], { env });
      expect(code).toBe(0);
      for (const secret of secrets) expect(stdout + stderr).not.toContain(secret);
      expect(stdout).not.toMatch(/(at|whsec)_[\w-]{8,}/);
    }
  });

  it("reports an unknown request, an invalid filter and a disabled log", async () => {
    const sandbox = await sandboxForTest();
    const env = controlEnvironmentOf(sandbox);
    const runForError = async (...args: string[]) =>
      errorOf(await runCli(["sandbox", "requests", ...args, "--json"], { env }));
    expect(await runForError("show", "7")).toMatchObject({ code: "request_not_found", exitCode: 3 });
    expect(await runForError("--status", "ok")).toMatchObject({ code: "option_invalid", exitCode: 2 });
    expect(await runForError("--limit", "0")).toMatchObject({ code: "option_invalid", exitCode: 2 });
    expect(await runForError("--operation", "a.b")).toMatchObject({ code: "validation_failed", exitCode: 5 });
  });

  it("lists only the last requests of sandbox up --request-log-size", async () => {
    const env = bareEnvironment();
    await startSandboxUp(env, "--request-log-size", "1");
    for (const noun of ["clients", "claims"]) await runCli([noun, "list"], { env });
    expect((await runCli(["sandbox", "requests", "-q"], { env })).stdout).toBe("2\n");
    const evicted = await runCli(["sandbox", "requests", "show", "1", "--json"], { env });
    expect(errorOf(evicted)).toMatchObject({
      code: "request_not_found",
      hint: expect.stringContaining("starts at 2"),
    });
  });
});

it("sandbox requests --watch prints requests and attempts as the live log does, until the sandbox stops", async () => {
  const env = bareEnvironment();
  await startSandboxUp(env);
  const watch = startCli(["sandbox", "requests", "--watch"], { env });
  const programs = startCli(["sandbox", "requests", "--watch", "--json"], { env });
  const refused = startCli(["sandbox", "requests", "--watch", "--status", "4xx"], { env });
  await watch.waitForOutput(/^watching the sandbox at http:\S+, until Ctrl-C$/m, "stderr");
  await programs.waitForOutput(/^\{"event":"ready","url":"http:[^"]+"\}\n/);
  await refused.waitForOutput(/^watching/m, "stderr");
  expect((await runCli(["clients", "list"], { env })).code).toBe(0);
  await watch.waitForOutput(
    /^\d\d:\d\d:\d\d 200 +[\d.]+ ms #\d+ +GET +\/v1\/clients\S* {2}partner 1, sandbox\n/m,
  );
  expect((await runCli(["diligence", "status", "nobody"], { env })).code).toBe(3);
  await refused.waitForOutput(/404 .*GET +\/v1\/diligence\/status\/nobody/);
  expect((await runCli(["sandbox", "emit", "partner.test"], { env })).code).toBe(0);
  await watch.waitForOutput(/200 +\d+ ms +event +partner\.test to http:\S+ {2}attempt 1\n/);
  await programs.waitForOutput(/"event":"attempt"/);
  expect((await runCli(["sandbox", "reset"], { env })).code).toBe(0);
  expect((await runCli(["offers", "list"], { env })).code).toBe(0);
  await watch.waitForOutput(/\/v1\/offers/);
  await programs.waitForOutput(/\/v1\/offers/);

  refused.stop("SIGINT");
  expect((await refused.completion).code).toBe(130);
  expect((await runCli(["sandbox", "down"], { env })).code).toBe(0);
  const ended = await watch.completion;
  expect(ended.code).toBe(6);
  expect(ended.stderr).toMatch(
    /^error: .+\nhint: `claims sandbox status` shows whether a local sandbox runs$/m,
  );
  const { code, stdout } = await programs.completion;
  expect(code).toBe(6);
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.map(({ event, target, eventType }) => target ?? eventType ?? event)).toEqual([
    "ready",
    "/v1/clients",
    "/v1/diligence/status/nobody",
    "partner.test",
    "/v1/offers",
  ]);
  expect((await refused.completion).stdout).not.toMatch(/partner\.test|clients/);
});

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

it("sandbox requests refuses an unknown field before it prints anything", async () => {
  const env = controlEnvironmentOf(await sandboxForTest());
  await runCli(["clients", "list"], { env });
  const { code, stderr, stdout } = await runCli(["sandbox", "requests", "--fields", "time,status"], { env });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/error: no field time\nhint: the fields are number, /);
});
