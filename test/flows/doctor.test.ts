import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  bareEnvironment,
  type CliResult,
  errorOf,
  runCli,
  temporaryFile,
  temporaryFolder,
} from "../support/cli.ts";
import { environmentOf, sandboxForTest } from "../support/sandbox.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

interface Finding {
  readonly check: string;
  readonly status: "ok" | "warn" | "fail" | "skip";
  readonly detail: string;
  readonly hint: string | null;
}

const parseFindings = ({ stdout }: CliResult): Record<string, Finding> =>
  Object.fromEntries((JSON.parse(stdout) as Finding[]).map((finding) => [finding.check, finding]));

const runDoctor = async (env: Record<string, string>, ...args: string[]) => {
  const result = await runCli(["doctor", ...args, "--json"], { env });
  return { ...result, findings: parseFindings(result) };
};

const listChecks = (findings: Record<string, Finding>, status: Finding["status"]): string[] =>
  Object.values(findings).flatMap((finding) => (finding.status === status ? [finding.check] : []));

/** Responds with a Date header that differs from our clock. */
const respondWithClock =
  (offsetMs: number): Script =>
  (_, response) => {
    const date = new Date(Date.now() + offsetMs).toUTCString();
    sendJson(response, 200, { openapi: "3.1.0", data: [] }, { date });
  };

const configFolder = (env: Record<string, string>): string => env.CLAIMS_CONFIG_DIR ?? "";

