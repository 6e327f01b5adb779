import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aliasMethods, BROKER_ALIASES, findAliases } from "../../src/contract/aliases.ts";
import { ALL_OPERATIONS } from "../../src/contract/operations/operations.ts";
import { bareEnvironment, errorOf, runCli, temporaryFolder } from "../support/cli.ts";
import { ORGANIZATION } from "../support/sample-claims.ts";
import { environmentOf, sandboxForTest } from "../support/sandbox.ts";
import { call, post } from "../support/sandbox-requests.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

const REGISTER = "/broker/v1/webhooks/register";
const RECEIVER = "http://127.0.0.1:9/hook";

/** The alias headers of a response: alias, canonical path and lifecycle. */
const readAliasHeaders = ({ headers }: { readonly headers: Headers }) => [
  headers.get("X-Service-Broker-Alias"),
  headers.get("X-Service-Canonical-Path"),
  headers.get("X-Service-Compatibility-Lifecycle"),
];

const runJson = async (...run: Parameters<typeof runCli>) => JSON.parse((await runCli(...run)).stdout);

/** Every alias of the sandbox's operations, with each of its methods. */
const SERVED_ALIASES = ALL_OPERATIONS.flatMap((operation) =>
  findAliases(operation.id).flatMap((alias) =>
    aliasMethods(operation).map((method) => [method, alias.path, alias] as const),
  ),
);

describe("an alias", () => {
  it("is served by the sandbox, each of the fourteen", () => {
    expect(new Set(SERVED_ALIASES.map(([, path]) => path))).toEqual(
      new Set(BROKER_ALIASES.map(({ path }) => path)),
    );
  });

  it("sends the three alias headers, also without a credential", async () => {
    const sandbox = await sandboxForTest();
    for (const [method, template, alias] of SERVED_ALIASES) {
      const path = template.replace(/\{\w+\}/g, "7d9c");
      const body = method === "GET" ? {} : { headers: { "content-type": "application/json" }, body: "{}" };
      const response = await call(sandbox, `${path}?unknown=1`, { method, ...body });
      // Without an id in path, body or query, the canonical path contains the placeholder.
      const canonical = alias.path.includes("{")
        ? alias.canonicalPath.replace(/\{\w+\}/g, "7d9c")
        : alias.canonicalPath;
      expect(readAliasHeaders(response), method).toEqual([path, canonical, alias.lifecycle]);
      const anonymous = await call(sandbox, path, { method, token: null });
      expect(anonymous.status).toBe(401);
      expect(readAliasHeaders(anonymous), method).toEqual([path, canonical, alias.lifecycle]);
    }
  });

  it("sends the canonical path without a query, with the id from the query", async () => {
    const path = "/broker/v1/portfolio/summary?scanId=a%2F%0Ab";
    const response = await call(await sandboxForTest(), path);
    expect([response.status, ...readAliasHeaders(response)]).toEqual([
      ...[404, "/broker/v1/portfolio/summary", "/v1/portfolio-scans/a%2F%0Ab/summary", "migration_only"],
    ]);
  });

  it("reads the id from the body and sends the complete canonical path", async () => {
    const sandbox = await sandboxForTest();
    const send = (method: string, path: string, body: object) => post(sandbox, path, body, { method });
    for (const [path, lifecycle] of [
      ["/broker/onboard", "migration_only"],
      ["/broker/v1/onboard", "long_term"],
    ] as const) {
      for (const method of ["PUT", "POST"]) {
        const created = await send(method, path, { partnerOrgId: "north.pier", ...ORGANIZATION });
        expect(created.status).toBe(200);
        expect(created.body).toMatchObject({ id: "north.pier", ...ORGANIZATION });
        expect(readAliasHeaders(created)).toEqual([path, "/v1/partner-organizations/north.pier", lifecycle]);
      }
      const withoutId = await send("POST", path, ORGANIZATION);
      expect(withoutId.status).toBe(422);
      expect(withoutId.body.errors).toMatchObject([{ pointer: "/partnerOrgId", code: "required" }]);
      expect(readAliasHeaders(withoutId)).toEqual([
        path,
        "/v1/partner-organizations/{partnerOrgId}",
        lifecycle,
      ]);
    }
    const wrongMethod = await call(sandbox, "/broker/onboard");
    expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "OPTIONS, POST, PUT"]);
  });

  it("is logged by --verbose and counted by aliases audit", async () => {
    const env = environmentOf(await sandboxForTest());
    const fields = [
      "label=Dev",
      `url=${RECEIVER}`,
      "subscribedEvents[]=partner.test",
      "environmentScope=all",
    ];
    const create = ["api", "POST", REGISTER, ...fields.flatMap((field) => ["-f", field]), "--verbose"];
    const created = await runCli(create, { env });
    expect(created.code).toBe(0);
    expect(created.stderr).toContain(`alias ${REGISTER} → /v1/webhooks/endpoints (long_term)`);
    await runCli(["api", "POST", REGISTER], { env });
    expect(await runJson(["aliases", "audit", "--json"], { env })).toMatchObject([
      {
        ...{ alias: REGISTER, uses: 2, canonicalPath: "/v1/webhooks/endpoints", lifecycle: "long_term" },
        sunset: null,
      },
    ]);
    const log = join(env.CLAIMS_CONFIG_DIR ?? "", "state", "aliases.ndjson");
    expect(statSync(log).mode & 0o777).toBe(0o600);
    const [first = ""] = readFileSync(log, "utf8").split("\n");
    expect(JSON.parse(first)).toMatchObject({ method: "POST", alias: REGISTER, status: 201 });
  });
});

