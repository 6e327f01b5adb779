import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getContract } from "../../src/contract/openapi.ts";
import { bareEnvironment, errorOf, fixture, runCli } from "../support/cli.ts";
import { oauthEnvironmentOf, submitArgs } from "../support/sandbox.ts";
import {
  findLastResponse,
  readStoredIds,
  startVariedService,
  variationsCovering,
} from "../support/variations.ts";

describe.each(variationsCovering("headerCase"))("connection commands on %s", (_, variation) => {
  it("auth token prints the token of the service, and later commands use it from the cache", async () => {
    const { sandbox } = await startVariedService(variation);
    const env = oauthEnvironmentOf(sandbox);
    const run = (...args: string[]) => runCli(args, { env });
    const { stdout: token } = await run("auth", "token");
    expect(token).toMatch(/^at_sandbox_\S+\n$/);
    const headers = { authorization: `Bearer ${token.trim()}` };
    expect((await fetch(`${sandbox.url}/v1/docs/openapi`, { headers })).status).toBe(200);
    expect(JSON.parse((await run("auth", "token", "--json")).stdout)).toMatchObject({
      access_token: expect.stringMatching(/^at_sandbox_/),
      expires_in: 3600,
    });
    const tokens = () => sandbox.requests.list({ operation: "oauth.token" });
    const before = (await tokens()).length;
    expect(await run("clients", "list", "-q")).toMatchObject({ code: 0 });
    expect(await tokens()).toHaveLength(before);
    // The service refuses the old token with 401, and the client gets another one.
    await sandbox.clock.advance("2h");
    expect(await run("clients", "list", "-q")).toMatchObject({ code: 0, stderr: "" });
    expect(await tokens()).toHaveLength(before + 1);
    const wrong = { ...env, CLAIMS_CLIENT_SECRET: "cs_sandbox_wrong" };
    const refused = await runCli(["clients", "list", "--json"], { env: wrong });
    expect(errorOf(refused)).toMatchObject({ code: "invalid_client", exitCode: 4 });
  });

  it("auth login stores a credential that the service accepts and no other, and auth logout removes it", async () => {
    const { sandbox } = await startVariedService(variation);
    const env = bareEnvironment();
    const { apiKey, clientId, clientSecret } = sandbox.credentials.sandbox;
    const login = (input: string, ...flags: string[]) =>
      runCli(["auth", "login", "--base-url", sandbox.url, ...flags, "--json"], { env, input });
    const config = () => readFileSync(join(env.CLAIMS_CONFIG_DIR ?? "", "config.json"), "utf8");
    const refused = await login("sk_sandbox_wrong_one", "--key-file", "-");
    expect(errorOf(refused)).toMatchObject({
      exitCode: 4,
      message: expect.stringMatching(/^nothing was stored: /),
    });
    expect(config).toThrow();
    expect(JSON.parse((await login(apiKey, "--key-file", "-")).stdout)).toMatchObject({ checked: true });
    const submitted = await runCli(submitArgs(fixture("scenario_partial.csv"), "-q"), { env });
    expect([submitted.stdout.trim()]).toEqual(await readStoredIds(sandbox, "job"));
    const client = await login(
      clientSecret,
      "--client-id",
      clientId,
      "--secret-file",
      "-",
      "--profile",
      "oauth",
    );
    expect(JSON.parse(client.stdout)).toMatchObject({ kind: "oauth_client", checked: true });
    expect(await runCli(["clients", "list", "--profile", "oauth"], { env })).toMatchObject({ code: 0 });
    expect(await runCli(["auth", "logout", "--all"], { env })).toMatchObject({ code: 0 });
    expect(config()).not.toContain(apiKey);
  });

  it("diligence submit to production needs --yes, and sends the production key", async () => {
    const { sandbox, env } = await startVariedService(variation);
    const production = {
      ...env,
      CLAIMS_API_KEY: sandbox.credentials.production.apiKey,
      CLAIMS_ENVIRONMENT: "production",
    };
    const line = submitArgs(fixture("scenario_partial.csv"), "--json");
    const unconfirmed = await runCli(line, { env: production });
    expect(errorOf(unconfirmed)).toMatchObject({ code: "production_not_confirmed", exitCode: 4 });
    const sent = await runCli([...line, "--yes"], { env: production });
    expect([sent.code, sent.stdout]).toEqual([
      0,
      `${(await findLastResponse(sandbox, "diligence.submit")).text}\n`,
    ]);
    const [submission] = await sandbox.requests.list({ operation: "diligence.submit" });
    expect(submission?.caller).toMatchObject({ environment: "production" });
  });

  it("doctor finds no problem, and reports a refused credential", async () => {
    const { env } = await startVariedService(variation);
    const findings = async (changedEnv: Record<string, string>) => {
      const { code, stdout } = await runCli(["doctor", "--json"], { env: changedEnv });
      const statuses = (JSON.parse(stdout) as { check: string; status: string }[]).map(
        ({ check, status }) => [check, status],
      );
      return { code, ...Object.fromEntries(statuses) };
    };
    expect(await findings(env)).toMatchObject({ code: 0, connection: "ok", credential: "ok" });
    expect(await findings({ ...env, CLAIMS_API_KEY: "made_up_of_nothing" })).toMatchObject({
      ...{ code: 4, connection: "ok", credential: "fail" },
    });
  });

  it("sandbox wait prints the job, and sandbox requests the applied variants", async () => {
    const { sandbox, exits, idOf } = await startVariedService(variation);
    const job = await idOf(...submitArgs(fixture("scenario_partial.csv")));
    const waited = JSON.parse((await exits(0, "sandbox", "wait", "--job", job, "--json")).stdout);
    expect(waited).toMatchObject({ jobId: job, state: "partial" });
    const [request] = JSON.parse((await exits(0, "sandbox", "requests", "--json")).stdout);
    expect(sandbox.grease.variants).toEqual(expect.arrayContaining(request.varied));
    expect(request.varied).toContain(`headerCase=${variation.choices.headerCase}`);
  });
});

// Grease changes only the headers of this response, not the contract.
it.each(variationsCovering("unknownFields"))(
  "contract commands find the contract unchanged on %s",
  async (_, variation) => {
    const { exits } = await startVariedService(variation);
    const fetched = await exits(0, "contract", "fetch");
    expect(fetched.stdout.trim()).toBe(getContract().canonicalJson);
    const hash = JSON.parse((await exits(0, "contract", "hash", "--json")).stdout);
    expect(hash).toMatchObject({ hash: getContract().hash, etag: getContract().hash });
    await exits(0, "contract", "pin", "--pin-file", "pin.json");
    const checked = await exits(0, "contract", "check", "--pin-file", "pin.json", "--json");
    expect(JSON.parse(checked.stdout)).toMatchObject({ fromBundled: [], sincePin: [] });
    expect((await exits(0, "contract", "diff", "--ndjson")).stdout).toBe("");
  },
);
