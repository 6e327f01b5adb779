import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chooseVariants } from "../../sandbox/engine/played-service/grease/choices.ts";
import { seededRandom } from "../../sandbox/engine/random.ts";
import { GREASE_DIMENSIONS } from "../../src/contract/grease.ts";
import type { ServiceForm } from "../../src/contract/service-form/service-form.ts";
import { bareEnvironment, errorOf, fixture, runCli, temporaryFolder, useFastClock } from "../support/cli.ts";
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts";
import { environmentOf, sandboxForTest } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { callEverything, saveHar } from "../support/service-script.ts";
import { SEEDS } from "../support/variations.ts";

useFastClock();

const START = { frozenAt: "2026-11-20T00:00:00Z" };

function save(form: ServiceForm): string {
  const file = join(temporaryFolder(), "service.json");
  writeFileSync(file, JSON.stringify(form));
  return file;
}

async function learn(env: Record<string, string>, ...args: string[]): Promise<ServiceForm> {
  const result = await runCli(["contract", "learn", "--json", ...args], { env });
  expect(result.code, result.stderr).toBe(0);
  return JSON.parse(result.stdout);
}

const operationsOf = ({ evidence }: ServiceForm): string[] =>
  (evidence?.responses ?? []).map(({ operation, status }) => `${operation} ${status}`).sort();

/** The rows and members of a form, without evidence and what is open. */
const rowsOf = ({ records, operations, times, names, errors }: ServiceForm) => ({
  ...{ records, operations, times, names, errors },
});