it("aliases list lists the fourteen aliases of the interface with their lifecycles", async () => {
  const aliases = (await runJson(["aliases", "list", "--json"])) as { alias: string; lifecycle: string }[];
  expect(aliases.map(({ alias, lifecycle }) => [alias, lifecycle])).toEqual(
    BROKER_ALIASES.map(({ path, lifecycle }) => [path, lifecycle]),
  );
  expect(aliases).toHaveLength(14);
});

describe("aliases sunset", () => {
  const onboard = "/broker/onboard";

  it("warns before the date, and fails from the date on until a later one is set", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const at = (time: string) => createTerminalContext({ env, now: () => Date.parse(time) });
    const sunsetTerminal = at("2026-11-20T00:00:00Z");
    expect(await sunsetTerminal.run("aliases", "sunset", REGISTER, "2027-01-01")).toBe(0);

    const before = at("2026-12-31T23:59:59Z");
    await before.run("api", "POST", REGISTER);
    expect(before.stderr.text).toContain(
      `the sunset of ${REGISTER} is 2027-01-01: use /v1/webhooks/endpoints`,
    );

    const after = at("2027-01-01T00:00:00Z");
    expect(await after.run("api", "POST", REGISTER)).toBe(5);
    expect(after.stderr.text).toContain(`the sunset of ${REGISTER} was 2027-01-01`);
    expect(after.stderr.text).toContain(`claims aliases sunset ${REGISTER} YYYY-MM-DD`);
    const postponed = at("2027-01-01T00:00:00Z");
    expect(await postponed.run("aliases", "sunset", REGISTER, "2027-02-01")).toBe(0);
    expect(await postponed.run("api", "POST", REGISTER, "-f", "label=x")).toBe(5);
    expect(postponed.stderr.text).toContain(`the sunset of ${REGISTER} is 2027-02-01`);
    expect(postponed.stderr.text).not.toContain("was 2027-01-01");

    const afterRemoval = at("2027-01-02T00:00:00Z");
    expect(await afterRemoval.run("aliases", "sunset", REGISTER)).toBe(0);
    await afterRemoval.run("api", "POST", REGISTER);
    expect(afterRemoval.stderr.text).not.toContain("sunset");
  });

  it.each([
    "/broker/x/../onboard",
    "/broker/%6Fnboard",
    "/broker/onboard?x=1#a",
    "/broker\\onboard",
    "/bro\tker/onboard",
  ])("judges the path that is sent, of each method: %j", async (path) => {
    const { env, requests } = await startScriptedService((_, response) =>
      sendJson(response, 200, {}, { "x-service-canonical-path": "/v1/partner-organizations/{partnerOrgId}" }),
    );
    for (const prefix of ["", "/prefix"]) {
      const own = { ...env, CLAIMS_BASE_URL: `${env.CLAIMS_BASE_URL}${prefix}`, HOME: temporaryFolder() };
      const cli = (...args: string[]) => runCli(args, { env: own });
      await cli("aliases", "sunset", onboard, "2020-01-01");
      for (const args of [
        ["GET", path],
        ["GET", path, "--paginate"],
        ["POST", path, "-f", "a=b"],
      ])
        expect(errorOf(await cli("api", ...args, "--json"))).toMatchObject({
          code: "alias_sunset",
          exitCode: 5,
        });
      expect(requests).toEqual([]);
      await cli("aliases", "sunset", onboard, "2099-01-01");
      expect((await cli("api", "POST", path, "--yes")).code).toBe(0);
      const sent = requests.splice(0).map(({ url }) => url.replace(/\?.*/, ""));
      expect([`${prefix}${onboard}`, `${prefix}/broker/%6Fnboard`]).toContain(sent[0]);
      const [use] = await runJson(["aliases", "audit", "--json"], { env: own });
      expect(use).toMatchObject({ alias: onboard, uses: prefix ? 2 : 1 });
      const [write] = await runJson(["history", "--json"], { env: own });
      expect(write.operation).toMatch(/^POST \/broker\/(on|%6Fn)board/);
    }
  });

  it("lets other paths pass that look like the alias", async () => {
    const { env, requests } = await startScriptedService((_, response) => sendJson(response, 200, {}));
    await runCli(["aliases", "sunset", onboard, "2020-01-01"], { env });
    for (const path of [
      "/v1/x?path=/broker/onboard",
      "/broker/onboard/x",
      "/broker/%",
      "/v1/broker%2Fonboard",
    ])
      expect(await runCli(["api", "GET", path], { env })).toMatchObject({ code: 0, stderr: "" });
    expect(requests).toHaveLength(4);
  });

  it("accepts a date that has passed, with a note", async () => {
    const env = bareEnvironment();
    const past = await runCli(["aliases", "sunset", onboard, "2020-01-01", "--json"], { env });
    expect(past).toMatchObject({ code: 0, stdout: expect.stringContaining('"sunset": "2020-01-01"') });
    expect(JSON.parse(past.stderr).note.message).toBe(
      `2020-01-01 has passed: from now on, ${onboard} is refused`,
    );
    const future = await runCli(["aliases", "sunset", onboard, "2099-01-01", "--json"], { env });
    expect(future).toMatchObject({ code: 0, stderr: "" });
  });

  it("names the replacement of a migration-only alias without a sunset date", async () => {
    const env = environmentOf(await sandboxForTest());
    const result = await runCli(["api", "POST", onboard, "-f", "name=x"], { env });
    expect(result.stderr).toContain(
      `${onboard} is migration_only: use /v1/partner-organizations/{partnerOrgId}`,
    );
  });

  it("suggests the alias template of a concrete path", async () => {
    const args = ["aliases", "sunset", "/broker/v1/portfolio/scan/7d9c", "2099-01-01", "--json"];
    expect(errorOf(await runCli(args)).hint).toBe("did you mean /broker/v1/portfolio/scan/{scanId}?");
  });

  it.each([
    ["an unknown alias", ["/broker/onbord", "2099-01-01"], "unknown_alias", 3],
    ["an unreadable date", [onboard, "soon"], "option_invalid", 2],
    ["a day that does not exist", [onboard, "2099-02-30"], "option_invalid", 2],
  ])("refuses %s", async (_, words, code, exitCode) => {
    expect(errorOf(await runCli(["aliases", "sunset", ...words, "--json"]))).toMatchObject({
      code,
      exitCode,
    });
  });
});

