import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GREASE_DIMENSIONS } from "../../src/contract/grease.ts";
import { errorOf, fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts";
import { startRenamingService } from "../support/renaming-service.ts";
import { environmentOf, SELLER, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { callEverything } from "../support/service-script.ts";
import { createTerminalContext } from "../support/terminal.ts";
import { SEEDS } from "../support/variations.ts";

const START = { frozenAt: "2026-11-20T00:00:00Z" };

type Environment = Record<string, string>;

/** Runs a command that must succeed, and returns its stdout. */
async function print(env: Environment, ...args: string[]): Promise<string> {
  const result = await runCli(args, { env, cwd: env.HOME ?? "" });
  expect(result.code, `claims ${args.join(" ")}\n${result.stderr}`).toBe(0);
  return result.stdout;
}

async function printOnTerminal(env: Environment, ...args: string[]): Promise<string> {
  const { run, stdout, stderr } = createTerminalContext({ env });
  expect(await run(...args, "--no-color"), stderr.text).toBe(0);
  return stdout.text;
}

/** Learns from a service by its reads, and makes a profile of it with what was learned. */
async function learnIntoProfile(env: Environment, jobId: string): Promise<Environment> {
  const file = join(temporaryFolder(), "service.json");
  await print(env, "contract", "learn", "--job", jobId, "--out", file);
  const { CLAIMS_BASE_URL: url = "", ...rest } = env;
  await print(env, "profiles", "set", "real", "--base-url", url, "--like", file);
  return { ...rest, CLAIMS_PROFILE: "real" };
}

/** A sandbox under its own names, under other names, and under other names with a profile that knows them. */
async function startServices() {
  const sandbox = await sandboxForTest(START);
  const { ids } = await callEverything(sandbox);
  const { job = "", partial = "", claim = "" } = ids;
  const { env: renamed } = await startRenamingService(sandbox);
  const learned = await learnIntoProfile(renamed, job);
  return { sandbox, job, partial, claim, own: environmentOf(sandbox), renamed, learned };
}

describe("a profile with --like", () => {
  it("shows the records of a service with other names as those of the contract", async () => {
    const { job, partial, claim, own, renamed, learned } = await startServices();
    const lines = [
      ["diligence", "status", job],
      ["diligence", "status", job, partial],
      ["diligence", "report", job],
      ["diligence", "dataset", job],
      ["diligence", "dataset", job, "-q"],
      ["clients", "list"],
      ["webhooks", "deliveries"],
    ];
    const moreLines = [
      ["diligence", "deadlines", job, "--within", "300d"],
      ["clients", "list", "--csv"],
      ["claims", "list"],
      ["claims", "status", claim],
      ["offers", "list"],
      ["revenue", "ledger"],
      ["revenue", "dashboard"],
      ["webhooks", "list"],
    ];
    for (const args of IS_EXHAUSTIVE ? [...lines, ...moreLines] : lines) {
      const expected = await print(own, ...args);
      expect(await print(learned, ...args), args.join(" ")).toBe(expected);
      if (!IS_EXHAUSTIVE) continue;
      const unknown = await runCli(args, { env: renamed });
      expect(unknown.stdout, `${args.join(" ")} without a profile`).not.toBe(expected);
    }
    for (const args of IS_EXHAUSTIVE ? lines.slice(2, 4) : [])
      expect(await printOnTerminal(learned, ...args)).toBe(await printOnTerminal(own, ...args));
  });

  it("prints what the service sent with --json, and finds a field of --fields by either name", async () => {
    const { job, partial, renamed, learned } = await startServices();
    for (const args of [
      ["diligence", "status", job, "--json"],
      ["diligence", "status", job, partial, "--ndjson"],
      ["diligence", "dataset", job, "--json"],
      ["diligence", "dataset", job, "--csv"],
      ["clients", "list", "--limit", "1", "--json"],
    ])
      expect(await print(learned, ...args), args.join(" ")).toBe(await print(renamed, ...args));
    const merged = JSON.parse(await print(learned, "clients", "list", "--all", "--json"));
    expect(Object.keys(merged)).toEqual(["clients", "links", "next"]);
    expect(merged.clients.length).toBeGreaterThan(1);
    expect(merged.clients[0]).toMatchObject({ created_at: expect.any(String) });
    const items = (await print(learned, "clients", "list", "--ndjson")).trim().split("\n");
    expect(items.map((item) => JSON.parse(item))).toEqual(merged.clients);
    const fields = (...args: string[]) => print(learned, ...args, "--json");
    expect(
      JSON.parse(await fields("diligence", "status", job, "--fields", "jobId,job.id,job.seller_name")),
    ).toEqual({ jobId: job, "job.id": job, "job.seller_name": SELLER });
    const names = "totals.ieepaDutyCents,totals.ieepa_duty,rf8Review.outcome,rf8_review.outcome";
    const report = await fields("diligence", "report", job, "--fields", names);
    expect(JSON.parse(report)).toEqual({
      "totals.ieepaDutyCents": 198_381_962,
      "totals.ieepa_duty": "1983819.62",
      "rf8Review.outcome": "conditional",
      "rf8_review.outcome": "conditional",
    });
    const [client] = JSON.parse(await fields("clients", "list", "--fields", "createdAt,created_at"));
    expect(client.createdAt).toBe(client.created_at);
    const rows = await print(learned, "diligence", "dataset", job, "--fields", "entryNumber,entry_number");
    expect(rows.split("\n")[0]).toBe("ZZ962568319\tZZ962568319");
  });

  it("submits to a service with other names, and waits for its job", async () => {
    const { learned, own, sandbox } = await startServices();
    const file = fixture("sample_entries.csv");
    const report = await print(learned, ...submitArgs(file, "--wait"));
    const [{ jobId }] = JSON.parse(await print(learned, "history", "--submissions", "--json"));
    expect(report).toBe(await print(own, "diligence", "report", jobId));
    const created = ["clients", "create", "--name", "Acme", "--json", "--fields"];
    expect(JSON.parse(await print(learned, ...created, "createdAt"))).toEqual({
      createdAt: sandbox.clock.now(),
    });
    const before = (await sandbox.requests.list()).length;
    const refused = await runCli([...created, "made_at"], { env: learned });
    expect(errorOf(refused)).toMatchObject({ code: "unknown_field" });
    expect((await sandbox.requests.list()).length).toBe(before);
  });

  it.each(IS_EXHAUSTIVE ? SEEDS : SEEDS.slice(2, 3))(
    "shows the records of a service that varies everything, seed %i, with the values of one that does not",
    async (seed) => {
      const plain = await sandboxForTest({ ...START, seed });
      const { ids } = await callEverything(plain);
      const varied = await sandboxForTest({ ...START, seed, grease: GREASE_DIMENSIONS });
      await callEverything(varied, ids);
      const own = environmentOf(plain);
      const learned = await learnIntoProfile(environmentOf(varied), ids.job ?? "");
      const { job = "", partial = "" } = ids;
      for (const args of [
        ["diligence", "status", job],
        ["diligence", "status", job, partial],
        ["diligence", "report", job],
        ["diligence", "dataset", job, "--csv", "--fields", "entryNumber,route,nextDeadline"],
        ["clients", "list"],
        ["webhooks", "deliveries"],
        submitArgs(fixture("sample_entries.csv"), "--wait"),
      ]) {
        // A time in seconds has no fraction.
        const sortLines = (text: string) =>
          text
            .replace(/\.\d{3}Z/g, ".000Z")
            .split("\n")
            .toSorted();
        const lines = sortLines(await print(learned, ...args));
        // A record can have unknown fields, and a list another order.
        expect(lines, args.join(" ")).toEqual(expect.arrayContaining(sortLines(await print(own, ...args))));
      }
    },
  );

  it("waits until a state that was seen of a job with a report", async () => {
    const report = { rf8Review: { outcome: "clear" } };
    const { env } = await startScriptedService((request, response) =>
      request.url?.includes("/report/")
        ? sendJson(response, 200, report)
        : sendJson(response, 200, { jobId: "j-1", state: "Finalised" }),
    );
    const learned = await learnIntoProfile(env, "j-1");
    const wait = ["diligence", "wait", "j-1", "--json", "--timeout", "300ms"];
    expect(JSON.parse(await print(learned, ...wait))).toEqual(report);
    // Without the form, the report proves the end.
    expect((await runCli(wait, { env })).code).toBe(0);
  });

  it("shows the report of a service that does not have the sandbox's model", async () => {
    const { env } = await startScriptedService((_, response) => sendJson(response, 200, report));
    const file = fixture("sample_entries.csv");
    const report = JSON.parse(await print(env, "diligence", "check", file, "--json"));
    const own = await print(env, "diligence", "report", "j-1");
    delete report.rf8Review.sandboxModel;
    expect(await print(env, "diligence", "report", "j-1")).toBe(own);
    expect(own).toContain("rf8Review\toutcome\tconditional");
  });

  it("names a file that it cannot use, and sends nothing", async () => {
    const { env, requests } = await startScriptedService((_, response) => sendJson(response, 200, {}));
    const { CLAIMS_BASE_URL: url = "", ...rest } = env;
    const file = join(temporaryFolder(), "service.json");
    const set = ["profiles", "set", "real", "--base-url", url, "--like", file, "--json"];
    expect(errorOf(await runCli(set, { env }))).toMatchObject({ exitCode: 2 });
    await print(env, "contract", "learn", "--out", file);
    expect(JSON.parse(await print(env, ...set))).toMatchObject({ like: file });
    const count = requests.length;
    writeFileSync(file, '{"serviceForm": 9}');
    const learned = { ...rest, CLAIMS_PROFILE: "real" };
    const edited = errorOf(await runCli(["clients", "list", "--json"], { env: learned }));
    expect(edited).toMatchObject({
      code: "invalid_input",
      hint: expect.stringContaining("form check"),
    });
    const elsewhere = await print(env, "profiles", "set", "real", "--base-url", `${url}/other`, "--json");
    expect(JSON.parse(elsewhere)).toMatchObject({ like: null });
    expect(requests.length).toBe(count);
  });

  it("is removed by an empty name", async () => {
    const { env } = await startScriptedService((_, response) => sendJson(response, 200, { data: [] }));
    const file = join(temporaryFolder(), "service.json");
    await print(env, "contract", "learn", "--out", file);
    const set = (like: string) =>
      print(env, "profiles", "set", "real", "--base-url", "https://a.example", "--like", like);
    expect(await set(file)).toContain(`profile\tlike\t${file}\n`);
    expect(await set("")).toContain("profile\tlike\t\n");
  });
});

describe("claims contract check with an observed service", () => {
  it("reports a contract that changed since then, and does not mind what a partial one lacks", async () => {
    const describeClients = (properties: object) => ({
      openapi: "3.1.0",
      paths: {
        "/v1/clients": {
          get: {
            responses: {
              200: {
                content: {
                  "application/json": {
                    schema: {
                      properties: { items: { type: "array", items: { type: "object", properties } } },
                    },
                  },
                },
              },
            },
          },
        },
      },
    });
    const text = { type: "string" };
    let document: object = describeClients({ id: { ...text, format: "uuid" }, client_name: text });
    const times = { created_at: "2026-11-20T00:00:00Z", reference: "A-1" };
    const client = { id: "0d1f5cf2-4c1e-4a3f-9d2c-7e1b2a3c4d5e", client_name: "Acme", ...times };
    const { env } = await startScriptedService(({ url = "" }, response) => {
      if (url.includes("openapi")) return sendJson(response, 200, document);
      return url.includes("clients")
        ? sendJson(response, 200, { items: [client] })
        : sendJson(response, 404, { message: "no" });
    });
    const learned = await learnIntoProfile(env, "none");
    const check = async (...args: string[]) => {
      const result = await runCli(["contract", "check", "--json", ...args], { env: learned });
      return { error: result.code === 0 ? null : errorOf(result), ...JSON.parse(result.stdout) };
    };
    const { error, ...unchanged } = await check();
    // The document lacks nearly everything of ours.
    expect(error).toBeNull();
    expect(unchanged).toMatchObject({ observed: { hash: unchanged.live } });
    document = describeClients({ id: { type: "integer" }, title: text });
    const changed = await check("--like", unchanged.observed.file);
    expect(changed.error).toMatchObject({
      code: "contract_changed",
      exitCode: 7,
      hint: expect.stringContaining("contract learn --out"),
    });
  });
});