describe("doctor", () => {
  it("exits 0 with two requests if every check passes", async () => {
    const { env, requests } = await startScriptedService(respondWithClock(0));
    const { code, stderr, findings } = await runDoctor(env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(listChecks(findings, "ok")).toEqual(Object.keys(findings));
    expect(Object.keys(findings)).toEqual(expect.arrayContaining(["program", "state", "service", "clock"]));
    expect(requests).toHaveLength(2);
    expect((await runDoctor(environmentOf(await sandboxForTest()))).code).toBe(0);
  });

  it("exits 4 without a service and skips the checks that need one", async () => {
    const result = await runDoctor(bareEnvironment());
    expect(result.code).toBe(4);
    expect(result.findings.service).toMatchObject({ status: "fail" });
    expect(result.findings.service?.hint).toContain("claims sandbox up");
    expect(listChecks(result.findings, "skip")).toEqual(
      expect.arrayContaining(["proxy", "connection", "credential", "clock"]),
    );
    expect(errorOf(result)).toMatchObject({ code: "no_service", exitCode: 4 });
  });

  it("exits 4 for a refused credential of a reachable service", async () => {
    const env = { ...environmentOf(await sandboxForTest()), CLAIMS_API_KEY: "made_up_of_nothing" };
    const { code, findings } = await runDoctor(env);
    expect(code).toBe(4);
    expect(findings).toMatchObject({ connection: { status: "ok" }, credential: { status: "fail" } });
  });

  it("exits 6 for an unreachable service without a retry", async () => {
    const env = {
      ...bareEnvironment(),
      CLAIMS_BASE_URL: "http://127.0.0.1:1",
      CLAIMS_API_KEY: "of_nobody_at_all",
    };
    const { code, findings } = await runDoctor(env);
    expect(code).toBe(6);
    expect(findings).toMatchObject({ connection: { status: "fail" }, credential: { status: "skip" } });
    const busy = await startScriptedService((_, response) =>
      sendJson(response, 503, {}, { "retry-after": "1" }),
    );
    expect((await runDoctor(busy.env)).code).toBe(6);
    expect(busy.requests).toHaveLength(1);
    // On a terminal, the only failure is printed once.
    const terminal = createTerminalContext({ env });
    await terminal.run("doctor");
    expect(terminal.stderr.text.match(/nothing is listening there/g)).toHaveLength(1);
  });

  it("warns about an unexpected response, and exits 2 for a 404", async () => {
    const page = await startScriptedService((_, response) => response.end("<h1>Hello</h1>"));
    expect(await runDoctor(page.env)).toMatchObject({
      code: 0,
      findings: { connection: { status: "warn" } },
    });
    const none = await startScriptedService((_, response) => sendJson(response, 404, {}));
    expect(await runDoctor(none.env)).toMatchObject({
      code: 2,
      findings: { connection: { status: "fail" } },
    });
  });

  it.each([
    ["by 10 seconds", 10_000, "ok", 0],
    ["by 90 seconds", 90_000, "warn", 0],
    ["by an hour", -3_600_000, "fail", 2],
  ])("checks a service whose clock differs %s", async (_, offsetMs, status, exit) => {
    const { env } = await startScriptedService(respondWithClock(offsetMs));
    const { code, findings } = await runDoctor(env);
    expect({ code, status: findings.clock?.status }).toEqual({ code: exit, status });
    if (status !== "ok") expect(findings.clock?.detail).toContain(offsetMs > 0 ? "behind" : "ahead of");
  });

  it("reports the proxy without its password", async () => {
    const { env } = await startScriptedService(respondWithClock(0));
    const proxied = { ...env, HTTP_PROXY: "http://me:hidden-word@proxy.example:8080" };
    const direct = await runDoctor({ ...proxied, NO_PROXY: "127.0.0.1" });
    expect(direct).toMatchObject({
      code: 0,
      findings: { proxy: { detail: expect.stringContaining("does not apply") } },
    });
    const remote = { ...proxied, CLAIMS_BASE_URL: "http://service.example" };
    const { stdout, findings } = await runDoctor({
      ...remote,
      HTTP_PROXY: "http://me:hidden-word@127.0.0.1:1",
    });
    expect(findings.proxy?.detail).toContain("127.0.0.1:1");
    expect(findings.connection?.status).toBe("fail");
    expect(stdout).not.toContain("hidden-word");
  });

  it("names a CA file that cannot be used", async () => {
    const { env } = await startScriptedService(respondWithClock(0));
    const path = temporaryFile("ca.pem", "no certificate\n");
    expect(await runDoctor(env, "--ca-file", path)).toMatchObject({
      code: 2,
      findings: {
        connection: { status: "fail", detail: expect.stringContaining("contains no certificate") },
        clock: { status: "skip" },
      },
    });
  });

  it("checks the state folder", async () => {
    const { env } = await startScriptedService(respondWithClock(0));
    const folder = join(configFolder(env), "state");
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
    expect((await runDoctor(env)).findings.state).toMatchObject({ status: "warn" });
    const blocked = temporaryFolder();
    writeFileSync(join(blocked, "config"), "a file in the way");
    const result = await runDoctor({ ...env, CLAIMS_CONFIG_DIR: join(blocked, "config") });
    expect(result).toMatchObject({ code: 2, findings: { state: { status: "fail" } } });
  });

  it("reports the profile and the source of each setting", async () => {
    const { env, url } = await startScriptedService(respondWithClock(0));
    const { CLAIMS_BASE_URL: _, CLAIMS_API_KEY: key = "", ...machine } = env as Record<string, string>;
    const login = ["auth", "login", "--profile", "live", "--base-url", url, "--key-file", "-"];
    expect((await runCli(login, { env: machine, input: key })).code).toBe(0);
    const { code, findings } = await runDoctor(machine);
    expect(code).toBe(0);
    expect(findings.configuration?.detail).toContain("live (current)");
    expect(findings.service?.detail).toMatch(/from the profile "live"; .*; profile live$/);
    const other = await runDoctor({ ...machine, CLAIMS_BASE_URL: "http://127.0.0.1:1" });
    expect(other).toMatchObject({
      code: 4,
      findings: { service: { status: "fail" }, clock: { status: "skip" } },
    });
    const unknown = await runDoctor(machine, "--profile", "lvie");
    expect(unknown).toMatchObject({ code: 3, findings: { service: { status: "fail" } } });
  });

  it("continues with an invalid configuration", async () => {
    const { env } = await startScriptedService(respondWithClock(0));
    const file = join(configFolder(env), "config.json");
    mkdirSync(configFolder(env), { recursive: true });
    writeFileSync(file, "{ broken", { mode: 0o600 });
    const { code, findings } = await runDoctor(env);
    expect(code).toBe(2);
    expect(findings).toMatchObject({ configuration: { status: "fail" }, state: { status: "ok" } });
    expect(readFileSync(file, "utf8")).toBe("{ broken");
  });

  it("names the migration-only aliases that this machine uses without a sunset date", async () => {
    const env = environmentOf(await sandboxForTest());
    const findAliases = async () => (await runDoctor(env)).findings.aliases;
    expect(await findAliases()).toMatchObject({
      status: "ok",
      detail: "3 migration-only aliases have no sunset date; none is in use here",
    });
    await runCli(["api", "POST", "/broker/v1/portfolio/delta-scan"], { env });
    expect(await findAliases()).toMatchObject({
      status: "warn",
      hint: "set the date: claims aliases sunset /broker/v1/portfolio/delta-scan YYYY-MM-DD",
    });
    await runCli(["aliases", "sunset", "/broker/v1/portfolio/delta-scan", "2099-01-01"], { env });
    expect(await findAliases()).toMatchObject({ status: "ok" });
  });

  it("counts the writes with an unknown outcome", async () => {
    const { env } = await startScriptedService((request, response) => {
      if (request.method === "GET") respondWithClock(0)(request, response, 1);
      else request.socket.destroy();
    });
    expect((await runCli(["api", "POST", "/v1/clients", "-f", "name=Acme"], { env })).code).toBe(10);
    const { code, findings } = await runDoctor(env);
    expect(code).toBe(0);
    expect(findings["write-log"]).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("1 of 1"),
    });
  });
});