describe("aliases audit", () => {
  it("counts the uses on this machine, and lists aliases without a sunset date", async () => {
    const env = bareEnvironment();
    const log = [
      { at: "2026-11-20T11:00:00.000Z", alias: "/broker/onboard" },
      { at: "2026-11-20T09:00:00.000Z", alias: "/broker/onboard" },
      { at: "2026-11-19T08:00:00.000Z", alias: "/broker/v1/portfolio/scan/7d9c?full=1" },
    ].map((use) => JSON.stringify({ ...use, canonicalPath: null, lifecycle: null }));
    mkdirSync(join(env.CLAIMS_CONFIG_DIR ?? "", "state"), { recursive: true });
    writeFileSync(join(env.CLAIMS_CONFIG_DIR ?? "", "state", "aliases.ndjson"), log.join("\n"));
    expect(await runJson(["aliases", "audit", "--json"], { env })).toEqual([
      {
        ...{ alias: "/broker/onboard", canonicalPath: "/v1/partner-organizations/{partnerOrgId}" },
        ...{ uses: 2, lastUsedAt: "2026-11-20T11:00:00.000Z", lifecycle: "migration_only", sunset: null },
      },
      {
        ...{ alias: "/broker/v1/portfolio/scan/{scanId}", canonicalPath: "/v1/portfolio-scans/{scanId}" },
        ...{ uses: 1, lastUsedAt: "2026-11-19T08:00:00.000Z", lifecycle: "long_term", sunset: null },
      },
    ]);
    const terminal = createTerminalContext({ env });
    await terminal.run("aliases", "audit");
    expect(terminal.stderr.text).toContain("without a sunset date: /broker/onboard;");
  });

  it("skips damaged lines of the alias log", async () => {
    const env = bareEnvironment();
    const state = join(env.CLAIMS_CONFIG_DIR ?? "", "state");
    mkdirSync(state, { recursive: true });
    const use = {
      at: "2026-11-20T10:00:00Z",
      alias: "/broker/onboard",
      canonicalPath: null,
      lifecycle: null,
    };
    const lines = [use, { ...use, at: 5 }, { ...use, lifecycle: [1] }, { ...use, alias: {} }, "x", null];
    const log = lines.map((line) => JSON.stringify(line)).join("\n");
    writeFileSync(join(state, "aliases.ndjson"), `${log}\n{"at":`);
    expect(await runJson(["aliases", "audit", "--json"], { env })).toMatchObject([
      { alias: "/broker/onboard", uses: 1, lastUsedAt: "2026-11-20T10:00:00Z" },
    ]);
  });
});