describe("claims contract learn", () => {
  it("finds that a sandbox writes the contract's own form, and contradicts nothing", async () => {
    const sandbox = await sandboxForTest(START);
    const { ids } = await callEverything(sandbox);
    const form = await learn(environmentOf(sandbox), "--job", ids.job ?? "");
    expect(form.records).toEqual({});
    expect(form.operations).toEqual({});
    expect([form.names, form.times, form.money]).toEqual([undefined, undefined, undefined]);
    expect(form.evidence?.findings).toEqual([]);
    expect(form.evidence?.serviceContractHash).toBe(form.evidence?.contractHash);
    const requests = (await sandbox.requests.list({ limit: 100 })).filter(({ requestHeaders }) =>
      requestHeaders.some(([, value]) => value.startsWith("claims/")),
    );
    expect(requests.length).toBeGreaterThan(10);
    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
    expect(new Set(requests.map(({ target }) => target)).size).toBe(requests.length);
  });

  it.each(IS_EXHAUSTIVE ? SEEDS : SEEDS.slice(1, 2))(
    "finds what a service with seed %i does otherwise",
    async (seed) => {
      const { ids } = await callEverything(await sandboxForTest({ ...START, seed }));
      const choices = chooseVariants(GREASE_DIMENSIONS, seededRandom(seed));
      const sandbox = await sandboxForTest({ ...START, seed, grease: GREASE_DIMENSIONS });
      const { exchanges } = await callEverything(sandbox, ids);
      const form = await learn(bareEnvironment(), "--har", saveHar(exchanges));
      const { operations = {}, records = {} } = form;
      const places = { items: "items", results: "results", array: "" };
      expect(operations["clients.list"]?.items).toBe(places[choices.listEnvelope ?? "items"]);
      const { status } = operations["clients.create"] ?? {};
      expect(status).toBe(200);
      const times = { seconds: "epoch-seconds", milliseconds: "epoch-ms", rfc3339: "with-offset" };
      expect(form.times).toBe(times[choices.timestampFormat ?? "seconds"]);
      expect(JSON.stringify(records.Job?.fields?.state)).toContain(`"completed":"${choices.stateName}"`);
      expect(form.deliveries?.payload).toBe(choices.payloadForm ?? undefined);
      expect(form.evidence?.findings).toEqual([]);
      expect((await runCli(["contract", "form", "check", save(form)])).code).toBe(0);
    },
  );

  it("adds to what was learned before", async () => {
    const sandbox = await sandboxForTest(START);
    const { exchanges } = await callEverything(sandbox);
    const half = exchanges.length / 2;
    const file = join(temporaryFolder(), "service.json");
    for (const part of [exchanges.slice(0, half), exchanges.slice(half)])
      await runCli(["contract", "learn", "--har", saveHar(part), "--out", file]);
    const all = await learn(bareEnvironment(), "--har", saveHar(exchanges));
    const merged: ServiceForm = JSON.parse(readFileSync(file, "utf8"));
    expect(operationsOf(merged)).toEqual(operationsOf(all));
    expect(rowsOf(merged).records ?? {}).toEqual(rowsOf(all).records);
    const again = await runCli(["contract", "learn", "--har", saveHar(exchanges), "--out", file]);
    expect(again.code, again.stderr).toBe(0);
  });

  it("keeps what it learned before the service stopped, and adds to it later", async () => {
    const sandbox = await sandboxForTest(START);
    await callEverything(sandbox);
    sandbox.faults.add({ match: { operation: "offers.list" }, then: { reset: true } });
    const file = join(temporaryFolder(), "service.json");
    const env = environmentOf(sandbox);
    const run = () => runCli(["contract", "learn", "--out", file, "--timeout", "5"], { env });
    expect((await run()).code).toBe(6);
    const partial: ServiceForm = JSON.parse(readFileSync(file, "utf8"));
    expect(operationsOf(partial)).toContain("clients.list 200");
    sandbox.faults.clear();
    expect((await run()).code).toBe(0);
    const whole: ServiceForm = JSON.parse(readFileSync(file, "utf8"));
    expect(operationsOf(whole)).toContain("offers.list 200");
  });

  it("keeps each line that a person wrote, and reports where the service differs from it", async () => {
    const { env } = await startScriptedService((request, response) =>
      request.url?.includes("clients")
        ? sendJson(response, 200, {
            rows: [{ client_id: "7d9c1f3e-5b7a-4d83-9a1c-2f6e8b0d4c57", name: "x" }],
          })
        : sendJson(response, 404, { message: "no such thing" }),
    );
    const file = join(temporaryFolder(), "service.json");
    const mine = { serviceForm: 1, operations: { "clients.list": { items: "data.rows", status: 200 } } };
    writeFileSync(file, JSON.stringify({ ...mine, records: { Client: { fields: { name: "title" } } } }));
    const result = await runCli(["contract", "learn", "--out", file], { env });
    expect(result.code, result.stderr).toBe(0);
    expect(result.stderr).toContain("the line stays: /operations/clients.list/items");
    const form: ServiceForm = JSON.parse(readFileSync(file, "utf8"));
    expect(form.operations?.["clients.list"]?.items).toBe("data.rows");
    expect(form.records?.Client?.fields?.name).toBe("title");
    expect(form.errors).toMatchObject({ message: "message" });
  });

  it("learns from a recording and from the service at once", async () => {
    const sandbox = await sandboxForTest();
    const { exchanges } = await callEverything(sandbox);
    const bare = exchanges.filter(({ path }) => path.startsWith("/v1/revenue"));
    const args = ["--har", saveHar(bare), "--submit", fixture("sample_entries.csv"), "--seller-name", "Acme"];
    const result = await runCli(["contract", "learn", "--json", ...args], { env: environmentOf(sandbox) });
    expect(result.code, result.stderr).toBe(0);
    const { responses } = JSON.parse(result.stdout).evidence;
    const countOf = (id: string) =>
      responses.find(({ operation }: { operation: string }) => operation === id)?.count;
    expect([countOf("revenue.dashboard"), countOf("diligence.submit")]).toEqual([2, 1]);
  });

  it("refuses recordings and files that it cannot use", async () => {
    const folder = temporaryFolder();
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const other = { log: { entries: [{ request: { method: "GET", url: "https://example.com/" } }] } };
    for (const [args, code] of [
      [["--har", write("cut.har", '{"log": {')], "invalid_input"],
      [["--har", write("no.har", "{}")], "invalid_input"],
      [["--har", write("other.har", JSON.stringify(other))], "invalid_input"],
      [["--submit", "x"], "option_conflict"],
      [["--submit", "x", "--seller-name", "Acme", "--job", "y"], "option_conflict"],
      [["--resume"], "option_conflict"],
      [["--har", "x", "--out", write("other.json", '{"name": "app"}')], "invalid_input"],
    ] as const) {
      const result = await runCli(["contract", "learn", "--json", ...args]);
      expect(errorOf(result)).toMatchObject({ code });
      expect(result.code).toBe(2);
    }
  });

  it("reads a page of HTML and an error in text as what they are", async () => {
    const { env } = await startScriptedService((request, response) =>
      request.url?.includes("clients")
        ? response.writeHead(200, { "content-type": "text/html" }).end("<h1>Acme</h1>")
        : sendJson(response, 404, { message: "Zurich" }),
    );
    const service = await learn(env);
    expect(service.operations?.["clients.list"]?.items).toBeUndefined();
    expect(service.errors).toMatchObject({ message: "message" });
    expect(JSON.stringify(service)).not.toMatch(/Acme|Zurich/);
  });

  it("sends nothing with --dry-run, and lists its requests", async () => {
    const { env, requests } = await startScriptedService((_, response) => sendJson(response, 500, {}));
    const file = join(temporaryFolder(), "service.json");
    const args = ["contract", "learn", "--dry-run", "--job", "a-job", "--out", file];
    const result = await runCli([...args, "--json"], { env });
    expect(result.code, result.stderr).toBe(0);
    const listed = (JSON.parse(result.stdout).requests as { method: string; url: string }[]).map(
      ({ method, url }) => `${method} ${new URL(url).pathname}`,
    );
    expect(listed).toEqual(
      expect.arrayContaining(["GET /v1/docs/openapi", "GET /v1/clients", "GET /v1/diligence/report/a-job"]),
    );
    const curl = await runCli(["contract", "learn", "--curl"], { env });
    expect(curl.stdout.match(/curl --fail-with-body/g)?.length).toBe(listed.length - 3);
    const oauth = {
      ...env,
      CLAIMS_API_KEY: undefined,
      CLAIMS_CLIENT_ID: "c",
      CLAIMS_CLIENT_SECRET: "s".repeat(20),
    };
    const ofClient = await runCli([...args, "--json"], { env: oauth });
    expect(JSON.parse(ofClient.stdout).requests.length).toBe(listed.length);
    expect(requests).toEqual([]);
    expect(existsSync(file)).toBe(false);
  });

  it("renews an access token that expired during the run", async () => {
    const { env, requests } = await startScriptedService((request, response, count) => {
      if (request.url?.endsWith("/token"))
        sendJson(response, 200, { access_token: `token-${count}-of-a-partner`, expires_in: 600 });
      else if (request.headers.authorization === "Bearer token-1-of-a-partner" && count > 4)
        sendJson(response, 401, {});
      else sendJson(response, 200, { items: [] });
    });
    const oauth = {
      ...env,
      CLAIMS_API_KEY: undefined,
      CLAIMS_CLIENT_ID: "c",
      CLAIMS_CLIENT_SECRET: "s".repeat(20),
    };
    const result = await runCli(["contract", "learn", "--json"], { env: oauth });
    expect(result.code, result.stderr).toBe(0);
    const service: ServiceForm = JSON.parse(result.stdout);
    expect(operationsOf(service)).toContain("oauth.token 200");
    expect(operationsOf(service).filter((each) => each.endsWith(" 401"))).toEqual([]);
    expect(requests.filter(({ url }) => url.endsWith("/token"))).toHaveLength(2);
    expect(result.stdout).not.toContain("of-a-partner");
  });

  it("reads production only with --yes", async () => {
    const { env } = await startScriptedService((_, response) => sendJson(response, 404, {}));
    const production = { ...env, CLAIMS_ENVIRONMENT: "production" };
    const refused = await runCli(["contract", "learn", "--json"], { env: production });
    expect(errorOf(refused)).toMatchObject({ code: "production_not_confirmed" });
    await learn(production, "--yes");
  });
});
